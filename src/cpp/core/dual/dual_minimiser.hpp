// The outer iteration: Newton directions, each followed by the exact minimum of the plane it spans with θ.
#pragma once

#include "core/dual/dual_certificate.hpp"
#include "core/dual/dual_model.hpp"
#include "core/dual/inner_solve.hpp"

namespace drr {

struct Minimisation {
  Status status = Status::iteration_limit;
  int n_iter = 0;
  double floor_lower_bound = unset; // what proves status infeasible
};

// From a point with current weights (scores, weights, norm) to the minimum. On return the point is freshly
// evaluated.
Minimisation minimise(DualModel& model, DualPoint& point, InnerSolve& inner, const ConvergenceRule& rule,
                      int max_iter);

} // namespace drr
