// Dense rows in place. The shift is subtracted element by element in registers: subtracting
// shiftᵀθ from the finished product instead would lose the digits that a large common offset of
// the features occupies.
//
// Rows are handled eight at a time, so that θ, the shift and the running sum are loaded once for
// eight rows. To the hardware that looks like eight slow streams; asking for the following tile in
// plain sequence, line by line and spread evenly over the work on this one, restores the bandwidth
// (measured: 21 → 34 GB/s where a plain read has 42). A line that nobody asked for is waited for,
// so the last, partial register of a row asks as well.
#pragma once

#include "core/linalg/packets.hpp"
#include "core/rows/row_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace drr {

template <class Scalar>
class DenseRows final : public RowBlocks {
public:
  DenseRows(const DenseView<Scalar>& view, const double* shift)
      : RowBlocks(view.n_rows, view.n_cols, shift, static_cast<double>(view.n_cols) * sizeof(Scalar)),
        view_(view), last_(std::max<Index>(0, view.n_cols - lanes)) {
    for (int lane = 0; lane < lanes; ++lane)
      is_new_[lane] = last_ + lane >= view.n_cols / lanes * lanes ? 1.0 : 0.0;
  }

  void scores(RowRange rows, const double* theta, double* scores, CacheUse use) const override {
    const char* next = following(rows, use);
    if (!next)
      scores_in<0>(rows, theta, scores, next);
    else if (use == CacheUse::only)
      scores_in<2>(rows, theta, scores, next);
    else
      scores_in<1>(rows, theta, scores, next);
  }

  void add_weighted(RowRange rows, const double* weights, double* sum, CacheUse use) const override {
    const char* next = following(rows, use);
    if (!next)
      add_weighted_in<0>(rows, weights, sum, next);
    else if (use == CacheUse::only)
      add_weighted_in<2>(rows, weights, sum, next);
    else
      add_weighted_in<1>(rows, weights, sum, next);
  }

  void copy(RowRange rows, const double* scale, double* out) const override {
    for (Index i = rows.begin; i < rows.end; ++i, out += n_cols_) {
      const double factor = scale ? scale[i - rows.begin] : 1.0;
      const Register factors = repeat(factor), zero = repeat(0.0);
      for_each_column(
          [&](Index k) {
            store(out + k, multiply_add(subtract(read(view_.row(i) + k), read(shift_ + k)), factors, zero));
          },
          [&](Index k) { out[k] = shifted(i, k) * factor; });
    }
  }

  void copy_columns(RowRange rows, RowRange columns, double* out) const override {
    for (Index i = rows.begin; i < rows.end; ++i)
      for (Index k = columns.begin; k < columns.end; ++k)
        *out++ = shifted(i, k);
  }

  void squared_norms(RowRange rows, double* norms) const override {
    for (Index i = rows.begin; i < rows.end; ++i) {
      Register sums = repeat(0.0);
      double tail = 0.0;
      for_each_column(
          [&](Index k) {
            const Register a = subtract(read(view_.row(i) + k), read(shift_ + k));
            sums = multiply_add(a, a, sums);
          },
          [&](Index k) { tail += shifted(i, k) * shifted(i, k); });
      norms[i - rows.begin] = sum_of(sums) + tail;
    }
  }

  std::string find_nonfinite() const override {
    for (Index i = 0; i < n_rows_; ++i)
      for (Index k = 0; k < n_cols_; ++k)
        if (!std::isfinite(view_.row(i)[k]))
          return "row " + std::to_string(i) + ", column " + std::to_string(k);
    return {};
  }

private:
  using Register = typename RowRegister<Scalar>::Type;
  static constexpr int lanes = RowRegister<Scalar>::size;
  static constexpr int line_bytes = 64;

  template <class Number>
  static Register read(const Number* from) {
    return load_register<Register>(from);
  }
  static Register repeat(double value) { return broadcast_register<Register>(value); }

  // The cache lines to ask for in a step over one register of columns of n rows: as many as it
  // reads if the rows are visited once (two halves), half as many at each of two visits.
  static constexpr int lines(int n, int halves) {
    const int bytes = n * lanes * static_cast<int>(sizeof(Scalar)) * halves / 2;
    return bytes == 0 ? 0 : std::max(1, bytes / line_bytes);
  }

  double shifted(Index i, Index k) const { return static_cast<double>(view_.row(i)[k]) - shift_[k]; }

  template <class OnPacket, class OnElement>
  void for_each_column(OnPacket&& on_packet, OnElement&& on_element) const {
    Index k = 0;
    for (; k + lanes <= n_cols_; k += lanes)
      on_packet(k);
    for (; k < n_cols_; ++k)
      on_element(k);
  }

  // Where to start asking for the tile after `rows`: its beginning, or its middle when a first use
  // has asked for the first half. Null if rows do not follow each other in memory, or none follow.
  const char* following(RowRange rows, CacheUse use) const {
    if (view_.row_stride != n_cols_ || rows.end >= n_rows_)
      return nullptr;
    const char* begin = reinterpret_cast<const char*>(view_.row(rows.end));
    const Index tile_bytes = rows.size() * n_cols_ * static_cast<Index>(sizeof(Scalar));
    return use == CacheUse::second ? begin + tile_bytes / 2 : begin;
  }

  template <int n, int lines>
  void scores_of(Index i, const double* theta, double* scores, const char* next) const {
    const Scalar* first = view_.row(i);
    const double* shift = shift_;
    const Index stride = view_.row_stride, n_cols = n_cols_;
    Register sums[n];
    for (int r = 0; r < n; ++r)
      sums[r] = repeat(0.0);
    const auto add_columns = [&](Index k, Register thetas) {
      const Register shifts = read(shift + k);
      for (int r = 0; r < n; ++r)
        sums[r] = multiply_add(subtract(read(first + r * stride + k), shifts), thetas, sums[r]);
    };
    Index k = 0;
    for (; k + lanes <= n_cols; k += lanes) {
      fetch<lines>(next, k);
      add_columns(k, read(theta + k));
    }
    if (k < n_cols && k > 0) {
      fetch<lines>(next, k);
      add_columns(last_, multiply(read(theta + last_), read(is_new_)));
    }
    for (int r = 0; r < n; ++r)
      scores[r] = sum_of(sums[r]);
    if (k == 0)
      for (int r = 0; r < n; ++r)
        for (Index j = 0; j < n_cols; ++j)
          scores[r] += shifted(i + r, j) * theta[j];
  }

  template <int n, int lines>
  void add_weighted_of(Index i, const double* weights, double* sum, const char* next) const {
    const Scalar* first = view_.row(i);
    const double* shift = shift_;
    const Index stride = view_.row_stride, n_cols = n_cols_;
    Register weight[n];
    for (int r = 0; r < n; ++r)
      weight[r] = repeat(weights[r]);
    const auto add_columns = [&](Index k) {
      const Register shifts = read(shift + k);
      Register sums = read(sum + k);
      for (int r = 0; r < n; ++r)
        sums = multiply_add(subtract(read(first + r * stride + k), shifts), weight[r], sums);
      store(sum + k, sums);
    };
    Index k = 0;
    for (; k + lanes <= n_cols; k += lanes) {
      fetch<lines>(next, k);
      add_columns(k);
    }
    if (k < n_cols && k > 0) {
      fetch<lines>(next, k);
      for (int r = 0; r < n; ++r)
        weight[r] = multiply(weight[r], read(is_new_));
      add_columns(last_);
    }
    if (k == 0)
      for (int r = 0; r < n; ++r)
        for (Index j = 0; j < n_cols; ++j)
          sum[j] += shifted(i + r, j) * weights[r];
  }

  // Asks for the lines that belong to the step at column k.
  template <int lines>
  static void fetch(const char* next, Index k) {
    for (int line = 0; line < lines; ++line)
      prefetch(next + (k / lanes * lines + line) * line_bytes);
  }

  template <int halves>
  void scores_in(RowRange rows, const double* theta, double* scores, const char* next) const {
    for_each_group<halves>(rows, next, [&]<int n, int lines>(Index i, const char* from) {
      scores_of<n, lines>(i, theta, scores + (i - rows.begin), from);
    });
  }

  template <int halves>
  void add_weighted_in(RowRange rows, const double* weights, double* sum, const char* next) const {
    for_each_group<halves>(rows, next, [&]<int n, int lines>(Index i, const char* from) {
      add_weighted_of<n, lines>(i, weights + (i - rows.begin), sum, from);
    });
  }

  // Calls on_group<rows, lines to ask for in a step>(first row, where to begin asking).
  template <int halves, class OnGroup>
  void for_each_group(RowRange rows, const char* next, OnGroup&& on_group) const {
    const Index steps = (n_cols_ + lanes - 1) / lanes;
    Index i = rows.begin;
    for (; i + 8 <= rows.end; i += 8) {
      on_group.template operator()<8, lines(8, halves)>(i, next);
      next += steps * lines(8, halves) * line_bytes;
    }
    for (; i + 4 <= rows.end; i += 4) {
      on_group.template operator()<4, lines(4, halves)>(i, next);
      next += steps * lines(4, halves) * line_bytes;
    }
    for (; i < rows.end; ++i)
      on_group.template operator()<1, 0>(i, next);
  }

  DenseView<Scalar> view_;
  // Columns that do not fill a register are read as the last full one, whose first columns were
  // counted already: is_new_ is 0 for those, 1 for the others. (Fewer columns than a register has
  // are added one by one.)
  Index last_;
  double is_new_[lanes];
};

} // namespace drr
