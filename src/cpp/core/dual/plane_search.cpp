#include "core/dual/plane_search.hpp"

#include "core/linalg/vectors.hpp"
#include "core/runtime/constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drr {

namespace {

using ConstWide = Eigen::Map<const Eigen::ArrayXd>;
constexpr Index rows_per_tile = 512; // the temporaries of a tile stay in the first-level cache
constexpr Index min_chunk_rows = 8192;
constexpr Index max_vector_chunks = 64;
constexpr int max_newton_steps = 40;
constexpr int max_halvings = 40;
constexpr double decisive_score = 1000; // nats: more than the logarithms of any two base weights are apart

// Below this the two directions are one as far as the curvature can tell. Along their difference a
// step would be as long as rounding makes it, and ‖αθ + βp‖, a sum of squares that then cancel, no
// norm any more.
constexpr double degenerate = 1e-10;

// The Newton step of a 2×2 system brought to a unit diagonal; if the plane is degenerate, that
// along the steeper of the two directions alone.
Eigen::Vector2d newton_step(const PlaneValue& value) {
  const Eigen::Array2d scale = value.hessian.diagonal().array().max(1e-300).sqrt();
  const Eigen::Array2d g = value.gradient.array() / scale;
  const double b = std::clamp(value.hessian(0, 1) / (scale[0] * scale[1]), -1.0, 1.0);
  const double determinant = 1.0 - b * b;
  Eigen::Array2d step(0.0, 0.0);
  const int steeper = std::abs(g[1]) >= std::abs(g[0]) ? 1 : 0;
  if (determinant > degenerate)
    step << -(g[0] - b * g[1]) / determinant, -(g[1] - b * g[0]) / determinant;
  else
    step[steeper] = -g[steeper];
  return (step / scale).matrix();
}

} // namespace

PlaneSearch::PlaneSearch(Index n_rows, std::span<const double> log_base_weights, double tolerance,
                         ThreadPool& pool)
    : n_rows_(n_rows), n_chunks_(std::clamp<Index>(n_rows / min_chunk_rows, 1, max_vector_chunks)),
      log_base_weights_(log_base_weights), tolerance_(tolerance),
      uniform_(log_base_weights.empty() ? std::log(static_cast<double>(n_rows)) : 0.0), pool_(pool),
      partials_(n_chunks_) {}

RowRange PlaneSearch::chunk_rows(Index chunk) const {
  return {chunk * n_rows_ / n_chunks_, (chunk + 1) * n_rows_ / n_chunks_};
}

void PlaneSearch::accumulate(Sums& sums, const Plane& plane, RowRange rows, Eigen::Vector2d at,
                             Eigen::Vector2d centre) const {
  Eigen::Array<double, rows_per_tile, 1> score_buffer, e_buffer;
  for (Index begin = rows.begin; begin < rows.end; begin += rows_per_tile) {
    const Index n = std::min(rows_per_tile, rows.end - begin);
    const ConstWide first(plane.first_scores + begin, n), second(plane.second_scores + begin, n);
    auto scores = score_buffer.head(n);
    auto e = e_buffer.head(n);
    scores = at[0] * first + at[1] * second;
    if (!log_base_weights_.empty())
      scores += ConstWide(log_base_weights_.data() + begin, n);
    const double largest = scores.maxCoeff();
    if (largest == minus_infinity)
      continue;
    if (largest > sums.largest) {
      sums.sums *= std::exp(sums.largest - largest);
      sums.largest = largest;
    }
    exponentials(scores.data(), n, sums.largest, e.data());
    const auto x = first - centre[0], y = second - centre[1];
    sums.sums[0] += e.sum();
    sums.sums[1] += (e * x).sum();
    sums.sums[2] += (e * y).sum();
    sums.sums[3] += (e * x * x).sum();
    sums.sums[4] += (e * x * y).sum();
    sums.sums[5] += (e * y * y).sum();
  }
}

PlaneValue PlaneSearch::evaluate(const Plane& plane, Eigen::Vector2d at, Eigen::Vector2d centre) {
  pool_.run(n_chunks_, Work::exponentials(n_rows_), [&](Index chunk, int) {
    partials_[chunk] = {minus_infinity, Eigen::Array<double, 6, 1>::Zero()};
    accumulate(partials_[chunk], plane, chunk_rows(chunk), at, centre);
  });
  double largest = minus_infinity;
  for (const Sums& partial : partials_)
    largest = std::max(largest, partial.largest);
  Eigen::Array<double, 6, 1> total = Eigen::Array<double, 6, 1>::Zero();
  for (const Sums& partial : partials_)
    if (partial.largest > minus_infinity)
      total += std::exp(partial.largest - largest) * partial.sums;

  PlaneValue value;
  value.at = at;
  value.log_partition = largest + std::log(total[0]) - uniform_;
  total /= total[0];
  const Eigen::Vector2d mean(total[1], total[2]);
  Eigen::Matrix2d covariance;
  covariance << total[3], total[4], total[4], total[5];
  covariance -= mean * mean.transpose();
  value.mean_scores = mean + centre;

  // ‖αθ + βp‖ = √(atᵀ P at), with gradient P at/‖·‖ and Hessian P/‖·‖ − (P at)(P at)ᵀ/‖·‖³.
  const Eigen::Vector2d slope = plane.products * at;
  value.norm = std::sqrt(std::max(0.0, at.dot(slope)));
  value.objective = value.log_partition + tolerance_ * value.norm;
  value.gradient = value.mean_scores;
  value.hessian = covariance;
  if (value.norm > 0) {
    const Eigen::Vector2d unit = slope / value.norm;
    value.gradient += tolerance_ * unit;
    value.hessian += tolerance_ / value.norm * (plane.products - unit * unit.transpose());
  }
  return value;
}

// Gradients smaller than this, in nats, are round-off of the scores they are averages of.
double PlaneSearch::gradient_round_off(const PlaneValue& value) const {
  return 1e-13 + 8 * epsilon * (value.mean_scores.cwiseAbs().maxCoeff() + tolerance_ * value.norm);
}

double PlaneSearch::objective_round_off(const PlaneValue& value) const {
  return 64 * epsilon * (1.0 + std::abs(value.log_partition) + tolerance_ * value.norm);
}

PlaneValue PlaneSearch::minimise(const Plane& plane, Eigen::Vector2d start, Eigen::Vector2d fallback,
                                 Eigen::Vector2d centre) {
  PlaneValue best = evaluate(plane, start, centre);
  Eigen::Array2d unit(1.0, 1.0);
  if (start != fallback) {
    // Near the minimum both objectives are equal to the last digits, and the Newton step is
    // still worth taking.
    const PlaneValue safe = evaluate(plane, fallback, centre);
    if (!(best.objective <= safe.objective + objective_round_off(safe))) {
      best = safe;
      // A direction across which only rows without weight differ has next to no curvature, and is
      // longer than any number of halvings brings back.
      unit[1] = std::min(1.0, decisive_score / extremes(plane.second_scores).largest_absolute);
    }
  }
  for (int iteration = 0; iteration < max_newton_steps; ++iteration) {
    if (best.gradient.cwiseAbs().maxCoeff() <= gradient_round_off(best))
      break;
    // Far out the objective is nearly linear and a Newton step nearly infinite: it grows at most
    // tenfold at a time.
    Eigen::Vector2d step = newton_step(best);
    const Eigen::Array2d longest = 10.0 * (1.0 + (best.at.array() / unit).abs().maxCoeff()) * unit;
    const double excess = (step.array() / longest).abs().maxCoeff();
    if (excess > 1)
      step /= excess;
    double slope = best.gradient.dot(step);
    if (!(slope < 0)) { // all curvature is round-off: straight down, as far as a step may go
      const Eigen::Array2d down = best.gradient.array() * longest;
      step = -(longest * down / down.abs().maxCoeff()).matrix();
      slope = best.gradient.dot(step);
    }

    bool improved = false;
    for (int halving = 0; halving < max_halvings && !improved; ++halving, step *= 0.5) {
      const PlaneValue trial = evaluate(plane, best.at + step, best.mean_scores);
      // If the expected decrease drowns in the round-off of f, the gradient decides.
      const bool drowned = -slope <= objective_round_off(best);
      improved = drowned ? trial.gradient.norm() < 0.5 * best.gradient.norm()
                         : trial.objective <= best.objective + 1e-4 * std::ldexp(slope, -halving);
      if (improved)
        best = trial;
      else if (drowned)
        return best;
    }
    if (!improved)
      break;
  }
  return best;
}

void PlaneSearch::weights(const double* scores, double log_partition, double* weights) {
  pool_.run(n_chunks_, Work::exponentials(n_rows_), [&](Index chunk, int) {
    const RowRange rows = chunk_rows(chunk);
    Eigen::Map<Eigen::ArrayXd> w(weights + rows.begin, rows.size());
    w = ConstWide(scores + rows.begin, rows.size());
    if (!log_base_weights_.empty())
      w += ConstWide(log_base_weights_.data() + rows.begin, rows.size());
    exponentials(w.data(), rows.size(), log_partition + uniform_, w.data());
  });
}

PlaneSearch::Extremes PlaneSearch::extremes(const double* scores) {
  pool_.run(n_chunks_, Work::exponentials(n_rows_), [&](Index chunk, int) {
    double largest = minus_infinity, absolute = 0;
    for (Index i = chunk_rows(chunk).begin; i < chunk_rows(chunk).end; ++i)
      if (log_base_weights_.empty() || log_base_weights_[i] > minus_infinity) {
        largest = std::max(largest, scores[i]);
        absolute = std::max(absolute, std::abs(scores[i]));
      }
    partials_[chunk].sums[0] = largest;
    partials_[chunk].sums[1] = absolute;
  });
  Extremes all{minus_infinity, 0};
  for (const Sums& partial : partials_) {
    all.largest = std::max(all.largest, partial.sums[0]);
    all.largest_absolute = std::max(all.largest_absolute, partial.sums[1]);
  }
  return all;
}

} // namespace drr
