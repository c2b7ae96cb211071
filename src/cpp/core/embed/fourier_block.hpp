// cos(zᵀW + b) for a tile of standardised rows.
//
// A matrix product of its own instead of Eigen's: there, the order in which a row's products are
// added depends on the row's place in the tile, here it never does. W is packed once into panels
// two packets wide.
#pragma once

#include "drr/views.hpp"

#include <Eigen/Core>
#include <span>

namespace drr {

class FourierBlock {
public:
  static constexpr Index rows_per_group =
      6; // six rows times two packets: twelve sums hide the latency of an FMA

  // `weights` is n_inputs × phases.size(), row-major.
  FourierBlock(std::span<const double> weights, std::span<const double> phases, Index n_inputs);

  Index n_waves() const { return n_waves_; }
  // The row stride of `out`: n_waves rounded up to whole panels, so that every row is aligned.
  Index stride() const { return stride_; }

  // out = cos(z W + b) for `n_rows` rows, a multiple of rows_per_group. Beyond n_waves a row of
  // `out` holds ones.
  void operator()(const double* z, Index z_stride, Index n_rows, double* out) const;

private:
  void project(const double* z, Index z_stride, Index n_rows, double* out) const;

  Index n_inputs_, n_waves_, stride_;
  Eigen::VectorXd panels_; // panel by panel, n_inputs rows of one panel's width each; zero beyond n_waves
  Eigen::VectorXd phases_; // length stride, zero beyond n_waves
};

} // namespace drr
