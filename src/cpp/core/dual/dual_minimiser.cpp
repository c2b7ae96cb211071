#include "core/dual/dual_minimiser.hpp"

#include <cmath>
#include <limits>

namespace drr {

namespace {

// Iterations without progress before the solve is declared to be at the end of double precision. Near the
// kink of the norm a gradient may take five to halve while the objective's last digits tell nothing.
constexpr int patience = 6;

// Watches for the end of progress: neither the gradient nor the objective falls any more.
class Progress {
public:
  bool stalled(const DualPoint& point) {
    const double gradient = point.gradient.norm();
    const double resolution = 4 * std::numeric_limits<double>::epsilon() *
                              (1 + std::abs(point.log_partition) + std::abs(point.objective));
    ++waited_;
    if (gradient < 0.5 * gradient_then_ || point.objective < objective_ - resolution) {
      waited_ = 0;
      gradient_then_ = gradient;
    }
    if (best_.size() == 0) // there is a point to return even if no gradient is a number
      best_ = point.theta;
    if (gradient < gradient_) {
      gradient_ = gradient;
      best_ = point.theta;
    }
    objective_ = std::min(objective_, point.objective);
    return waited_ >= patience;
  }

  // θ of the smallest gradient: where progress has ended, later points are only shaken by rounding.
  const Eigen::VectorXd& best() const { return best_; }

private:
  Eigen::VectorXd best_;
  double gradient_ = std::numeric_limits<double>::infinity(), objective_ = gradient_;
  double gradient_then_ = gradient_; // when there was progress last
  int waited_ = 0;
};

void report(DualModel& model, const DualPoint& point, int iteration) {
  Iteration figures;
  figures.stage = "dual";
  figures.iteration = iteration;
  figures.passes = model.n_passes();
  figures.value = point.objective;
  figures.gap = point.theta.dot(point.gradient);
  figures.gradient_norm = point.gradient.norm();
  model.pool().report(figures);
}

} // namespace

Minimisation minimise(DualModel& model, DualPoint& point, InnerSolve& inner, const ConvergenceRule& rule,
                      int max_iter) {
  Minimisation end;
  Progress progress;
  Direction direction;
  for (;; ++end.n_iter) {
    // 1. The gradient at the weights that the last plane search left.
    if (!point.is_fresh)
      model.update_gradient(point);
    report(model, point, end.n_iter);

    // 2. A minimum counts only if it still is one when computed from θ alone.
    if (rule.accepts(model, point)) {
      const bool was_fresh = point.is_fresh;
      if (!was_fresh)
        model.evaluate_afresh(point);
      if (was_fresh || rule.accepts(model, point)) {
        end.status = Status::converged;
        return end;
      }
    }

    // 3. Is there a minimum at all?
    const double bound = proof_of_infeasibility(model, point);
    if (!std::isnan(bound)) {
      if (!point.is_fresh)
        model.evaluate_afresh(point);
      end.status = Status::infeasible;
      end.floor_lower_bound = bound;
      return end;
    }

    // 4. Is there any progress left to make, and leave to make it?
    const bool stalled = progress.stalled(point);
    if (stalled || end.n_iter == max_iter) {
      end.status = stalled ? Status::round_off : Status::iteration_limit;
      if (stalled)
        point.theta = progress.best();
      if (stalled || !point.is_fresh)
        model.evaluate_afresh(point);
      return end;
    }

    // 5. A Newton direction, then the best point of the plane.
    inner.solve(point, rule.gradient_goal, direction);
    model.move(point, direction, {1, 1});
  }
}

} // namespace drr
