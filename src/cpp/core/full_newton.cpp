#include "core/inner_solve.hpp"

namespace drr {

PenaltyCurvature norm_curvature(const DualModel& model, const DualPoint& point) {
  const double c = model.norm_curvature(point);
  return {c, c};
}

HessianFactor::HessianFactor(DualModel& model)
    : gram_(model.n_cols(), model.pool()), hessian_(model.n_cols(), model.n_cols()), cholesky_(model.pool()) {
}

void HessianFactor::compute(const DualPoint& point, const ScaledRows& rows, PenaltyCurvature penalty) {
  gram_(rows, hessian_);
  hessian_.diagonal().array() += penalty.isotropic;
  if (const double norm = point.theta.norm(); norm > 0)
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(point.theta / norm, -penalty.along);
  cholesky_.factorise(hessian_);
}

FullNewton::FullNewton(DualModel& model) : model_(model), factor_(model), root_weights_(model.n_rows()) {}

void FullNewton::solve(const DualPoint& point, double, Direction& direction) {
  root_weights_ = point.weights.cwiseSqrt();
  factor_.compute(point, {model_.centred_rows(), root_weights_.data(), nullptr, model_.n_rows()},
                  norm_curvature(model_, point));
  direction.step = -point.gradient;
  factor_.solve_in_place(direction.step);
  model_.compute_scores(direction);
}

} // namespace drr
