#pragma once

#include "core/dual/hessian_factor.hpp"
#include "core/dual/inner_solve.hpp"

namespace drr {

// Cholesky of the full Hessian.
class FullNewton final : public InnerSolve {
public:
  explicit FullNewton(DualModel& model);
  std::string_view name() const override { return "newton"; }
  void solve(const DualPoint& point, double gradient_goal, Direction& direction) override;

private:
  DualModel& model_;
  HessianFactor factor_;
  Eigen::VectorXd root_weights_;
};

} // namespace drr
