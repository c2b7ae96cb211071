// The dual of a matrix with more columns than rows: solved in the span of the rows, finished in
// the original coordinates.
#pragma once

#include "core/dual/dual_minimiser.hpp"

namespace drr {

// From the base point.
Minimisation minimise_in_row_span(DualModel& model, const DualProblem& problem, DualPoint& point,
                                  std::span<const double> start_direction, const DualJudge& judge,
                                  int max_iter);

} // namespace drr
