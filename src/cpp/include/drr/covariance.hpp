// The covariance of weighted rows, Σᵢ wᵢ (φᵢ − centre)(φᵢ − centre)ᵀ: the Hessian of their tilted
// log-sum if w are the tilted weights and the centre is their mean.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <span>

namespace drr {

struct CovarianceInput {
  FeatureView features;
  std::span<const double> centre;  // length K
  std::span<const double> weights; // length n0, not negative
};

// `matrix` has room for K² numbers and is filled whole.
void covariance(const CovarianceInput& input, std::span<double> matrix, const Execution& execution);

} // namespace drr
