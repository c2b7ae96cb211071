// Wolfe's method over a working set of rows, made larger after each pass over all rows.
#pragma once

#include "core/floor/floor_passes.hpp"
#include "drr/floor.hpp"

namespace drr {

// `survey` is that of the first pass; the bounds returned are certified.
Floor min_norm_point_floor(FloorPasses& passes, const RowSurvey& survey, Index max_iter);

} // namespace drr
