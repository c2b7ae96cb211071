// Dense rows in place. The shift is subtracted element by element in registers: subtracting shiftᵀθ from the
// finished product instead would lose the digits that a large common offset of the features occupies.
//
// Rows are handled four at a time, so that θ, the shift and the running sum are loaded once for four rows. To
// the hardware that looks like four slow streams and halves the bandwidth; asking for the following tile in
// plain sequence, spread evenly over the work on this one, brings it back (measured: 10 → 16 GB/s where a
// plain read has 19).
#pragma once

#include "core/packets.hpp"
#include "core/row_blocks.hpp"

#include <cmath>

namespace drr {

template <class Scalar>
class DenseRows final : public RowBlocks {
public:
  DenseRows(const DenseView<Scalar>& view, const double* shift)
      : RowBlocks(view.n_rows, view.n_cols, shift, static_cast<double>(view.n_cols) * sizeof(Scalar)),
        view_(view) {}

  void scores(RowRange rows, const double* theta, double* scores, Visit visit) const override {
    const char* next = following(rows, visit);
    Index i = rows.begin;
    for (; i + 4 <= rows.end; i += 4)
      if (!next)
        scores_of<4, 0>(i, theta, scores + (i - rows.begin), next);
      else if (visit == Visit::only)
        scores_of<4, lines_per_step>(i, theta, scores + (i - rows.begin), next);
      else
        scores_of<4, lines_per_step / 2>(i, theta, scores + (i - rows.begin), next);
    for (; i < rows.end; ++i)
      scores_of<1, 0>(i, theta, scores + (i - rows.begin), next);
  }

  void add_weighted(RowRange rows, const double* weights, double* sum, Visit visit) const override {
    const char* next = following(rows, visit);
    Index i = rows.begin;
    for (; i + 4 <= rows.end; i += 4)
      if (!next)
        add_weighted_of<4, 0>(i, weights + (i - rows.begin), sum, next);
      else if (visit == Visit::only)
        add_weighted_of<4, lines_per_step>(i, weights + (i - rows.begin), sum, next);
      else
        add_weighted_of<4, lines_per_step / 2>(i, weights + (i - rows.begin), sum, next);
    for (; i < rows.end; ++i)
      add_weighted_of<1, 0>(i, weights + (i - rows.begin), sum, next);
  }

  void copy(RowRange rows, const double* scale, double* out) const override {
    for (Index i = rows.begin; i < rows.end; ++i, out += n_cols_) {
      const double factor = scale ? scale[i - rows.begin] : 1.0;
      const Packet factors = broadcast(factor), zero = broadcast(0.0);
      for_each_column(
          [&](Index k) {
            store(out + k, multiply_add(subtract(load(view_.row(i) + k), load(shift_ + k)), factors, zero));
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
      Packet sums = broadcast(0.0);
      double tail = 0.0;
      for_each_column(
          [&](Index k) {
            const Packet a = subtract(load(view_.row(i) + k), load(shift_ + k));
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
  // Two registers of columns per step, for two independent sums a row; four rows of them are this many cache
  // lines.
  static constexpr int step = 2 * packet_size;
  static constexpr int line_bytes = 64;
  static constexpr int lines_per_step = 4 * step * sizeof(Scalar) >= 2 * line_bytes
                                            ? 4 * step * static_cast<int>(sizeof(Scalar)) / line_bytes
                                            : 2;

  double shifted(Index i, Index k) const { return static_cast<double>(view_.row(i)[k]) - shift_[k]; }

  template <class OnPacket, class OnElement>
  void for_each_column(OnPacket&& on_packet, OnElement&& on_element) const {
    Index k = 0;
    for (; k + packet_size <= n_cols_; k += packet_size)
      on_packet(k);
    for (; k < n_cols_; ++k)
      on_element(k);
  }

  // Where to start asking for the tile after `rows`: its beginning, or its middle when a first visit has
  // asked for the first half. Null where rows do not follow each other in memory, or none follow.
  const char* following(RowRange rows, Visit visit) const {
    if (view_.row_stride != n_cols_ || rows.end >= n_rows_)
      return nullptr;
    const char* begin = reinterpret_cast<const char*>(view_.row(rows.end));
    const Index tile_bytes = rows.size() * n_cols_ * static_cast<Index>(sizeof(Scalar));
    return visit == Visit::second ? begin + tile_bytes / 2 : begin;
  }

  template <int lines>
  static void fetch(const char*& next) {
    for (int line = 0; line < lines; ++line)
      prefetch(next + line * line_bytes);
    next += lines * line_bytes;
  }

  template <int n, int lines>
  void scores_of(Index i, const double* theta, double* scores, const char*& next) const {
    const Scalar* first = view_.row(i);
    const Index stride = view_.row_stride;
    Packet even[n], odd[n];
    double tails[n] = {};
    for (int r = 0; r < n; ++r)
      even[r] = odd[r] = broadcast(0.0);
    Index k = 0;
    for (; k + step <= n_cols_; k += step) {
      const Packet shift0 = load(shift_ + k), shift1 = load(shift_ + k + packet_size);
      const Packet theta0 = load(theta + k), theta1 = load(theta + k + packet_size);
      fetch<lines>(next);
      for (int r = 0; r < n; ++r) {
        const Scalar* at = first + r * stride + k;
        even[r] = multiply_add(subtract(load(at), shift0), theta0, even[r]);
        odd[r] = multiply_add(subtract(load(at + packet_size), shift1), theta1, odd[r]);
      }
    }
    for (; k < n_cols_; ++k)
      for (int r = 0; r < n; ++r)
        tails[r] += (static_cast<double>(first[r * stride + k]) - shift_[k]) * theta[k];
    for (int r = 0; r < n; ++r)
      scores[r] = sum_of(add(even[r], odd[r])) + tails[r];
  }

  template <int n, int lines>
  void add_weighted_of(Index i, const double* weights, double* sum, const char*& next) const {
    const Scalar* first = view_.row(i);
    const Index stride = view_.row_stride;
    Packet weight[n];
    for (int r = 0; r < n; ++r)
      weight[r] = broadcast(weights[r]);
    Index k = 0;
    for (; k + step <= n_cols_; k += step) {
      const Packet shift0 = load(shift_ + k), shift1 = load(shift_ + k + packet_size);
      Packet sum0 = load(sum + k), sum1 = load(sum + k + packet_size);
      fetch<lines>(next);
      for (int r = 0; r < n; ++r) {
        const Scalar* at = first + r * stride + k;
        sum0 = multiply_add(subtract(load(at), shift0), weight[r], sum0);
        sum1 = multiply_add(subtract(load(at + packet_size), shift1), weight[r], sum1);
      }
      store(sum + k, sum0);
      store(sum + k + packet_size, sum1);
    }
    for (; k < n_cols_; ++k)
      for (int r = 0; r < n; ++r)
        sum[k] += weights[r] * (static_cast<double>(first[r * stride + k]) - shift_[k]);
  }

  DenseView<Scalar> view_;
};

} // namespace drr
