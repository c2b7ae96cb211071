#include "core/dual_minimiser.hpp"

namespace drr {

namespace {

// Base weights over many orders of magnitude hide the rows that matter from the curvature at zero, and its
// step ends far beyond the minimum, where f has no curvature to come back by. f(0) = 0, so a start above that
// by more than a nat is none.
double shortened_to_descent(DualModel& model, const Direction& ray, double length) {
  const Plane line{ray.scores.data(), ray.scores.data(), Eigen::Matrix2d::Ones()}; // ‖ray.step‖ = 1
  for (int attempt = 0; attempt < 300; ++attempt, length /= 16)
    if (model.plane_search().evaluate(line, {length, 0}, {0, 0}).objective <= 1)
      break;
  return length;
}

} // namespace

DualPoint base_point(DualModel& model) {
  DualPoint point;
  point.theta.setZero(model.n_cols());
  model.evaluate_afresh(point);
  return point;
}

void move_to_start(DualModel& model, DualPoint& point, std::span<const double> floor_residual) {
  // Along θ = −t·u, with u = m/γ the direction of the base mean, f(t) = Λ(−tu) + tδ has slope δ − γ < 0 and
  // curvature Var(aᵀu) at t = 0. A unit vector: no more than squares of features, so none overflows early.
  const double gamma = point.mean.norm();
  Direction ray{-point.mean / gamma, {}};
  model.compute_scores(ray);
  const double mean_score = point.weights.dot(ray.scores);
  const double variance = point.weights.dot((ray.scores.array() - mean_score).square().matrix());
  double length = variance > 0 ? (gamma - model.tolerance()) / variance : 1.0 / gamma;
  length = shortened_to_descent(model, ray, length);

  point.theta = length * ray.step;
  point.scores = length * ray.scores;
  point.norm = point.theta.norm();
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
