// The Gram matrix ΦΦᵀ of all rows: what every problem on rows with more columns than rows can be solved from.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <span>

namespace drr {

// `matrix` has room for n² numbers and is filled whole. A dense matrix is read once, some columns at a time.
void gram(const FeatureView& features, std::span<double> matrix, const Execution& execution);

} // namespace drr
