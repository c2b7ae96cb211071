#pragma once

#include "core/dual/inner_solve.hpp"
#include "core/dual/preconditioner.hpp"

#include <memory>

namespace drr {

// Preconditioned conjugate gradients: one pass over the rows per step, which also yields the scores
// of the direction.
class ConjugateGradients final : public InnerSolve {
public:
  // If the preconditioner proves poor on these rows, the successor, if there is one, takes over.
  ConjugateGradients(DualModel& model, MakePreconditioner preconditioner,
                     MakePreconditioner successor = nullptr);
  std::string_view name() const override { return preconditioner_->name(); }
  void solve(const DualPoint& point, double gradient_goal, Direction& direction) override;

private:
  void prepare(const DualPoint& point);

  DualModel& model_;
  std::unique_ptr<Preconditioner> preconditioner_;
  MakePreconditioner successor_;
  bool is_prepared_ = false;
  double prepared_objective_ = 0, first_gradient_norm_ = 0;
  Eigen::VectorXd residual_, preconditioned_, search_, search_scores_, product_;
};

} // namespace drr
