#include "core/dual/dual_start.hpp"

#include "drr/errors.hpp"

#include <cmath>

namespace drr {

namespace {

// The curvature at zero may not see the rows that matter, above all under base weights of many
// orders of magnitude, and its step may end beyond the minimum: far out, where f has no
// curvature to come back by, or only a little above f(0) = 0, from where a search downhill ends
// at the kink of the norm at zero. A start is therefore below f(0), unless all there is to gain
// drowns in rounding.
double shortened_to_descent(DualModel& model, const Direction& ray, double length, double slope) {
  constexpr double drowned = 1e-12;                                                // nats
  const Plane line{ray.scores.data(), ray.scores.data(), Eigen::Matrix2d::Ones()}; // ‖ray.step‖ = 1
  while (length * slope > drowned &&
         !(model.plane_search().evaluate(line, {length, 0}, {0, 0}).objective < 0))
    length /= 4;
  return length;
}

} // namespace

DualPoint base_point(DualModel& model) {
  DualPoint point;
  point.theta.setZero(model.n_cols());
  model.evaluate_afresh(point);
  return point;
}

void move_to_start(DualModel& model, DualPoint& point, std::span<const double> start_direction) {
  // Along θ = −t·u, with u = m/γ the direction of the base mean, f(t) = Λ(−tu) + tδ has slope δ −
  // γ < 0 and curvature Var(aᵀu) at t = 0. A unit vector: no more than squares of features, so
  // none overflows early.
  const double gamma = point.mean.norm();
  Direction ray{-point.mean / gamma, {}};
  model.compute_scores(ray);
  const double mean_score = point.weights.dot(ray.scores);
  const double variance = point.weights.dot((ray.scores.array() - mean_score).square().matrix());
  if (!std::isfinite(variance))
    throw InvalidInput("the squared norms of features - target overflow; rescale the features");
  const double slope = gamma - model.tolerance(), newton = slope / variance;
  const double length = shortened_to_descent(model, ray, std::isfinite(newton) ? newton : 1.0 / gamma, slope);

  point.theta = length * ray.step;
  point.scores = length * ray.scores;
  point.norm = point.theta.norm();
  Direction second{point.theta, point.scores};
  if (!start_direction.empty()) {
    // An aligned copy: the sum in a norm depends on where the numbers lie in memory.
    const Eigen::VectorXd towards = Eigen::Map<const Eigen::VectorXd>(start_direction.data(), model.n_cols());
    // The same length as θ, so that the two coordinates of the plane are alike.
    if (const double length = towards.stableNorm(); length > 1e-12 * gamma && std::isfinite(length)) {
      second.step = (point.norm / length) * towards;
      model.compute_scores(second);
    }
  }
  model.move(point, second, {1, 0});
}

} // namespace drr
