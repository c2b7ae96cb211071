#include "drr/dual_judge.hpp"

#include "core/runtime/constants.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace drr {

namespace {

using Vector = Eigen::VectorXd;

// Points without progress before a solve is declared to be at the end of double precision.
// Near the kink of the norm a gradient may take five to halve while the objective's last
// digits tell nothing.
constexpr int patience = 6;

// An aligned copy: the sum in a norm depends on where the numbers lie in memory.
Vector vector_of(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

// What θ, Aᵀw and Λ give together.
struct PointValues {
  Vector gradient;
  double norm, gradient_norm, gap, objective;

  PointValues(const DualSums& sums, double tolerance) {
    const Vector theta = vector_of(sums.theta);
    norm = theta.norm();
    gradient = vector_of(sums.mean) + (norm > 0 ? tolerance / norm : 0.0) * theta;
    gradient_norm = gradient.norm();
    gap = theta.dot(gradient);
    objective = sums.log_partition + tolerance * norm;
  }
};

// A gap of no nats, or one that the rounding of the scores explains.
bool is_closed(const PointValues& values, const DualSums& sums) {
  return std::abs(values.gap) <= std::max(1e-11, 64 * epsilon * sums.largest_absolute);
}

// The share t of x in (1 − t)m + t·x at which its norm falls to δ, given ‖m‖ > δ ≥ ‖x‖; the smaller
// root of a quadratic written so that a t near zero keeps its digits. In units of ‖m‖, so that
// neither squares nor their products overflow.
double share_until_feasible(const Vector& m, const Vector& x, double tolerance) {
  const double unit = m.stableNorm(), delta = tolerance / unit;
  const Vector from = m / unit, across = x / unit - from;
  const double a = across.squaredNorm(), b = from.dot(across);
  const double excess = from.squaredNorm() - delta * delta;
  const double root = std::sqrt(std::max(0.0, b * b - a * excess));
  const double t = std::clamp(excess / (-b + root), 0.0, 1.0); // rounding may see no excess at all
  // A double just below one may be too coarse for a δ far below ‖m‖; then x alone is known
  // to be feasible.
  return (from + t * across).norm() <= delta * (1 + 1e-9) ? t : 1.0;
}

// KL(w′‖d) + f(θ) = KL(w′‖w) + θᵀ(Aᵀw′) + δ‖θ‖ for w′ = (1 − t)w + t·v: no large numbers
// cancel in it.
double mixed_gap(const DualSums& sums, double tolerance, const FloorMixture& floor, double plain_gap) {
  const Vector theta = vector_of(sums.theta), mean = vector_of(sums.mean);
  const Vector x = vector_of(floor.mean);
  if (!(x.stableNorm() <= tolerance))
    return plain_gap;
  const double t = share_until_feasible(mean, x, tolerance);

  double divergence = 0, untouched = 1;
  for (std::size_t k = 0; k < floor.weights.size(); ++k) {
    const double weight = std::exp(floor.log_weights[k]);
    const double mixed = (1 - t) * weight + t * floor.weights[k];
    if (mixed > 0) // zero if the weight underflows and t is zero
      divergence += mixed * (std::log(mixed) - floor.log_weights[k]);
    untouched -= weight;
  }
  if (t < 1)
    divergence += (1 - t) * std::max(0.0, untouched) * std::log1p(-t);
  return divergence + theta.dot((1 - t) * mean + t * x) + tolerance * theta.norm();
}

} // namespace

DualCertificate certify_sums(const DualSums& sums, std::span<const double> target, double tolerance,
                             const FloorMixture* floor) {
  const Vector theta = vector_of(sums.theta), mean = vector_of(sums.mean);
  const double norm = theta.norm();
  const double c = norm > 0 ? tolerance / norm : 0.0;
  const Vector gradient = mean + c * theta;
  DualCertificate certificate;
  // Λ of Φ is Λ of A plus θᵀμ.
  certificate.log_partition = sums.log_partition + theta.dot(vector_of(target));
  certificate.discrepancy = mean.stableNorm();
  certificate.gradient_norm = gradient.stableNorm();
  certificate.kl = std::max(0.0, theta.dot(mean) - sums.log_partition); // Σ wᵢ log(wᵢ/dᵢ)
  certificate.ess = 1.0 / sums.square_sum;
  certificate.gap = theta.dot(gradient);
  if (floor && certificate.discrepancy > tolerance)
    certificate.gap = mixed_gap(sums, tolerance, *floor, certificate.gap);
  return certificate;
}

DualJudge::DualJudge(double tolerance, double base_discrepancy)
    : tolerance_(tolerance), base_discrepancy_(base_discrepancy),
      gradient_goal_(1e-9 * (tolerance > 0 ? tolerance : base_discrepancy)) {}

DualJudge DualJudge::content_with(double factor) const {
  DualJudge other = *this;
  other.gradient_goal_ *= factor;
  return other;
}

bool DualJudge::is_minimum(const DualSums& sums) const {
  const PointValues values(sums, tolerance_);
  return values.norm > 0 && values.gradient_norm <= gradient_goal_ && is_closed(values, sums);
}

double DualJudge::proof_of_infeasibility(const DualSums& sums) const {
  const double norm = vector_of(sums.theta).norm();
  const double bound = -sums.largest_score / norm;
  const double round_off = 64 * epsilon * sums.largest_absolute / norm;
  return bound > tolerance_ + round_off ? bound : unset;
}

bool DualJudge::stalled(const DualSums& sums) {
  const PointValues values(sums, tolerance_);
  const double resolution = 4 * epsilon * (1 + std::abs(sums.log_partition) + std::abs(values.objective));
  ++waited_;
  if (values.gradient_norm < 0.5 * gradient_then_ || values.objective < smallest_objective_ - resolution) {
    waited_ = 0;
    gradient_then_ = values.gradient_norm;
  }
  // The first point is the best so far even if its gradient is not a number.
  is_best_ = !has_looked_ || values.gradient_norm < smallest_gradient_;
  has_looked_ = true;
  smallest_gradient_ = std::min(smallest_gradient_, values.gradient_norm);
  smallest_objective_ = std::min(smallest_objective_, values.objective);
  return waited_ >= patience;
}

Status DualJudge::status_of_stall(const DualSums& sums, std::span<const double> scales) const {
  // By this share of the tolerance the weights may miss it, if rounding allows no better.
  constexpr double share_of_tolerance = 1e-3;
  const PointValues values(sums, tolerance_);
  const double round_off = 16 * epsilon * std::max(1.0, sums.largest_absolute);
  const bool is_feasible = tolerance_ == 0 || values.gradient_norm <= share_of_tolerance * tolerance_;
  bool is_exact = is_closed(values, sums) && is_feasible;
  for (std::size_t k = 0; k < scales.size(); ++k)
    is_exact = is_exact && std::abs(values.gradient[k]) <= round_off * scales[k];
  if (values.norm == 0)
    return is_exact || base_discrepancy_ - tolerance_ <= gradient_goal_ ? Status::zero_dual
                                                                        : Status::round_off;
  return is_exact || is_minimum(sums) ? Status::converged : Status::round_off;
}

} // namespace drr
