// Which inner solve a problem gets.
#pragma once

#include "core/inner_solve.hpp"

#include "drr/dual.hpp"

#include <memory>

namespace drr {

// The inner solve of `method`; for `automatic`, the one that is cheapest for the shape and the weights at `point`.
std::unique_ptr<InnerSolve> make_inner_solve(DualModel& model, const DualPoint& point, DualMethod method);

} // namespace drr
