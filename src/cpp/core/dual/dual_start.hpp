// Where the minimisation of the dual starts.
#pragma once

#include "core/dual/dual_model.hpp"

#include <span>

namespace drr {

// θ = 0: the base weights and their mean. Throws InvalidInput if a feature is not finite.
DualPoint base_point(DualModel& model);

// The minimum of f over the span of the base mean and, if it is given, of another direction.
// `point` is the base point.
void move_to_start(DualModel& model, DualPoint& point, std::span<const double> start_direction);

} // namespace drr
