// The two ways to the floor. Each is given the survey of the first pass and returns a certified result.
#pragma once

#include "core/floor_passes.hpp"
#include "drr/floor.hpp"

namespace drr {

Floor min_norm_point_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter);
Floor pairwise_frank_wolfe_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter);

} // namespace drr
