#include "core/floor/min_norm_point.hpp"

#include "core/floor/nonnegative_least_squares.hpp"
#include "core/linalg/ordering.hpp"
#include "core/runtime/constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace drr {

namespace {
constexpr double gram_rounding = 64 * epsilon;   // of a score, relative to the largest squared norm
constexpr double weight_rounding = 64 * epsilon; // of x, relative to the largest norm
constexpr double dependence = 64 * epsilon;      // of a distance to an affine hull, relative to ‖b‖
constexpr Index max_idle_rounds = 10;
// Of a row to the span of the others, in units of the rows. Maps of several columns end with 0.01 to 0.2; a map
// of one column, whose rows are a smooth curve, passes through this on its way to 1e-14.
constexpr double near_dependence = 1e-6;
} // namespace

void MinNormPoint::start(Index slot) {
  const Index n = set_.size();
  weights_.setZero(n);
  weights_[slot] = 1;
  position_.assign(n, -1);
  refused_.assign(n, 0);
  corral_.clear();
  factor_.clear();
  precision_ = Precision::gram;
  enter({&slot, 1});
  update_gradient();
}

void MinNormPoint::improve(double tolerance, double negligible, bool yields) {
  admit_new_slots();
  if (gram_is_precise())
    descend(Precision::gram, tolerance, negligible, yields);
  descend(Precision::rows, tolerance, negligible, yields);
}

void MinNormPoint::improve_by_least_squares(double tolerance) {
  admit_new_slots();
  if (!weights_.allFinite()) // the fast method broke down on dependent rows: begin without weights
    weights_.setZero();
  nonnegative_least_squares(set_, tolerance, pool_, weights_, x_);
  Eigen::VectorXd achieved;
  set_.combine(weights_, achieved);
  achieved_norm_ = achieved.norm();
  squared_norm_ = x_.squaredNorm();
  set_.scores(x_, scores_);
  corral_.clear();
  for (Index slot = 0; slot < set_.size(); ++slot) {
    position_[slot] = weights_[slot] > 0 ? std::ssize(corral_) : -1;
    if (weights_[slot] > 0)
      corral_.push_back(slot);
  }
}

void MinNormPoint::resume() {
  precision_ = Precision::rows;
  rebuild_factor();
}

bool MinNormPoint::is_nearly_dependent() const {
  return factor_.smallest_distance() < near_dependence;
}

void MinNormPoint::descend(Precision precision, double tolerance, double negligible, bool yields) {
  precision_ = precision;
  update_gradient();
  if (precision_ == Precision::rows && factor_is_coarse_ && !gram_is_precise())
    rebuild_factor();
  std::fill(refused_.begin(), refused_.end(), 0);
  bool one_at_a_time = false;
  Index n_idle = 0; // rounds in a row that did not shorten x
  for (Index round = 0; round < 3 * set_.size() + 100; ++round) {
    pool_.poll();
    // 1. Which rows would shorten x?
    const double slack = resolution(tolerance), before = squared_norm_;
    auto violators = find_violators(slack);
    if ((violators.empty() && spread() <= slack) || achieved_norm_ <= negligible)
      return;
    if (yields && precision_ == Precision::rows && is_nearly_dependent())
      return;

    // 2. The worst of them enter the corral, many at a time while that works. If none can, there is
    // still the minimiser over the corral's own affine hull to reach.
    if (one_at_a_time && !violators.empty())
      violators.erase(violators.begin() + 1, violators.end());
    const bool entered = precision_ == Precision::gram ? enter(violators) : enter_refined(violators);
    if (!entered && spread() <= slack)
      return;

    // 3. Minimise over the affine hull; rows whose weight would turn negative leave.
    minor_cycles();
    if (squared_norm_ < before) {
      n_idle = 0;
      one_at_a_time = false;
      std::fill(refused_.begin(), refused_.end(), 0);
      continue;
    }

    // 4. No progress: try row by row, leave the Gram matrix, renew the factor, until nothing is
    // left to try.
    if (++n_idle > max_idle_rounds)
      return;
    if (!one_at_a_time) {
      one_at_a_time = true;
    } else if (precision_ == Precision::gram) {
      return;
    } else if (factor_is_coarse_) {
      rebuild_factor();
    } else if (!violators.empty()) {
      refused_[violators.front()] = 1;
    }
  }
}

void MinNormPoint::admit_new_slots() {
  const Index n = set_.size(), known = weights_.size();
  weights_.conservativeResize(n);
  weights_.tail(n - known).setZero();
  position_.resize(n, -1);
  refused_.assign(n, 0);
}

// Scores through the Gram matrix carry errors of epsilon·‖a‖²; they must be small beside ‖x‖².
bool MinNormPoint::gram_is_precise() const {
  return squared_norm_ > 1e4 * gram_rounding * largest_square();
}

// How unequal the scores of the corral are; zero at the minimiser over its affine hull.
double MinNormPoint::spread() const {
  double spread = 0;
  for (Index slot : corral_)
    spread = std::max(spread, std::abs(scores_[slot] - squared_norm_));
  return spread;
}

void MinNormPoint::update_gradient() {
  if (precision_ == Precision::rows) {
    weights_ /= weights_.sum();
    set_.combine(weights_, x_);
    set_.scores(x_, scores_);
    squared_norm_ = x_.squaredNorm();
    achieved_norm_ = std::sqrt(squared_norm_);
    remove_rounding();
    return;
  }
  scores_.setZero(set_.size());
  for (Index slot : corral_)
    scores_ += weights_[slot] * set_.gram().col(slot);
  squared_norm_ = 0;
  for (Index slot : corral_)
    squared_norm_ += weights_[slot] * scores_[slot];
  achieved_norm_ = std::sqrt(std::max(0.0, squared_norm_));
}

// Rounded weights move x = Aᵀw by epsilon·‖a‖, along the corral's affine hull for the most part,
// and every score by epsilon·‖a‖². At the minimiser over that hull x is orthogonal to it: a last
// correction Δ of the order of epsilon, applied to x but too small for w to hold, restores that.
// Any vector gives a valid lower bound, this one the better bound.
void MinNormPoint::remove_rounding() {
  const double rounding = weight_rounding * std::sqrt(largest_square());
  for (int round = 0; round < 2; ++round) {
    find_direction();
    find_motion();
    if (!(motion_.norm() <= std::min(rounding, 0.5 * achieved_norm_)))
      return;
    x_ += motion_;
    set_.scores(x_, scores_);
    squared_norm_ = x_.squaredNorm();
  }
}

double MinNormPoint::largest_square() const {
  return set_.gram().diagonal().maxCoeff();
}

// The smallest violation that counts: what is asked for, but not below the rounding of the scores.
double MinNormPoint::resolution(double tolerance) const {
  const double rounding = precision_ == Precision::gram
                              ? gram_rounding * largest_square()
                              : epsilon * std::sqrt(largest_square() * squared_norm_);
  return std::max(tolerance * squared_norm_, rounding);
}

std::vector<Index> MinNormPoint::find_violators(double slack) const {
  std::vector<Index> violators;
  for (Index slot = 0; slot < set_.size(); ++slot)
    if (position_[slot] < 0 && !refused_[slot] && squared_norm_ - scores_[slot] > slack)
      violators.push_back(slot);
  std::sort(violators.begin(), violators.end(),
            [&](Index a, Index b) { return comes_before(scores_[a], scores_[b], set_.id(a) < set_.id(b)); });
  return violators;
}

// Through the Gram matrix, a batch at once. False if none is clearly outside the affine hull
// of the others.
bool MinNormPoint::enter(std::span<const Index> violators) {
  const Index s = factor_.size(), t = std::min<Index>(std::ssize(violators), std::max<Index>(16, s / 2));
  const auto gram = set_.gram();
  Eigen::MatrixXd cross(s, t), square(t, t);
  for (Index j = 0; j < t; ++j) {
    for (Index i = 0; i < s; ++i)
      cross(i, j) = 1 + gram(corral_[i], violators[j]);
    for (Index i = 0; i < t; ++i)
      square(i, j) = 1 + gram(violators[i], violators[j]);
  }
  for (Index j : factor_.append(cross, square)) {
    position_[violators[j]] = static_cast<Index>(corral_.size());
    corral_.push_back(violators[j]);
  }
  factor_is_coarse_ = true;
  return factor_.size() > s;
}

// Through the rows themselves, a few in turn. False if all lie in the affine hull
// to working precision.
bool MinNormPoint::enter_refined(std::span<const Index> violators) {
  constexpr Index most = 8;
  const Index s = factor_.size();
  for (Index slot : violators) {
    if (factor_.size() == s + most)
      break;
    if (!enter_refined(slot))
      refused_[slot] = 1;
  }
  return factor_.size() > s;
}

// The distance of b = (1, a) to the span of the corral, by orthogonalising until it
// no longer shrinks.
bool MinNormPoint::enter_refined(Index slot) {
  const Index s = factor_.size();
  if (s > set_.n_cols())
    return false;
  Eigen::VectorXd residual = set_.row(slot), coefficients = Eigen::VectorXd::Zero(s);
  Eigen::VectorXd solution(s), products, spread(set_.size()), projection;
  double first = 1; // the leading coordinate of the residual
  const double norm = std::sqrt(1 + residual.squaredNorm());
  double distance = norm;
  for (int round = 0; round < 4; ++round) {
    set_.scores(residual, products);
    for (Index k = 0; k < s; ++k)
      solution[k] = products[corral_[k]] + first;
    factor_.solve_lower(solution);
    coefficients += solution;
    factor_.solve_upper(solution);
    spread.setZero();
    for (Index k = 0; k < s; ++k)
      spread[corral_[k]] = solution[k];
    set_.combine(spread, projection);
    residual -= projection;
    first -= solution.sum();
    const double shrunk = std::sqrt(first * first + residual.squaredNorm());
    const bool settled = shrunk > 0.5 * distance;
    distance = shrunk;
    if (settled || distance <= dependence * norm)
      break;
  }
  if (!(distance > dependence * norm))
    return false;
  factor_.append(coefficients, distance);
  position_[slot] = s;
  corral_.push_back(slot);
  return true;
}

// From the rows, heaviest first; rows in the affine hull of heavier ones lose their
// weight and leave.
void MinNormPoint::rebuild_factor() {
  std::sort(corral_.begin(), corral_.end(), [&](Index a, Index b) {
    return comes_before(-weights_[a], -weights_[b], set_.id(a) < set_.id(b));
  });
  const Index s = std::ssize(corral_);
  Eigen::MatrixXd columns(set_.n_cols() + 1, s);
  for (Index k = 0; k < s; ++k) {
    columns(0, k) = 1;
    columns.col(k).tail(set_.n_cols()) = set_.row(corral_[k]);
    position_[corral_[k]] = k;
  }
  const auto dependent = factor_.assign(columns, dependence);
  for (auto k = dependent.rbegin(); k != dependent.rend(); ++k)
    leave(*k);
  factor_is_coarse_ = false;
  update_gradient();
}

void MinNormPoint::leave(Index position) {
  factor_.remove(position);
  weights_[corral_[position]] = 0;
  position_[corral_[position]] = -1;
  corral_.erase(corral_.begin() + position);
  for (Index k = position; k < static_cast<Index>(corral_.size()); ++k)
    position_[corral_[k]] = k;
}

void MinNormPoint::minor_cycles() {
  do
    find_direction();
  while (drop_useless_entrants());
  while (!step() && factor_.size() > 1)
    find_direction();
  update_gradient();
}

void MinNormPoint::find_direction() {
  const Index s = factor_.size();
  solves_.resize(s, 2);
  for (Index k = 0; k < s; ++k)
    solves_(k, 0) = scores_[corral_[k]] - squared_norm_;
  solves_.col(1).setOnes();
  factor_.solve(solves_);
  change_ = (solves_.col(0).sum() / solves_.col(1).sum()) * solves_.col(1) - solves_.col(0);
}

// Entrants have weight zero: those that want a negative one leave again before any step is made.
bool MinNormPoint::drop_useless_entrants() {
  bool dropped = false;
  for (Index k = factor_.size() - 1; k >= 0 && factor_.size() > 1; --k)
    if (weights_[corral_[k]] == 0 && change_[k] <= 0) {
      leave(k);
      dropped = true;
    }
  return dropped;
}

// Moves along Δ until a weight reaches zero; those rows leave. True if none did.
bool MinNormPoint::step() {
  const Index s = factor_.size();
  double length = line_search();
  Index blocking = -1; // leaves even if rounding would keep a last bit of its weight
  for (Index k = 0; k < s; ++k)
    if (const double weight = weights_[corral_[k]]; weight + length * change_[k] < 0) {
      length = weight / -change_[k];
      blocking = k;
    }
  if (precision_ == Precision::rows)
    x_ += length * motion_;
  std::vector<Index> emptied;
  for (Index k = 0; k < s; ++k) {
    const Index slot = corral_[k];
    const bool empties = k == blocking || weights_[slot] <= length * -change_[k];
    weights_[slot] = empties ? 0 : weights_[slot] + length * change_[k];
    // A Aᵀ Δ = (λ + ‖x‖²) 1 − A x on the corral: its scores draw together, up to a constant that
    // no direction sees.
    scores_[slot] -= length * (scores_[slot] - squared_norm_);
    if (empties)
      emptied.push_back(k);
  }
  for (auto k = emptied.rbegin(); k != emptied.rend(); ++k)
    leave(*k);
  return emptied.empty();
}

// The length of the step that minimises ‖x + length·AᵀΔ‖: one for an exact factor, and measured
// if precision counts.
double MinNormPoint::line_search() {
  if (precision_ == Precision::gram)
    return 1;
  find_motion();
  const double curvature = motion_.squaredNorm();
  return curvature > 0 ? std::max(0.0, -x_.dot(motion_) / curvature) : 0.0;
}

void MinNormPoint::find_motion() {
  Eigen::VectorXd change = Eigen::VectorXd::Zero(set_.size());
  for (Index k = 0; k < factor_.size(); ++k)
    change[corral_[k]] = change_[k];
  set_.combine(change, motion_);
}

void MinNormPoint::purge(Index n_others) {
  std::vector<Index> others;
  for (Index slot = 0; slot < set_.size(); ++slot)
    if (position_[slot] < 0)
      others.push_back(slot);
  if (static_cast<Index>(others.size()) <= n_others)
    return;
  std::nth_element(others.begin(), others.begin() + n_others, others.end(), [&](Index a, Index b) {
    return comes_before(scores_[a], scores_[b], set_.id(a) < set_.id(b));
  });
  others.resize(n_others);
  std::vector<Index> keep(corral_.begin(), corral_.end());
  keep.insert(keep.end(), others.begin(), others.end());
  std::sort(keep.begin(), keep.end());

  std::vector<Index> new_positions(keep.size());
  for (std::size_t k = 0; k < keep.size(); ++k) {
    weights_[k] = weights_[keep[k]];
    scores_[k] = scores_[keep[k]];
    new_positions[k] = position_[keep[k]];
    if (new_positions[k] >= 0)
      corral_[new_positions[k]] = static_cast<Index>(k);
  }
  position_ = std::move(new_positions);
  weights_.conservativeResize(keep.size());
  scores_.conservativeResize(keep.size());
  refused_.assign(keep.size(), 0);
  set_.keep(keep);
}

} // namespace drr
