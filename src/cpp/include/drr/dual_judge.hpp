// What proves a raking dual, as functions of sums over the rows: one certificate, one proof of
// infeasibility and one end of patience for rows in memory and for rows that are read in passes.
#pragma once

#include "drr/status.hpp"
#include "drr/views.hpp"

#include <limits>
#include <span>

namespace drr {

// What a pass over the rows says of a point θ. The spans belong to the caller.
struct DualSums {
  std::span<const double> theta;   // length K
  std::span<const double> mean;    // Aᵀw, length K
  double log_partition = unset;    // Λ(θ) = log Σ dᵢ exp(aᵢᵀθ), the dᵢ summing to one
  double square_sum = unset;       // Σ wᵢ²; only a certificate needs it
  double largest_score = unset;    // maxᵢ aᵢᵀθ over the rows that are present
  double largest_absolute = unset; // maxᵢ |aᵢᵀθ|
};

// The rows that carry the floor, as a certificate needs them.
struct FloorMixture {
  std::span<const double> weights;     // vᵢ, summing to one
  std::span<const double> log_weights; // log wᵢ of the same rows, finite even if the weight underflows
  std::span<const double> mean;        // Aᵀv, length K
};

struct DualCertificate {
  double log_partition = unset; // of Φ, not of A: log Σ dᵢ exp(φᵢᵀθ)
  double discrepancy = unset;   // ‖Aᵀw‖
  double gap = unset;           // in nats
  double gradient_norm = unset; // ‖g‖ with g = Aᵀw + δθ/‖θ‖
  double kl = unset;            // KL(w‖d) in nats
  double ess = unset;           // 1 / Σ wᵢ²
};

// If ‖Aᵀw‖ exceeds δ by rounding and the floor is known, the gap is that of w mixed with the
// floor's weights until feasible: rigorous, because the mixture is a feasible point of the primal.
// Otherwise it is θᵀg. `floor` may be null.
DualCertificate certify_sums(const DualSums& sums, std::span<const double> target, double tolerance,
                             const FloorMixture* floor);

// Judges the points of one minimisation, in their order. All rules are relative: scaling the
// features changes nothing.
class DualJudge {
public:
  DualJudge(double tolerance, double base_discrepancy);

  // The norm of the gradient at a minimum: at most 1e-9·δ, or 1e-9·γ if δ = 0.
  double gradient_goal() const { return gradient_goal_; }
  // The same judge, content with a larger gradient.
  DualJudge content_with(double factor) const;

  // ‖g‖ within its goal, and |θᵀg| ≤ max(1e-11, 64·eps·maxᵢ|aᵢᵀθ|) nats.
  bool is_minimum(const DualSums& sums) const;
  // −maxᵢ aᵢᵀθ/‖θ‖: by weak duality no weights bring ‖Aᵀw‖ below it. NaN unless it proves, beyond
  // the rounding of the scores, that δ cannot be reached.
  double proof_of_infeasibility(const DualSums& sums) const;

  // Looks at the next point. True once neither the gradient nor the objective has fallen for too
  // long: later points are only shaken by rounding, and the best one is the solution.
  bool stalled(const DualSums& sums);
  // Waits again as long for progress.
  void restart() { waited_ = 0; }
  // Whether the point that `stalled` looked at last has the smallest gradient so far. True
  // of the first.
  bool is_best() const { return is_best_; }
  // How a solve ended whose best point is all that can be had, given the sizes (Σ wᵢaᵢₖ²)^½ of the
  // numbers that the columns' means are sums of. The point is the solution if it is a minimum, or if
  // rounding explains what is left of each coordinate of the gradient and ‖g‖ ≤ 1e-3·δ, or δ = 0: columns of very
  // different scales, or a target that is the base mean, allow no smaller ‖g‖. At θ = 0 with δ equal
  // to γ but for the last digits, rounding hides every way down from zero, and the dual is zero.
  Status status_of_stall(const DualSums& sums, std::span<const double> scales) const;

private:
  double tolerance_, base_discrepancy_, gradient_goal_;
  double smallest_gradient_ = std::numeric_limits<double>::infinity();
  double smallest_objective_ = smallest_gradient_;
  double gradient_then_ = smallest_gradient_; // when there was progress last
  int waited_ = 0;
  bool has_looked_ = false, is_best_ = false;
};

} // namespace drr
