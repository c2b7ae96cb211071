// The outer iteration: Newton directions, each followed by the exact minimum of the plane it
// spans with θ.
#pragma once

#include "core/dual/dual_model.hpp"
#include "core/dual/inner_solve.hpp"
#include "drr/dual_judge.hpp"
#include "drr/status.hpp"

namespace drr {

struct Minimisation {
  Status status = Status::iteration_limit;
  int n_iter = 0;
  double floor_lower_bound = unset; // what proves status infeasible
};

// The judge's proof, by scores computed afresh. NaN if there is none.
double proof_of_infeasibility(DualModel& model, const DualPoint& point, const DualSums& sums,
                              const DualJudge& judge);

// From a point with current weights (scores, weights, norm) to the minimum. `judge` has looked at
// no point yet. On return the point is freshly evaluated.
Minimisation minimise(DualModel& model, DualPoint& point, InnerSolve& inner, DualJudge judge, int max_iter);

} // namespace drr
