#include "core/dual/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace drr {

namespace {
constexpr int max_steps = 200;
// A preconditioner that needs more steps than this for one direction has not caught the shape
// of the Hessian.
constexpr int too_many_steps = 40;
// A preconditioner made at another point serves until the objective has moved this far, in nats.
constexpr double stale = 0.05;
} // namespace

ConjugateGradients::ConjugateGradients(DualModel& model, MakePreconditioner preconditioner,
                                       MakePreconditioner successor)
    : model_(model), preconditioner_(preconditioner(model)), successor_(successor),
      preconditioned_(model.n_cols()), search_scores_(model.n_rows()), product_(model.n_cols()) {}

void ConjugateGradients::prepare(const DualPoint& point) {
  if (is_prepared_ && prepared_objective_ - point.objective <= stale)
    return;
  preconditioner_->prepare(point);
  prepared_objective_ = point.objective;
  is_prepared_ = true;
}

void ConjugateGradients::solve(const DualPoint& point, double gradient_goal, Direction& direction) {
  prepare(point);
  const double gradient_norm = point.gradient.norm();
  if (first_gradient_norm_ == 0)
    first_gradient_norm_ = gradient_norm;

  // Accuracy that grows as fast as the outer iteration converges keeps it quadratic, and each outer
  // iteration less saves a pass and a new beginning; at first a rough direction will do. Beyond the
  // goal nothing is gained.
  const double forcing = std::min(0.3, gradient_norm / first_gradient_norm_);
  const double enough = std::max(forcing * gradient_norm, 0.3 * gradient_goal);

  direction.step.setZero(model_.n_cols());
  direction.scores.setZero(model_.n_rows());
  residual_ = -point.gradient;
  preconditioner_->apply(residual_, preconditioned_);
  search_ = preconditioned_;
  double slope = residual_.dot(preconditioned_);
  int step = 0;
  for (; step < max_steps && residual_.norm() > enough; ++step) {
    model_.hessian_product(point, search_, search_scores_, product_);
    const double curvature = search_.dot(product_);
    if (!(curvature > 0))
      break;
    const double length = slope / curvature;
    direction.step += length * search_;
    direction.scores += length * search_scores_;
    residual_ -= length * product_;
    preconditioner_->apply(residual_, preconditioned_);
    const double next_slope = residual_.dot(preconditioned_);
    search_ = preconditioned_ + (next_slope / slope) * search_;
    slope = next_slope;
  }
  if (step > too_many_steps && successor_) {
    preconditioner_ = std::exchange(successor_, nullptr)(model_);
    is_prepared_ = false;
  }
  // The scores so far are those of centred rows.
  direction.scores.array() += point.mean.dot(direction.step);
}

} // namespace drr
