#include "core/dual/hessian_factor.hpp"

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

} // namespace drr
