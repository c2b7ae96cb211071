// When the bounds of a floor are good enough, and when they will not get better: one rule for rows
// in memory and for rows that are read in passes.
#pragma once

#include <limits>

namespace drr {

class FloorJudge {
public:
  // Relative: what the gap may be of the value, and the value of γ for a target inside the hull.
  static constexpr double relative_gap = 1e-10;

  FloorJudge(double base_discrepancy, double largest_norm)
      : base_discrepancy_(base_discrepancy), largest_norm_(largest_norm) {}

  // value − lower_bound ≤ 1e-10·value, or value ≤ 1e-10·γ.
  bool is_certified(double value, double lower_bound) const;
  // The gap is no more than the rounding of the inner products it was computed from.
  bool is_round_off(double value, double lower_bound) const;
  // Looks at the bounds of the next pass. True once neither has moved noticeably for too long. A
  // method that creeps, by a thousandth in each pass, is stuck as well.
  bool stalled(double value, double lower_bound);
  // Whether the gap that `stalled` looked at last is the smallest so far. True of the first.
  bool is_best() const { return is_best_; }
  // Another method takes over, with patience of its own.
  void restart() { n_stalled_ = 0; }

private:
  double base_discrepancy_, largest_norm_;
  double smallest_gap_ = std::numeric_limits<double>::infinity();
  double gap_then_ = smallest_gap_, value_then_ = smallest_gap_; // when they last moved noticeably
  int n_stalled_ = 0;
  bool has_looked_ = false, is_best_ = false;
};

} // namespace drr
