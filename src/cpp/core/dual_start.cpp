#include "core/dual_minimiser.hpp"

namespace drr {

DualPoint base_point(DualModel& model) {
  DualPoint point;
  point.theta.setZero(model.n_cols());
  model.evaluate_afresh(point);
  return point;
}

void move_to_start(DualModel& model, DualPoint& point, std::span<const double> floor_residual) {
  // Along θ = −t·m, with m the base mean, f(t) = Λ(−tm) + tδγ has slope δγ − γ² < 0 and curvature Var(aᵀm) at
  // t = 0.
  const double gamma = point.mean.norm();
  Direction ray{-point.mean, {}};
  model.compute_scores(ray);
  const double mean_score = point.weights.dot(ray.scores);
  const double variance = point.weights.dot((ray.scores.array() - mean_score).square().matrix());
  const double slope = gamma * (gamma - model.tolerance());
  const double length = variance > 0 ? slope / variance : 1.0 / (gamma * gamma);

  point.theta = length * ray.step;
  point.scores = length * ray.scores;
  point.norm = length * gamma;
  Direction second = ray;
  if (!floor_residual.empty()) {
    const Eigen::Map<const Eigen::VectorXd> residual(floor_residual.data(), model.n_cols());
    // The same length as θ, so that the two coordinates of the plane are alike.
    if (residual.norm() > 1e-12 * gamma) {
      second.step = -(point.norm / residual.norm()) * residual;
      model.compute_scores(second);
    }
  }
  model.move(point, second, {1, 0});
}

} // namespace drr
