// The damped Newton of the paper, with its constants.
#pragma once

#include "core/dual/dual_minimiser.hpp"

namespace drr {

// The published algorithm, from the base point: the norm smoothed by 1e-10, a ridge of 1e-10,
// damped Newton steps with backtracking, converged at a gradient of 1e-9, or of 1e-6 if the line
// search stalls or the iterations end.
Minimisation minimise_by_paper(DualModel& model, DualPoint& point, int max_iter);

} // namespace drr
