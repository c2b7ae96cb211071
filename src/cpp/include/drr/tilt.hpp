// The tilted log-sum-exp: the kernel under every step of the dual.
//
//   Λ(θ) = log Σᵢ dᵢ exp(aᵢᵀθ),   wᵢ = dᵢ exp(aᵢᵀθ − Λ(θ)),   m = Σᵢ wᵢ aᵢ = ∇Λ(θ),   aᵢ = φᵢ − shift
//
// One pass over the rows, block by block; beyond the outputs it needs O(K) memory, never
// an n0×K temporary.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <span>

namespace drr {

struct TiltInput {
  FeatureView features;
  std::span<const double> shift;            // length K, or empty for zero
  std::span<const double> log_base_weights; // length n0 (−∞: the row is absent), or empty for uniform 1/n0
  std::span<const double> theta;            // length K
};

struct TiltOutput {
  std::span<double> weights; // length n0
  std::span<double> mean;    // length K
};

// Returns Λ(θ). Weights smaller than 1e-307 of the largest are zero. Throws InvalidInput if a
// feature or a score is not finite, or if no row has positive weight.
double tilt(const TiltInput& input, const TiltOutput& output, const Execution& execution);

} // namespace drr
