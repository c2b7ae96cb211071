#include "core/dual/full_newton.hpp"

namespace drr {

namespace {
// Along a column that the rows with weight have in common, all curvature is rounding, and a Newton
// step may be longer than its square can hold. Only the plane that it spans with θ matters.
constexpr double longest_step = 1e150;
} // namespace

FullNewton::FullNewton(DualModel& model) : model_(model), factor_(model), root_weights_(model.n_rows()) {}

void FullNewton::solve(const DualPoint& point, double, Direction& direction) {
  root_weights_ = point.weights.cwiseSqrt();
  factor_.compute(point, {model_.centred_rows(), root_weights_.data(), nullptr, model_.n_rows()},
                  norm_curvature(model_, point));
  direction.step = -point.gradient;
  factor_.solve_in_place(direction.step);
  if (const double length = direction.step.stableNorm(); length > longest_step)
    direction.step *= longest_step / length;
  model_.compute_scores(direction);
}

} // namespace drr
