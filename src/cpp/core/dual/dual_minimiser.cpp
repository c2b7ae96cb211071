#include "core/dual/dual_minimiser.hpp"

#include "core/dual/dual_regime.hpp"

#include <cmath>
#include <memory>

namespace drr {

namespace {

void report(DualModel& model, const DualPoint& point, int iteration) {
  Iteration values;
  values.stage = "dual";
  values.iteration = iteration;
  values.passes = model.n_passes();
  values.value = point.objective;
  values.gap = point.theta.dot(point.gradient);
  values.gradient_norm = point.gradient.norm();
  model.pool().report(values);
}

} // namespace

double proof_of_infeasibility(DualModel& model, const DualPoint& point, const DualSums& sums,
                              const DualJudge& judge) {
  if (std::isnan(judge.proof_of_infeasibility(sums)))
    return unset;
  // Scores that were carried along over many steps, or to which log d was added and taken off
  // again, are good enough to ask, not to prove: near zero the digits of log d are all that is
  // left of them.
  Direction afresh{point.theta, {}};
  model.compute_scores(afresh);
  return judge.proof_of_infeasibility(model.sums(point, afresh.scores));
}

Minimisation minimise(DualModel& model, DualPoint& point, InnerSolve& inner, DualJudge judge, int max_iter) {
  Minimisation end;
  Eigen::VectorXd best;
  Direction direction;
  std::unique_ptr<InnerSolve> exact; // takes over after the first stall
  bool was_renewed = false;
  for (;; ++end.n_iter) {
    // 1. The gradient at the weights that the last plane search left.
    if (!point.is_fresh)
      model.update_gradient(point);
    report(model, point, end.n_iter);
    DualSums sums = model.sums(point);

    // 2. A minimum counts only if it still is one when computed from θ alone.
    if (judge.is_minimum(sums)) {
      const bool was_fresh = point.is_fresh;
      if (!was_fresh) {
        model.evaluate_afresh(point);
        sums = model.sums(point);
      }
      if (was_fresh || judge.is_minimum(sums)) {
        end.status = Status::converged;
        return end;
      }
    }

    // 3. Is there a minimum at all?
    const double bound = proof_of_infeasibility(model, point, sums, judge);
    if (!std::isnan(bound)) {
      if (!point.is_fresh)
        model.evaluate_afresh(point);
      end.status = Status::infeasible;
      end.floor_lower_bound = bound;
      return end;
    }

    // 4. Is there any progress left to make, and leave to make it?
    const bool stalled = judge.stalled(sums);
    if (judge.is_best())
      best = point.theta;
    if (stalled && !was_renewed && best.squaredNorm() > 0) { // at zero the norm has no curvature
      // The scores hold the round-off of every step, and conjugate gradients that of theirs. With both
      // computed again the solve may go on.
      was_renewed = true;
      point.theta = best;
      model.evaluate_afresh(point);
      exact = make_exact_inner_solve(model);
      judge.restart();
      continue;
    }
    if (stalled || end.n_iter == max_iter) {
      if (stalled)
        point.theta = best;
      if (stalled || !point.is_fresh)
        model.evaluate_afresh(point);
      end.status = stalled ? judge.status_of_stall(model.sums(point), model.column_scales(point))
                           : Status::iteration_limit;
      return end;
    }

    // 5. A Newton direction, then the best point of the plane.
    (exact ? *exact : inner).solve(point, judge.gradient_goal(), direction);
    model.move(point, direction, {1, 1});
  }
}

} // namespace drr
