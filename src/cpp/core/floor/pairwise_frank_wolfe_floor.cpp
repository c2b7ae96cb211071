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

  // Moves mass from an active row to any other. Where all of it moves, the row leaves: no vanishing weight
  // stays.
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

} // namespace

Floor pairwise_frank_wolfe_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter) {
  const RowBlocks& rows = passes.rows();
  const Index K = rows.n_cols();
  ActiveRows active(rows, survey.smallest);
  Vector x(K), best_row(K), away_row(K);
  active.recompute(x);

  Floor floor;
  floor.base_discrepancy = Eigen::Map<const Vector>(survey.mean.data(), K).norm();
  bool stalled = false;
  bool exact = true; // x is Aᵀw as recomputed, not as updated
  for (;;) {
    // 1. Price all rows; stop on the gap, confirmed with x recomputed from the weights.
    const LowestScore best = passes.price({x.data(), static_cast<std::size_t>(K)});
    if (best.row < 0)
      throw InvalidInput("features or base_weights changed during the solve: no row is left to step to");
    const double squared_norm = x.squaredNorm(), gap = squared_norm - best.score;
    const bool converged = gap <= std::max(relative_tolerance * squared_norm, absolute_tolerance);
    const bool last = converged || floor.n_iter >= max_iter;
    const double norm = std::sqrt(squared_norm);
    const double lower_bound = norm > 0 ? std::clamp(best.score / norm, 0.0, norm) : 0.0;
    if (last && exact) {
      floor.value = norm;
      floor.lower_bound = lower_bound;
      floor.status = converged ? Status::converged : stalled ? Status::round_off : Status::iteration_limit;
      break;
    }
    if (last) {
      active.recompute(x);
      exact = true;
      continue;
    }
    ++floor.n_iter;
    passes.pool().report({.stage = "floor",
                          .iteration = floor.n_iter,
                          .passes = passes.count(),
                          .value = norm,
                          .lower_bound = lower_bound,
                          .gap = norm - lower_bound,
                          .active = active.size()});

    // 2. Towards the best row, away from the worst active one, as far as the line search or the mass allows.
    const auto [away, away_score] = active.highest(passes.scores());
    rows.copy({best.row, best.row + 1}, nullptr, best_row.data());
    rows.copy({active.id(away), active.id(away) + 1}, nullptr, away_row.data());
    best_row -= away_row;
    const double curvature = best_row.squaredNorm();
    if (!(away_score > best.score && curvature > 0)) {
      // The gap left is rounding: no active row is worse than the best one.
      max_iter = floor.n_iter;
      stalled = true;
      continue;
    }
    const double mass = std::min((away_score - best.score) / curvature, active.weight(away));

    // 3. Move, and now and then wipe out the accumulated rounding.
    active.move(away, best.row, mass);
    exact = floor.n_iter % steps_between_refreshes == 0;
    if (exact)
      active.recompute(x);
    else
      x += mass * best_row;
  }
  floor.residual.assign(x.data(), x.data() + K);
  active.store(floor);
  return floor;
}

} // namespace drr
