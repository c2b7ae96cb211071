// The Hessian of the dual's objective, factorised.
#pragma once

#include "core/dual/dual_model.hpp"
#include "core/linalg/cholesky.hpp"
#include "core/linalg/weighted_gram.hpp"

namespace drr {

// The Hessian αI − β·uuᵀ of the penalty, u = θ/‖θ‖, plus whatever ridge is part of α.
struct PenaltyCurvature {
  double isotropic, along;
};
// Of δ‖θ‖: δ/‖θ‖·(I − uuᵀ)
PenaltyCurvature norm_curvature(const DualModel& model, const DualPoint& point);

// The matrix Σ sᵢ²(aᵢ − m)(aᵢ − m)ᵀ plus the curvature of the penalty, factorised: exact with sᵢ =
// √wᵢ over all rows, a preconditioner with a sample of them.
class HessianFactor {
public:
  explicit HessianFactor(DualModel& model);
  void compute(const DualPoint& point, const ScaledRows& rows, PenaltyCurvature penalty);
  void solve_in_place(Eigen::VectorXd& x) const { cholesky_.solve_in_place(x); }

private:
  WeightedGram gram_;
  Eigen::MatrixXd hessian_;
  ScaledCholesky cholesky_;
};

} // namespace drr
