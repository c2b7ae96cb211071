#include "core/min_norm_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace drr {

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
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

void MinNormPoint::improve(double tolerance, double negligible) {
  const Index n = set_.size();
  const Index known = weights_.size();
  weights_.conservativeResize(n);
  weights_.tail(n - known).setZero();
  position_.resize(n, -1);
  refused_.assign(n, 0);
  precision_ = Precision::gram;
  update_gradient();

  Index n_corrections = 0;
  bool one_at_a_time = false;
  for (;;) {
    pool_.poll();
    // 1. Which rows would shorten x? Where the Gram matrix sees none, ask the rows themselves before
    // believing it.
    const double slack = resolution(tolerance);
    auto violators = find_violators(slack);
    const bool small = squared_norm_ <= negligible * negligible;
    if (violators.empty() || small) {
      double spread = 0;
      for (Index slot : corral_)
        spread = std::max(spread, std::abs(scores_[slot] - squared_norm_));
      if (precision_ == Precision::gram) {
        precision_ = Precision::rows;
        update_gradient();
        continue;
      }
      if (spread <= slack || small || ++n_corrections > 3)
        break;
      minor_cycles();
      continue;
    }
    // 2. The worst of them enter the corral, many at a time while that works.
    const Index most = one_at_a_time ? 1 : std::max<Index>(16, factor_.size() / 2);
    if (static_cast<Index>(violators.size()) > most)
      violators.resize(most);
    const double before = squared_norm_;
    if (!enter(violators) && !enter_refined(violators.front())) {
      refused_[violators.front()] = 1;
      continue;
    }
    // 3. Minimise over their affine hull; rows whose weight would turn negative leave.
    minor_cycles();
    if (squared_norm_ < before) {
      one_at_a_time = false;
      std::fill(refused_.begin(), refused_.end(), 0);
    } else if (!one_at_a_time) {
      one_at_a_time = true;
    } else {
      refused_[violators.front()] = 1;
    }
  }
}

void MinNormPoint::update_gradient() {
  if (precision_ == Precision::rows) {
    weights_ /= weights_.sum();
    set_.combine(weights_, x_);
    set_.scores(x_, scores_);
    squared_norm_ = x_.squaredNorm();
    return;
  }
  scores_.setZero(set_.size());
  for (Index slot : corral_)
    scores_ += weights_[slot] * set_.gram().col(slot);
  squared_norm_ = 0;
  for (Index slot : corral_)
    squared_norm_ += weights_[slot] * scores_[slot];
}

// The smallest violation that counts: what is asked for, but not below the rounding of the scores.
double MinNormPoint::resolution(double tolerance) const {
  const double largest = set_.gram().diagonal().maxCoeff();
  const double rounding = precision_ == Precision::gram
                              ? 64 * eps * largest
                              : 4 * eps * std::sqrt(largest * std::max(squared_norm_, 0.0));
  return std::max(tolerance * squared_norm_, rounding);
}

std::vector<Index> MinNormPoint::find_violators(double slack) const {
  std::vector<Index> violators;
  for (Index slot = 0; slot < set_.size(); ++slot)
    if (position_[slot] < 0 && !refused_[slot] && squared_norm_ - scores_[slot] > slack)
      violators.push_back(slot);
  std::sort(violators.begin(), violators.end(), [&](Index a, Index b) {
    return scores_[a] < scores_[b] || (scores_[a] == scores_[b] && set_.id(a) < set_.id(b));
  });
  return violators;
}

bool MinNormPoint::enter(std::span<const Index> slots) {
  const Index t = static_cast<Index>(slots.size()), s = factor_.size();
  const auto gram = set_.gram();
  Eigen::MatrixXd cross(s, t), square(t, t);
  for (Index j = 0; j < t; ++j) {
    for (Index i = 0; i < s; ++i)
      cross(i, j) = 1 + gram(corral_[i], slots[j]);
    for (Index i = 0; i < t; ++i)
      square(i, j) = 1 + gram(slots[i], slots[j]);
  }
  for (Index j : factor_.append(cross, square)) {
    position_[slots[j]] = static_cast<Index>(corral_.size());
    corral_.push_back(slots[j]);
  }
  return factor_.size() > s;
}

// For a row near the affine hull of the corral: its distance by orthogonalising twice against the rows
// themselves.
bool MinNormPoint::enter_refined(Index slot) {
  const Index s = factor_.size();
  Eigen::VectorXd residual = set_.row(slot), coefficients = Eigen::VectorXd::Zero(s);
  Eigen::VectorXd solution(s), products, spread(set_.size()), projection;
  double first = 1; // the leading coordinate of the residual
  const double norm = std::sqrt(1 + residual.squaredNorm());
  for (int round = 0; round < 3; ++round) {
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
  }
  const double distance = std::sqrt(first * first + residual.squaredNorm());
  if (!(distance > 64 * eps * norm))
    return false;
  factor_.append(coefficients, distance);
  position_[slot] = s;
  corral_.push_back(slot);
  return true;
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
  while (!step()) {
    update_gradient();
    find_direction();
  }
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

// Moves along Δ until a weight reaches zero; those rows leave. True where the full step was possible.
bool MinNormPoint::step() {
  const Index s = factor_.size();
  double length = 1;
  for (Index k = 0; k < s; ++k) {
    const double weight = weights_[corral_[k]];
    if (weight + change_[k] < 0)
      length = std::min(length, weight / -change_[k]);
  }
  const bool full = length == 1;
  std::vector<Index> emptied;
  for (Index k = 0; k < s; ++k) {
    double& weight = weights_[corral_[k]];
    const bool blocks = change_[k] < 0 && weight <= length * -change_[k];
    weight = blocks ? 0 : weight + length * change_[k];
    if (weight <= 0)
      emptied.push_back(k);
  }
  for (auto k = emptied.rbegin(); k != emptied.rend(); ++k)
    leave(*k);
  return full;
}

void MinNormPoint::purge(Index n_others) {
  std::vector<Index> others;
  for (Index slot = 0; slot < set_.size(); ++slot)
    if (position_[slot] < 0)
      others.push_back(slot);
  if (static_cast<Index>(others.size()) <= n_others)
    return;
  std::nth_element(others.begin(), others.begin() + n_others, others.end(), [&](Index a, Index b) {
    return scores_[a] < scores_[b] || (scores_[a] == scores_[b] && set_.id(a) < set_.id(b));
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
