// The published algorithm: one pass over the rows per step.
#pragma once

#include "core/floor/floor_passes.hpp"
#include "drr/floor.hpp"

namespace drr {

// `survey` is that of the first pass; the bounds returned are certified.
Floor pairwise_frank_wolfe_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter);

} // namespace drr
