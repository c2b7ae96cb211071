// The heaviest rows exactly, the others by their mean curvature.
#pragma once

#include "core/dual/preconditioner.hpp"

namespace drr {

std::unique_ptr<Preconditioner> make_woodbury_preconditioner(DualModel& model);

} // namespace drr
