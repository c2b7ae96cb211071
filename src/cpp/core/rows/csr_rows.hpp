// Sparse rows in place: gather for scores, scatter for sums. The shift is dense, so it enters once
// per range as a product of its own instead of filling the zeros.
#pragma once

#include "core/linalg/vectors.hpp"
#include "core/rows/row_blocks.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace drr {

template <class Scalar, class Ordinal>
class CsrRows final : public RowBlocks {
public:
  CsrRows(const CsrView<Scalar, Ordinal>& view, const double* shift)
      : RowBlocks(view.n_rows, view.n_cols, shift, bytes_per_row(view)), view_(view),
        squared_shift_(dot_of(shift, shift, view.n_cols)) {}

  Index n_numbers() const override { return view_.n_stored; }
  bool is_sparse() const override { return true; }

  void scores(RowRange rows, const double* theta, double* scores, CacheUse) const override {
    const double offset = dot_of(shift_, theta, n_cols_);
    for (Index i = rows.begin; i < rows.end; ++i)
      scores[i - rows.begin] = product(i, theta) - offset;
  }

  void add_weighted(RowRange rows, const double* weights, double* sum, CacheUse) const override {
    double total = 0;
    for (Index i = rows.begin; i < rows.end; ++i) {
      const double weight = weights[i - rows.begin];
      total += weight;
      for_each_entry(i, [&](Index k, double value) { sum[k] += weight * value; });
    }
    Eigen::Map<Eigen::VectorXd>(sum, n_cols_) -= total * Vector(shift_, n_cols_);
  }

  void copy(RowRange rows, const double* scale, double* out) const override {
    for (Index i = rows.begin; i < rows.end; ++i, out += n_cols_) {
      const double factor = scale ? scale[i - rows.begin] : 1.0;
      Eigen::Map<Eigen::VectorXd>(out, n_cols_) = -factor * Vector(shift_, n_cols_);
      for_each_entry(i, [&](Index k, double value) { out[k] += factor * value; });
    }
  }

  void copy_columns(RowRange rows, RowRange columns, double* out) const override {
    for (Index i = rows.begin; i < rows.end; ++i, out += columns.size()) {
      for (Index k = columns.begin; k < columns.end; ++k)
        out[k - columns.begin] = -shift_[k];
      for_each_entry(i, [&](Index k, double value) {
        if (k >= columns.begin && k < columns.end)
          out[k - columns.begin] += value;
      });
    }
  }

  void squared_norms(RowRange rows, double* norms) const override {
    // ‖φ − s‖² = ‖s‖² + Σ over stored entries of φ(φ − 2s); entries of a row are unique, as
    // the caller guarantees.
    for (Index i = rows.begin; i < rows.end; ++i) {
      double norm = squared_shift_;
      for_each_entry(i, [&](Index k, double value) { norm += value * (value - 2 * shift_[k]); });
      norms[i - rows.begin] = std::max(norm, 0.0); // in this order NaN stays NaN
    }
  }

  std::string find_nonfinite() const override {
    std::string position;
    for (Index i = 0; i < n_rows_ && position.empty(); ++i)
      for_each_entry(i, [&](Index k, double value) {
        if (!std::isfinite(value) && position.empty())
          position = "row " + std::to_string(i) + ", column " + std::to_string(k);
      });
    return position;
  }

private:
  using Vector = Eigen::Map<const Eigen::VectorXd>;

  // A range also costs one sweep over the dense shift, so a tile holds at least as many entries as
  // the shift has.
  static double bytes_per_row(const CsrView<Scalar, Ordinal>& view) {
    const double entries =
        static_cast<double>(view.n_stored) / static_cast<double>(std::max<Index>(1, view.n_rows));
    return std::min(entries * (sizeof(Scalar) + sizeof(Ordinal)), 64.0);
  }

  template <class Function>
  void for_each_entry(Index i, Function&& function) const {
    for (Index at = view_.offsets[i]; at < view_.offsets[i + 1]; ++at)
      function(static_cast<Index>(view_.columns[at]), static_cast<double>(view_.values[at]));
  }

  double product(Index i, const double* theta) const {
    double sum = 0;
    for_each_entry(i, [&](Index k, double value) { sum += value * theta[k]; });
    return sum;
  }

  CsrView<Scalar, Ordinal> view_;
  double squared_shift_;
};

} // namespace drr
