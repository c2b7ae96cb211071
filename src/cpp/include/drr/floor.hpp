// The feasibility floor: how near the weighted mean of the rows can come to the target.
//
//   φ = min over w in the simplex of ‖Aᵀw‖,   aᵢ = φᵢ − target,   γ = ‖Aᵀd‖
//
// For any w, x = Aᵀw certifies  max(0, minᵢ aᵢᵀx / ‖x‖) ≤ φ ≤ ‖x‖  over the rows with dᵢ > 0. Rows
// with dᵢ = 0 are absent: the tilt can never reach them, so neither bound may use them.
#pragma once

#include "drr/execution.hpp"
#include "drr/status.hpp"
#include "drr/views.hpp"

#include <span>
#include <vector>

namespace drr {

struct FloorInput {
  FeatureView features;
  std::span<const double> target; // length K
  std::span<const double>
      base_weights; // d: length n0, summing to one (0: the row is absent), or empty for uniform
};

enum class FloorMethod {
  min_norm_point,       // Wolfe's method over a working set of rows: exact, a handful of passes
  pairwise_frank_wolfe, // the published algorithm with its constants: one pass per step
};

struct FloorOptions {
  FloorMethod method = FloorMethod::min_norm_point;
  Index max_iter = 0; // 0: 1000 pricing passes for min_norm_point, 20 000 steps for pairwise_frank_wolfe
};

struct Floor {
  double value = unset;                // ‖Aᵀw‖, an upper bound of φ
  double lower_bound = unset;          // of φ
  double base_discrepancy = unset;     // γ
  std::vector<double> base_mean;       // Φᵀd, length K
  std::vector<double> residual;        // Aᵀw, length K
  std::vector<Index> support;          // the rows with positive weight, ascending
  std::vector<double> support_weights; // theirs, summing to one
  Index n_iter = 0;
  Index n_passes = 0; // over the rows, all counted
  Status status = Status::iteration_limit;
};

// Converged means, for min_norm_point, value − lower_bound ≤ 1e-10·value or value ≤ 1e-10·γ (the
// target is inside the hull); for pairwise_frank_wolfe the published rule ‖x‖² − minᵢ aᵢᵀx ≤
// max(1e-8·‖x‖², 1e-12). Both bounds are recomputed from the returned weights in a last pass.
// Throws InvalidInput if a feature is not finite or no row has positive weight.
Floor find_floor(const FloorInput& input, const FloorOptions& options, const Execution& execution);

} // namespace drr
