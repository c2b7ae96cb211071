// The raking dual: the smallest exponential tilt of the base weights that brings the mean of the
// rows to the target.
//
//   θ = argmin f(θ),   f(θ) = Λ(θ) + δ‖θ‖,   Λ(θ) = log Σᵢ dᵢ exp(aᵢᵀθ),   aᵢ = φᵢ − target,
//   wᵢ = dᵢ exp(aᵢᵀθ − Λ(θ))
//
// Its primal is min KL(w‖d) over weights with ‖Aᵀw‖ ≤ δ. With g = ∇f(θ) = Aᵀw + δθ/‖θ‖ the
// primal–dual gap is θᵀg.
#pragma once

#include "drr/dual_judge.hpp"
#include "drr/execution.hpp"
#include "drr/status.hpp"
#include "drr/views.hpp"

#include <span>
#include <string>

namespace drr {

enum class DualMethod {
  automatic,    // the inner solve that the shape and the weights make cheapest
  newton,       // Cholesky of the full Hessian
  pcg_sampled,  // conjugate gradients, preconditioned by the Hessian of a sample of the rows
  pcg_woodbury, // conjugate gradients, preconditioned by the heaviest rows
  wide,         // more columns than rows: the problem rotated into the span of the rows
  paper,        // the published damped Newton with its constants
};

struct DualInput {
  FeatureView features;
  std::span<const double> target;           // length K
  std::span<const double> log_base_weights; // length n0 (−∞: the row is absent), or empty for uniform 1/n0
  double tolerance = unset;                 // δ
  // What is known of the floor: the rows that carry it, their weights, its lower bound. Empty
  // and NaN: nothing.
  std::span<const Index> floor_support{};
  std::span<const double> floor_support_weights{};
  double floor_lower_bound = unset;
  // A direction in which θ may lie, length K, of any length: minus the residual of the floor, or a
  // dual of a nearby tolerance. Empty: none is known.
  std::span<const double> start_direction{};
  // γ if the floor's survey has computed it: sums of another order differ in the last digit, and
  // whether the base weights satisfy δ must not depend on that. NaN: computed here.
  double base_discrepancy = unset;
};

struct DualOptions {
  DualMethod method = DualMethod::automatic;
  int max_iter = 0; // 0: 500, or the published 200 for the paper's method
};

struct DualOutput {
  std::span<double> theta;       // length K
  std::span<double> weights;     // length n0
  std::span<double> mean{};      // Φᵀw, length K, or empty
  std::span<double> base_mean{}; // Φᵀd, length K, or empty; only solve_dual writes it
};

// Everything but n_iter, method and status is computed from θ by one fresh pass over the rows.
struct DualResult : DualCertificate {
  double floor_lower_bound = unset; // what proves status infeasible; else NaN
  int n_iter = 0;
  std::string method;
  Status status = Status::iteration_limit;
};

// Throws InvalidInput if a feature or a score is not finite, or if no row has positive weight.
DualResult solve_dual(const DualInput& input, const DualOptions& options, const DualOutput& output,
                      const Execution& execution);

// The result of a θ found elsewhere (read from output.theta): its weights, its
// certificate, its status.
DualResult certify_dual(const DualInput& input, const DualOutput& output, const Execution& execution);

} // namespace drr
