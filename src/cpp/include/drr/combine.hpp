// A linear combination of the rows, Σᵢ cᵢ φᵢ, in one pass.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <span>

namespace drr {

// `coefficients` has one number of any sign per row, `sum` one per column.
void combine(const FeatureView& features, std::span<const double> coefficients, std::span<double> sum,
             const Execution& execution);

} // namespace drr
