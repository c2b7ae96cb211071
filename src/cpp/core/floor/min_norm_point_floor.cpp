#include "core/floor/min_norm_point_floor.hpp"

#include "core/floor/min_norm_point.hpp"
#include "core/linalg/ordering.hpp"
#include "core/runtime/constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drr {

namespace {

constexpr double relative_gap = 1e-10;
// The working set is solved this much more exactly than the rows as a whole need be.
constexpr double inner_tolerance = 1e-11;
// Passes in a row that together moved neither bound noticeably: a few may occur before the end, but not so
// many. A method that creeps, by a thousandth in each pass, is stuck as well.
constexpr Index max_stalled_passes = 12;
constexpr double noticeable = 0.9;

// Rows to add after a pass: where a pass is dear beside the inner products of a new row (many rows, small
// corral) more of them, so that fewer passes are made. Measured between 32 and 512; the optimum is flat.
Index batch_size(Index n_rows, Index corral_size) {
  return std::clamp<Index>(2 * n_rows / std::max<Index>(corral_size, 32), 64, 512);
}

// The rows of lowest score below `threshold` that are not in the working set, lowest first.
std::vector<Index> select_rows(std::span<double> scores, const WorkingSet& set, double threshold,
                               Index most) {
  for (Index slot = 0; slot < set.size(); ++slot)
    scores[set.id(slot)] = std::numeric_limits<double>::infinity();
  std::vector<Index> rows;
  for (Index i = 0; i < static_cast<Index>(scores.size()); ++i)
    if (scores[i] < threshold)
      rows.push_back(i);
  const auto lower = lowest_first(scores);
  if (static_cast<Index>(rows.size()) > most) {
    std::nth_element(rows.begin(), rows.begin() + most, rows.end(), lower);
    rows.resize(most);
  }
  std::sort(rows.begin(), rows.end(), lower);
  return rows;
}

void keep_weights(Floor& floor, const WorkingSet& set, const Eigen::VectorXd& weights) {
  std::vector<Index> slots;
  for (Index slot = 0; slot < set.size(); ++slot)
    if (weights[slot] > 0)
      slots.push_back(slot);
  std::sort(slots.begin(), slots.end(), [&](Index a, Index b) { return set.id(a) < set.id(b); });
  floor.support.clear();
  floor.support_weights.clear();
  for (Index slot : slots) {
    floor.support.push_back(set.id(slot));
    floor.support_weights.push_back(weights[slot]);
  }
}

} // namespace

Floor min_norm_point_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter) {
  const Index K = passes.rows().n_cols();
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;
  const double gamma = ConstVector(survey.mean.data(), K).norm();
  const double typical = survey.median_norm > 0 ? survey.median_norm : survey.largest_norm;
  const double unit = typical > 0 ? std::exp2(std::ceil(std::log2(typical))) : 1.0;

  Floor best;
  best.base_discrepancy = gamma;
  double best_gap = std::numeric_limits<double>::infinity();
  double gap_then = best_gap, value_then = best_gap; // when they last moved noticeably

  // 1. The rows furthest from the target's far side: those of lowest score along the base residual, and the
  // nearest.
  WorkingSet set(passes.rows(), unit);
  MinNormPoint point(set, passes.pool());
  std::vector<Index> rows{survey.smallest};
  set.add(rows);
  point.start(0);
  if (survey.smallest_norm > relative_gap * gamma) {
    passes.price(survey.mean);
    rows = select_rows(passes.scores(), set, std::numeric_limits<double>::infinity(),
                       batch_size(passes.rows().n_rows(), 1));
    set.add(rows);
  }

  Index n_stalled = 0;
  bool nearly_dependent = false;
  for (Index iteration = 1;; ++iteration) {
    // 2. The point of smallest norm over the working set.
    if (nearly_dependent)
      point.improve_by_least_squares(inner_tolerance);
    else
      point.improve(inner_tolerance, 0.5 * relative_gap * gamma / unit);

    // 3. Price all rows: both bounds, from scratch.
    const Eigen::VectorXd& x = point.x();
    const double norm = x.norm(), value = unit * point.norm();
    const LowestScore lowest = passes.price({x.data(), static_cast<std::size_t>(K)});
    const double lower_bound = norm > 0 ? std::clamp(lowest.score / norm, 0.0, value) : 0.0;
    const double gap = value - lower_bound;
    passes.pool().report({.stage = "floor",
                          .iteration = iteration,
                          .passes = passes.count(),
                          .value = value,
                          .lower_bound = lower_bound,
                          .gap = gap,
                          .active = point.corral_size()});
    ++n_stalled;
    if (gap < noticeable * gap_then || value < noticeable * value_then) {
      n_stalled = 0;
      gap_then = std::min(gap, gap_then);
      value_then = std::min(value, value_then);
    }
    if (gap < best_gap || best.residual.empty()) {
      best_gap = gap;
      best.value = value;
      best.lower_bound = lower_bound;
      best.residual.assign(x.data(), x.data() + K);
      keep_weights(best, set, point.weights());
    }
    best.n_iter = iteration;

    // 4. Stop at the certificate, at round-off, or at the limit.
    const auto finish = [&](Status status) {
      best.status = status;
      for (double& coordinate : best.residual)
        coordinate *= unit;
    };
    if (gap <= relative_gap * value || value <= relative_gap * gamma) {
      finish(Status::converged);
      break;
    }
    const double threshold = norm * norm * unit;
    rows =
        select_rows(passes.scores(), set, threshold, batch_size(passes.rows().n_rows(), point.corral_size()));
    const bool at_round_off = gap <= 8 * epsilon * survey.largest_norm;
    if (at_round_off || rows.empty() || n_stalled >= max_stalled_passes) {
      if (at_round_off || nearly_dependent) {
        finish(Status::round_off);
        break;
      }
      // The rows in use are too near to dependence for the fast method; the slow one goes on from its
      // weights.
      nearly_dependent = true;
      n_stalled = 0;
    }
    if (iteration >= max_iter) {
      finish(Status::iteration_limit);
      break;
    }

    // 5. The most violated rows join the working set; rows that carry no weight make room.
    point.purge(batch_size(passes.rows().n_rows(), point.corral_size()) / 2);
    set.add(rows);
  }
  return best;
}

} // namespace drr
