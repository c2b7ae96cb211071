// Which inner solve a problem gets.
#pragma once

#include "core/dual/inner_solve.hpp"
#include "drr/dual.hpp"

#include <memory>

namespace drr {

// The method that is cheapest for the shape.
DualMethod cheapest_method(const DualModel& model);

// The inner solve of one of the three methods that have one.
std::unique_ptr<InnerSolve> make_inner_solve(DualModel& model, DualMethod method);

// The most exact inner solve, to go on with where another stalled; null if it costs too much.
std::unique_ptr<InnerSolve> make_exact_inner_solve(DualModel& model);

} // namespace drr
