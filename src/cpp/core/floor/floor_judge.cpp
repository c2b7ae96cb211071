#include "drr/floor_judge.hpp"

#include "core/runtime/constants.hpp"

#include <algorithm>

namespace drr {

namespace {
// Passes in a row that together moved neither bound noticeably: a few may occur before the end, but
// not so many.
constexpr int max_stalled_passes = 12;
constexpr double noticeable = 0.9;
} // namespace

bool FloorJudge::is_certified(double value, double lower_bound) const {
  return value - lower_bound <= relative_gap * value || value <= relative_gap * base_discrepancy_;
}

bool FloorJudge::is_round_off(double value, double lower_bound) const {
  return value - lower_bound <= 8 * epsilon * largest_norm_;
}

bool FloorJudge::stalled(double value, double lower_bound) {
  const double gap = value - lower_bound;
  ++n_stalled_;
  if (gap < noticeable * gap_then_ || value < noticeable * value_then_) {
    n_stalled_ = 0;
    gap_then_ = std::min(gap, gap_then_);
    value_then_ = std::min(value, value_then_);
  }
  is_best_ = !has_looked_ || gap < smallest_gap_; // the first even if its gap is not a number
  has_looked_ = true;
  smallest_gap_ = std::min(smallest_gap_, gap);
  return n_stalled_ >= max_stalled_passes;
}

} // namespace drr
