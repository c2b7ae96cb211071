// The inner solve of an outer Newton iteration: a direction p with ∇²f p ≈ −g, and its scores.
#pragma once

#include "core/cholesky.hpp"
#include "core/dual_model.hpp"
#include "core/weighted_gram.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace drr {

class InnerSolve {
public:
  virtual ~InnerSolve() = default;
  virtual std::string_view name() const = 0;
  // `gradient_goal` is the norm at which the outer iteration will be content: nothing need be solved beyond
  // it.
  virtual void solve(const DualPoint& point, double gradient_goal, Direction& direction) = 0;
};

// The Hessian αI − β·uuᵀ of the penalty, u = θ/‖θ‖, plus whatever ridge is part of α.
struct PenaltyCurvature {
  double isotropic, along;
};
// Of δ‖θ‖: δ/‖θ‖·(I − uuᵀ)
PenaltyCurvature norm_curvature(const DualModel& model, const DualPoint& point);

// The matrix Σ sᵢ²(aᵢ − m)(aᵢ − m)ᵀ plus the curvature of the penalty, factorised: exact with sᵢ = √wᵢ over
// all rows, a preconditioner with a sample of them.
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

// An approximation of ∇²f that is cheap to invert.
class Preconditioner {
public:
  virtual ~Preconditioner() = default;
  virtual std::string_view name() const = 0;
  virtual void prepare(const DualPoint& point) = 0;
  // z = P⁻¹ r
  virtual void apply(const Eigen::VectorXd& r, Eigen::VectorXd& z) const = 0;
};

std::unique_ptr<Preconditioner> make_sampled_preconditioner(DualModel& model);
std::unique_ptr<Preconditioner> make_woodbury_preconditioner(DualModel& model);

using MakePreconditioner = std::unique_ptr<Preconditioner> (*)(DualModel&);

// Preconditioned conjugate gradients: one pass over the rows per step, which also yields the scores of the
// direction.
class ConjugateGradients final : public InnerSolve {
public:
  // Where the preconditioner proves poor on these rows, the successor, if there is one, takes over.
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
