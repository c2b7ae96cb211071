#include "core/floor/min_norm_point_floor.hpp"

#include "core/floor/min_norm_point.hpp"
#include "core/floor/row_selection.hpp"
#include "drr/floor_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace drr {

namespace {

// The working set is solved this much more exactly than the rows as a whole need be.
constexpr double inner_tolerance = 1e-11;
// Rows to add after a pass: if a pass costs much more than the inner products of a new row (many
// rows, small corral) more of them, so that fewer passes are made. Measured between 32 and 512; the
// optimum is flat.
Index batch_size(Index n_rows, Index corral_size) {
  return std::clamp<Index>(2 * n_rows / std::max<Index>(corral_size, 32), 64, 512);
}

// The sample of nearly dependent rows, and how near its two bounds come before all rows are asked again.
constexpr Index sampled_share = 4, min_sampled_rows = 4096;
constexpr double rough_gap = 0.03;
constexpr int max_sample_rounds = 40;
// So few rows of the first batch in use say that the rows of a batch are alike.
constexpr Index few_of_batch = 12;
// Columns times squared rows of the corral for which least squares keep up with the fast method.
constexpr double max_quick_squares = 5e6;

class MinNormPointFloor {
public:
  MinNormPointFloor(FloorPasses& passes, const RowSurvey& survey)
      : passes_(passes), survey_(survey), K_(passes.rows().n_cols()),
        gamma_(Eigen::Map<const Eigen::VectorXd>(survey.mean.data(), K_).norm()), unit_(unit_of(survey)),
        set_(passes.rows(), unit_), point_(set_, passes.pool()), judge_(gamma_, survey.largest_norm) {
    best_.base_discrepancy = gamma_;
  }

  Floor find(Index max_iter) {
    start();
    for (Index iteration = 1;; ++iteration) {
      improve();
      const bool stalled = price(iteration);
      if (const auto status = end(stalled); status || iteration >= max_iter)
        return finish(status.value_or(Status::iteration_limit));
      exchange();
    }
  }

private:
  // A power of two of the order of the rows' norms.
  static double unit_of(const RowSurvey& survey) {
    const double typical = survey.median_norm > 0 ? survey.median_norm : survey.largest_norm;
    return typical > 0 ? std::exp2(std::ceil(std::log2(typical))) : 1.0;
  }

  // The row nearest to the target, and those of lowest score along the base residual.
  void start() {
    set_.add(std::vector<Index>{survey_.smallest});
    point_.start(0);
    if (survey_.smallest_norm > FloorJudge::relative_gap * gamma_) {
      passes_.price(survey_.mean);
      set_.add(select_lowest(passes_.scores(), set_, std::numeric_limits<double>::infinity(),
                             batch_size(passes_.rows().n_rows(), 1)));
    }
  }

  // Nearly dependent rows, or a whole batch of which next to none is of use: many rows are alike, as on a
  // curve, and come near to dependence later.
  bool prefers_least_squares() const {
    const bool batch_is_alike =
        std::ssize(point_.corral()) <= few_of_batch && passes_.rows().n_rows() >= min_sampled_rows;
    return few_in_corral() && (batch_is_alike || point_.is_nearly_dependent());
  }

  // So that least squares, whose every step reads the whole factor, are quick.
  bool few_in_corral() const {
    const double size = static_cast<double>(point_.corral().size());
    return size * size * static_cast<double>(K_) <= max_quick_squares;
  }

  // The point of smallest norm over the working set.
  void improve() {
    if (nearly_dependent_ && may_switch_early_ && !few_in_corral()) { // too early: the fast method goes on
      nearly_dependent_ = may_switch_early_ = false;
      point_.resume();
    }
    if (nearly_dependent_)
      point_.improve_by_least_squares(inner_tolerance);
    else
      point_.improve(inner_tolerance, 0.5 * FloorJudge::relative_gap * gamma_ / unit_, may_switch_early_);
    if (may_switch_early_ && !nearly_dependent_ && prefers_least_squares()) {
      nearly_dependent_ = true;
      point_.improve_by_least_squares(inner_tolerance);
      settle_on_sample();
    }
  }

  // Most exchanges that nearly dependent rows need are made with a share of the rows.
  void settle_on_sample() {
    if (passes_.rows().n_rows() < min_sampled_rows)
      return;
    for (int round = 0; round < max_sample_rounds; ++round) {
      const Eigen::VectorXd& x = point_.x();
      const double norm = x.norm();
      const LowestScore lowest =
          passes_.price_sample({x.data(), static_cast<std::size_t>(K_)}, sampled_share);
      const double value = norm * unit_;
      if (!(value > FloorJudge::relative_gap * gamma_ && value - lowest.score / norm > rough_gap * value))
        return;
      find_violated();
      if (violated_.empty())
        return;
      exchange();
      point_.improve_by_least_squares(inner_tolerance);
    }
  }

  // Rows below the lower bound, by the last pass.
  void find_violated() {
    const double norm = point_.x().norm(), threshold = norm * norm * unit_;
    if (!nearly_dependent_) {
      violated_ = select_lowest(passes_.scores(), set_, threshold,
                                batch_size(passes_.rows().n_rows(), std::ssize(point_.corral())));
      return;
    }
    violated_ = select_spread(passes_.scores(), set_, threshold, point_.corral());
  }

  // The violated rows join the working set; rows that carry no weight make room.
  void exchange() {
    const Index corral = std::ssize(point_.corral());
    point_.purge(nearly_dependent_ ? corral : batch_size(passes_.rows().n_rows(), corral) / 2);
    set_.add(violated_);
  }

  // Both bounds from scratch, by a pass over all rows. Returns whether the judge has lost patience.
  bool price(Index iteration) {
    const Eigen::VectorXd& x = point_.x();
    const double norm = x.norm();
    value_ = unit_ * point_.norm();
    const LowestScore lowest = passes_.price({x.data(), static_cast<std::size_t>(K_)});
    lower_bound_ = norm > 0 ? std::clamp(lowest.score / norm, 0.0, value_) : 0.0;
    passes_.pool().report({.stage = "floor",
                           .iteration = iteration,
                           .passes = passes_.count(),
                           .value = value_,
                           .lower_bound = lower_bound_,
                           .gap = value_ - lower_bound_,
                           .active = std::ssize(point_.corral())});
    const bool stalled = judge_.stalled(value_, lower_bound_);
    if (judge_.is_best())
      keep();
    best_.n_iter = iteration;
    return stalled;
  }

  void keep() {
    best_.value = value_;
    best_.lower_bound = lower_bound_;
    best_.residual.assign(point_.x().data(), point_.x().data() + K_);
    const Eigen::VectorXd& weights = point_.weights();
    std::vector<Index> slots;
    for (Index slot = 0; slot < set_.size(); ++slot)
      if (weights[slot] > 0)
        slots.push_back(slot);
    std::sort(slots.begin(), slots.end(), [&](Index a, Index b) { return set_.id(a) < set_.id(b); });
    best_.support.clear();
    best_.support_weights.clear();
    for (Index slot : slots) {
      best_.support.push_back(set_.id(slot));
      best_.support_weights.push_back(weights[slot]);
    }
  }

  // At the certificate, or at round-off. Otherwise there are rows that violate the lower bound.
  std::optional<Status> end(bool stalled) {
    if (judge_.is_certified(value_, lower_bound_))
      return Status::converged;
    find_violated();
    const bool at_round_off = judge_.is_round_off(value_, lower_bound_);
    if (!at_round_off && !violated_.empty() && !stalled)
      return {};
    if (at_round_off || nearly_dependent_)
      return Status::round_off;
    may_switch_early_ = false;
    // The rows in use are too near to dependence for the fast method; the slow one goes on
    // from its weights.
    nearly_dependent_ = true;
    judge_.restart();
    return {};
  }

  Floor finish(Status status) {
    best_.status = status;
    for (double& coordinate : best_.residual)
      coordinate *= unit_;
    return std::move(best_);
  }

  FloorPasses& passes_;
  const RowSurvey& survey_;
  Index K_;
  double gamma_, unit_;
  WorkingSet set_;
  MinNormPoint point_;
  FloorJudge judge_;
  bool nearly_dependent_ = false;              // so that least squares take the place of the fast method
  bool may_switch_early_ = true;               // before the fast method has stalled
  double value_ = unset, lower_bound_ = unset; // of the last pass
  std::vector<Index> violated_;                // rows below the lower bound, by the last pass
  Floor best_;
};

} // namespace

Floor min_norm_point_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter) {
  return MinNormPointFloor(passes, survey).find(max_iter);
}

} // namespace drr
