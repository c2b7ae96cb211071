// Dense rows in place. The shift is subtracted element by element in registers: subtracting shiftᵀθ from the finished
// product instead would lose the digits that a large common offset of the features occupies.
#pragma once

#include "core/row_blocks.hpp"

#include <Eigen/Core>

#include <cmath>

namespace drr {

template <class Scalar>
class DenseRows final : public RowBlocks {
public:
  DenseRows(const DenseView<Scalar>& view, const double* shift)
      : RowBlocks(view.n_rows, view.n_cols, shift, static_cast<double>(view.n_cols) * sizeof(Scalar)), view_(view) {}

  void scores(RowRange rows, const double* theta, double* scores) const override {
    Index i = rows.begin;
    for (; i + 4 <= rows.end; i += 4)
      scores_of<4>(i, theta, scores + (i - rows.begin));
    for (; i < rows.end; ++i)
      scores_of<1>(i, theta, scores + (i - rows.begin));
  }

  void add_weighted(RowRange rows, const double* weights, double* sum) const override {
    Index i = rows.begin;
    for (; i + 4 <= rows.end; i += 4)
      add_weighted_of<4>(i, weights + (i - rows.begin), sum);
    for (; i < rows.end; ++i)
      add_weighted_of<1>(i, weights + (i - rows.begin), sum);
  }

  void copy(RowRange rows, const double* scale, double* out) const override {
    for (Index i = rows.begin; i < rows.end; ++i, out += n_cols_) {
      const double factor = scale ? scale[i - rows.begin] : 1.0;
      Wide(out, n_cols_) = factor * (row(i).template cast<double>() - ConstWide(shift_, n_cols_));
    }
  }

  void squared_norms(RowRange rows, double* norms) const override {
    for (Index i = rows.begin; i < rows.end; ++i)
      norms[i - rows.begin] = (row(i).template cast<double>() - ConstWide(shift_, n_cols_)).square().sum();
  }

  std::string find_nonfinite() const override {
    for (Index i = 0; i < n_rows_; ++i)
      for (Index k = 0; k < n_cols_; ++k)
        if (!std::isfinite(view_.row(i)[k]))
          return "row " + std::to_string(i) + ", column " + std::to_string(k);
    return {};
  }

private:
  using Wide = Eigen::Map<Eigen::ArrayXd>;
  using ConstWide = Eigen::Map<const Eigen::ArrayXd>;
  // Eight doubles: two AVX2 registers, enough independent sums for four rows to hide the latency of an addition.
  static constexpr int n_lanes = 8;
  using Lanes = Eigen::Array<double, n_lanes, 1>;
  using ConstLanes = Eigen::Map<const Lanes>;
  using ConstScalarLanes = Eigen::Map<const Eigen::Array<Scalar, n_lanes, 1>>;

  auto row(Index i) const {
    return Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(view_.row(i), n_cols_);
  }

  template <int n>
  void scores_of(Index i, const double* theta, double* scores) const {
    const Scalar* first = view_.row(i);
    const Index stride = view_.row_stride;
    Lanes sums[n];
    double tails[n] = {};
    for (auto& sum : sums)
      sum.setZero();
    Index k = 0;
    for (; k + n_lanes <= n_cols_; k += n_lanes) {
      const ConstLanes shift(shift_ + k), direction(theta + k);
      for (int r = 0; r < n; ++r)
        sums[r] += (ConstScalarLanes(first + r * stride + k).template cast<double>() - shift) * direction;
    }
    for (; k < n_cols_; ++k)
      for (int r = 0; r < n; ++r)
        tails[r] += (static_cast<double>(first[r * stride + k]) - shift_[k]) * theta[k];
    for (int r = 0; r < n; ++r)
      scores[r] = sums[r].sum() + tails[r];
  }

  template <int n>
  void add_weighted_of(Index i, const double* weights, double* sum) const {
    const Scalar* first = view_.row(i);
    const Index stride = view_.row_stride;
    Index k = 0;
    for (; k + n_lanes <= n_cols_; k += n_lanes) {
      const ConstLanes shift(shift_ + k);
      Lanes total = ConstLanes(sum + k);
      for (int r = 0; r < n; ++r)
        total += weights[r] * (ConstScalarLanes(first + r * stride + k).template cast<double>() - shift);
      Eigen::Map<Lanes>(sum + k) = total;
    }
    for (; k < n_cols_; ++k)
      for (int r = 0; r < n; ++r)
        sum[k] += weights[r] * (static_cast<double>(first[r * stride + k]) - shift_[k]);
  }

  DenseView<Scalar> view_;
};

} // namespace drr
