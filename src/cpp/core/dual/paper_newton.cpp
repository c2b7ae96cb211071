#include "core/dual/paper_newton.hpp"

#include "core/dual/hessian_factor.hpp"

#include <cmath>

namespace drr {

namespace {

// The published constants. They are absolute: features of unusual scale are for the other method.
constexpr double smoothing = 1e-10; // ε in δ√(‖θ‖² + ε²)
constexpr double ridge = 1e-10;
constexpr double gradient_goal = 1e-9, fallback_goal = 1e-6;
// Where the paper is silent: sufficient decrease of Armijo, halving, and the step at which a line
// search has stalled.
constexpr double sufficient_decrease = 1e-4;
constexpr double min_step = 1e-10;

double smoothed(double squared_norm) {
  return std::sqrt(squared_norm + smoothing * smoothing);
}

} // namespace

Minimisation minimise_by_paper(DualModel& model, DualPoint& point, int max_iter) {
  const double delta = model.tolerance();
  HessianFactor factor(model);
  Eigen::VectorXd root_weights, gradient;
  Direction direction;
  Minimisation end;
  for (;; ++end.n_iter) {
    // 1. Gradient of the smoothed objective.
    const double r = smoothed(point.theta.squaredNorm());
    gradient = point.mean + (delta / r) * point.theta;
    const double gradient_norm = gradient.norm();
    Iteration values;
    values.stage = "dual";
    values.iteration = end.n_iter;
    values.passes = model.n_passes();
    values.value = point.log_partition + delta * r;
    values.gradient_norm = gradient_norm;
    model.pool().report(values);
    if (gradient_norm <= gradient_goal || end.n_iter == max_iter) {
      end.status = gradient_norm <= fallback_goal ? Status::converged : Status::iteration_limit;
      break;
    }

    // 2. Newton direction from the weighted covariance, the curvature of the smoothed norm
    // and a ridge.
    root_weights = point.weights.cwiseSqrt();
    factor.compute(point, {model.centred_rows(), root_weights.data(), nullptr, model.n_rows()},
                   {delta / r + ridge, delta / r * (point.theta.squaredNorm() / (r * r))});
    direction.step = -gradient;
    factor.solve_in_place(direction.step);
    model.compute_scores(direction);

    // 3. Backtracking on the objective, by the scores of the line.
    const double slope = gradient.dot(direction.step), before = point.log_partition + delta * r;
    const Plane line{point.scores.data(), direction.scores.data(), Eigen::Matrix2d::Zero()};
    double step = 1;
    for (; step >= min_step; step *= 0.5) {
      const double log_partition = model.plane_search().evaluate(line, {1, step}, {0, 0}).log_partition;
      const double after =
          log_partition + delta * smoothed((point.theta + step * direction.step).squaredNorm());
      if (after <= before + sufficient_decrease * step * slope)
        break;
    }
    if (step < min_step) {
      end.status = gradient_norm <= fallback_goal ? Status::converged : Status::round_off;
      break;
    }
    point.theta += step * direction.step;
    model.evaluate_afresh(point);
  }
  return end;
}

} // namespace drr
