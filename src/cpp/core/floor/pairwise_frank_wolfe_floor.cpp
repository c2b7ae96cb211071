#include "core/floor/pairwise_frank_wolfe_floor.hpp"

#include "drr/errors.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace drr {

namespace {

using Vector = Eigen::VectorXd;

// The published constants.
constexpr double relative_tolerance = 1e-8;
constexpr double absolute_tolerance = 1e-12;
// x drifts from Aᵀw by one rounding per step; this often it is recomputed from the active rows.
constexpr Index steps_between_refreshes = 100;

// Rows with positive weight, in the order of entry.
class ActiveRows {
public:
  ActiveRows(const RowBlocks& rows, Index start) : rows_(rows), ids_{start}, weights_{1.0} {}

  Index size() const { return static_cast<Index>(ids_.size()); }

  // The active row of highest score, the away vertex: (place in this list, score).
  std::pair<Index, double> highest(std::span<const double> scores) const {
    Index place = 0;
    for (Index k = 1; k < size(); ++k)
      if (scores[ids_[k]] > scores[ids_[place]])
        place = k;
    return {place, scores[ids_[place]]};
  }

  Index id(Index place) const { return ids_[place]; }
  double weight(Index place) const { return weights_[place]; }

  // Moves mass from an active row to any other. If all of it moves, the row leaves: no
  // vanishing weight stays.
  void move(Index from, Index to_id, double mass) {
    const auto found = std::find(ids_.begin(), ids_.end(), to_id);
    if (found == ids_.end()) {
      ids_.push_back(to_id);
      weights_.push_back(mass);
    } else {
      weights_[found - ids_.begin()] += mass;
    }
    weights_[from] -= mass;
    if (!(weights_[from] > 0)) {
      ids_.erase(ids_.begin() + from);
      weights_.erase(weights_.begin() + from);
    }
  }

  // x = Aᵀw from the rows, with the weights rescaled to sum one.
  void recompute(Vector& x) {
    double total = 0;
    for (double weight : weights_)
      total += weight;
    x.setZero();
    for (Index k = 0; k < size(); ++k) {
      weights_[k] /= total;
      rows_.add_weighted({ids_[k], ids_[k] + 1}, &weights_[k], x.data());
    }
  }

  void store(Floor& floor) const {
    std::vector<std::pair<Index, double>> sorted;
    for (Index k = 0; k < size(); ++k)
      sorted.emplace_back(ids_[k], weights_[k]);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [id, weight] : sorted) {
      floor.support.push_back(id);
      floor.support_weights.push_back(weight);
    }
  }

private:
  const RowBlocks& rows_;
  std::vector<Index> ids_;
  std::vector<double> weights_;
};

class PairwiseFrankWolfe {
public:
  PairwiseFrankWolfe(FloorPasses& passes, const RowSurvey& survey)
      : passes_(passes), rows_(passes.rows()), active_(rows_, survey.smallest), x_(rows_.n_cols()),
        step_(rows_.n_cols()), away_row_(rows_.n_cols()) {
    floor_.base_discrepancy = Eigen::Map<const Vector>(survey.mean.data(), rows_.n_cols()).norm();
    active_.recompute(x_);
  }

  Floor find(Index max_iter) {
    for (;;) {
      // 1. Price all rows; stop on the gap, confirmed with x recomputed from the weights.
      const LowestScore best = passes_.price({x_.data(), static_cast<std::size_t>(x_.size())});
      if (best.row < 0)
        throw InvalidInput("features or base_weights changed during the solve: no row is left to step to");
      const double squared_norm = x_.squaredNorm(), norm = std::sqrt(squared_norm);
      const bool converged =
          squared_norm - best.score <= std::max(relative_tolerance * squared_norm, absolute_tolerance);
      const bool last = converged || stalled_ || floor_.n_iter >= max_iter;
      floor_.value = norm;
      floor_.lower_bound = norm > 0 ? std::clamp(best.score / norm, 0.0, norm) : 0.0;
      if (last && exact_)
        return finish(converged ? Status::converged : stalled_ ? Status::round_off : Status::iteration_limit);
      if (last) {
        active_.recompute(x_);
        exact_ = true;
        continue;
      }
      // 2. A step to the best row.
      ++floor_.n_iter;
      report();
      step_to(best);
    }
  }

private:
  void report() {
    passes_.pool().report({.stage = "floor",
                           .iteration = floor_.n_iter,
                           .passes = passes_.count(),
                           .value = floor_.value,
                           .lower_bound = floor_.lower_bound,
                           .gap = floor_.value - floor_.lower_bound,
                           .active = active_.size()});
  }

  // Towards the best row, away from the worst active one, as far as the line search or
  // the mass allows.
  void step_to(const LowestScore& best) {
    const auto [away, away_score] = active_.highest(passes_.scores());
    rows_.copy({best.row, best.row + 1}, nullptr, step_.data());
    rows_.copy({active_.id(away), active_.id(away) + 1}, nullptr, away_row_.data());
    step_ -= away_row_;
    const double curvature = step_.squaredNorm();
    if (!(away_score > best.score && curvature > 0)) {
      stalled_ = true; // the gap left is rounding: no active row is worse than the best one
      return;
    }
    const double mass = std::min((away_score - best.score) / curvature, active_.weight(away));
    active_.move(away, best.row, mass);
    // Now and then the accumulated rounding is wiped out.
    exact_ = floor_.n_iter % steps_between_refreshes == 0;
    if (exact_)
      active_.recompute(x_);
    else
      x_ += mass * step_;
  }

  Floor finish(Status status) {
    floor_.status = status;
    floor_.residual.assign(x_.data(), x_.data() + x_.size());
    active_.store(floor_);
    return std::move(floor_);
  }

  FloorPasses& passes_;
  const RowBlocks& rows_;
  ActiveRows active_;
  Vector x_, step_, away_row_;
  Floor floor_;
  bool stalled_ = false;
  bool exact_ = true; // x is Aᵀw as recomputed, not as updated
};

} // namespace

Floor pairwise_frank_wolfe_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter) {
  return PairwiseFrankWolfe(passes, survey).find(max_iter);
}

} // namespace drr
