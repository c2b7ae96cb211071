// The outer iteration: Newton directions, each followed by the exact minimum of the plane it spans with θ.
#pragma once

#include "core/dual_certificate.hpp"
#include "core/dual_model.hpp"
#include "core/inner_solve.hpp"

namespace drr {

struct Minimisation {
  Status status = Status::iteration_limit;
  int n_iter = 0;
  double floor_lower_bound = std::numeric_limits<double>::quiet_NaN(); // what proves status infeasible
};

// θ = 0: the base weights and their mean. Throws InvalidInput where a feature is not finite.
DualPoint base_point(DualModel& model);

// The minimum of f over the span of the base mean and, where known, of the floor's residual. `point` is the
// base point.
void move_to_start(DualModel& model, DualPoint& point, std::span<const double> floor_residual);

// From a point with current weights (scores, weights, norm) to the minimum. On return the point is freshly
// evaluated.
Minimisation minimise(DualModel& model, DualPoint& point, InnerSolve& inner, const ConvergenceRule& rule,
                      int max_iter);

// The published algorithm, from the base point: the norm smoothed by 1e-10, a ridge of 1e-10, damped Newton
// steps with backtracking, converged at a gradient of 1e-9, or of 1e-6 where the line search stalls or the
// iterations end.
Minimisation minimise_by_paper(DualModel& model, DualPoint& point, int max_iter);

} // namespace drr
