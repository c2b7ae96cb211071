#include "core/dual/dual_certificate.hpp"

#include "core/runtime/constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drr {

namespace {

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

// The share t of x in (1 − t)m + t·x at which its norm falls to δ, given ‖m‖ > δ ≥ ‖x‖; the smaller root of a
// quadratic written so that a t near zero keeps its digits. In units of ‖m‖, which neither squares nor their
// products then overflow.
double share_until_feasible(const Eigen::VectorXd& m, const Eigen::VectorXd& x, double tolerance) {
  const double unit = m.stableNorm(), delta = tolerance / unit;
  const Eigen::VectorXd from = m / unit, across = x / unit - from;
  const double a = across.squaredNorm(), b = from.dot(across), excess = from.squaredNorm() - delta * delta;
  const double root = std::sqrt(std::max(0.0, b * b - a * excess));
  const double t = std::clamp(excess / (-b + root), 0.0, 1.0); // rounding may see no excess at all
  // A double just below one may be too coarse for a δ far below ‖m‖; then x alone is known to be feasible.
  return (from + t * across).norm() <= delta * (1 + 1e-9) ? t : 1.0;
}

// KL(w′‖d) + f(θ) = KL(w′‖w) + θᵀ(Aᵀw′) + δ‖θ‖ for w′ = (1 − t)w + t·v: no large numbers cancel in it.
double mixed_gap(DualModel& model, const DualInput& input, const DualPoint& point) {
  const ConstVector v(input.floor_weights.data(), model.n_rows());
  Eigen::VectorXd x(model.n_cols());
  RowPasses(model.rows(), model.pool()).weighted_sum(v.data(), x.data());
  if (x.stableNorm() > model.tolerance())
    return point.theta.dot(point.gradient);
  const double t = share_until_feasible(point.mean, x, model.tolerance());

  const bool uniform = input.log_base_weights.empty();
  const double log_n = std::log(static_cast<double>(model.n_rows()));
  double divergence = 0, untouched = 1;
  for (Index i = 0; i < model.n_rows(); ++i)
    if (v[i] > 0) {
      const double log_d = uniform ? -log_n : input.log_base_weights[i];
      const double log_weight =
          log_d + point.scores[i] - point.log_partition; // finite where the weight underflows
      const double mixed = (1 - t) * point.weights[i] + t * v[i];
      if (mixed > 0) // zero where the weight underflows and t is zero
        divergence += mixed * (std::log(mixed) - log_weight);
      untouched -= point.weights[i];
    }
  if (t < 1)
    divergence += (1 - t) * std::max(0.0, untouched) * std::log1p(-t);
  const Eigen::VectorXd mean = (1 - t) * point.mean + t * x;
  return divergence + point.theta.dot(mean) + model.tolerance() * point.norm;
}

} // namespace

bool ConvergenceRule::accepts(DualModel& model, const DualPoint& point) const {
  const double gap = std::abs(point.theta.dot(point.gradient));
  return point.gradient.norm() <= gradient_goal &&
         (gap <= 1e-11 ||
          gap <= 64 * epsilon * model.plane_search().extremes(point.scores.data()).largest_absolute);
}

double proof_of_infeasibility(DualModel& model, const DualPoint& point) {
  const auto bound_by = [&](const Eigen::VectorXd& scores) {
    const auto [largest, largest_absolute] = model.plane_search().extremes(scores.data());
    const double bound = -largest / point.norm;
    const double round_off = 64 * epsilon * largest_absolute / point.norm;
    return bound > model.tolerance() + round_off ? bound : unset;
  };
  if (std::isnan(bound_by(point.scores)))
    return unset;
  // Scores that were carried along over many steps, or to which log d was added and taken off again, are good
  // enough to ask, not to prove: near zero the digits of log d are all that is left of them.
  Direction afresh{point.theta, {}};
  model.compute_scores(afresh);
  return bound_by(afresh.scores);
}

DualResult certificate_of(DualModel& model, const DualInput& input, const DualPoint& point) {
  DualResult result;
  const double shift = point.theta.dot(ConstVector(input.target.data(), model.n_cols()));
  result.log_partition = point.log_partition + shift; // Λ of Φ is Λ of A plus θᵀμ
  result.discrepancy = point.mean.stableNorm();
  result.gradient_norm = point.gradient.stableNorm();
  result.kl = std::max(0.0, point.theta.dot(point.mean) - point.log_partition); // Σ wᵢ log(wᵢ/dᵢ)
  result.ess = 1.0 / point.weights.squaredNorm();
  result.gap = result.discrepancy > model.tolerance() && !input.floor_weights.empty()
                   ? mixed_gap(model, input, point)
                   : point.theta.dot(point.gradient);
  return result;
}

} // namespace drr
