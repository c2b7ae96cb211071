#include "core/inner_solve.hpp"

namespace drr {

HessianFactor::HessianFactor(DualModel& model)
    : model_(model), gram_(model.n_cols(), model.pool()), hessian_(model.n_cols(), model.n_cols()),
      cholesky_(model.pool()) {}

void HessianFactor::compute(const DualPoint& point, const ScaledRows& rows) {
  gram_(rows, hessian_);
  const double c = model_.norm_curvature(point);
  hessian_.diagonal().array() += c;
  hessian_.selfadjointView<Eigen::Lower>().rankUpdate(point.theta, -c / (point.norm * point.norm));
  cholesky_.factorise(hessian_);
}

FullNewton::FullNewton(DualModel& model) : model_(model), factor_(model), root_weights_(model.n_rows()) {}

void FullNewton::solve(const DualPoint& point, double, Direction& direction) {
  root_weights_ = point.weights.cwiseSqrt();
  factor_.compute(point, {model_.centred_rows(), root_weights_.data(), nullptr, model_.n_rows()});
  direction.step = -point.gradient;
  factor_.solve_in_place(direction.step);
  model_.compute_scores(direction);
}

} // namespace drr
