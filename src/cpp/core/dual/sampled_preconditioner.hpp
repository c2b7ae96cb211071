// The Hessian of a sample of the rows.
#pragma once

#include "core/dual/preconditioner.hpp"

namespace drr {

std::unique_ptr<Preconditioner> make_sampled_preconditioner(DualModel& model);

} // namespace drr
