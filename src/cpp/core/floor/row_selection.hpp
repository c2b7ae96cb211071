// Which rows join the working set of the floor after a pass has priced them.
#pragma once

#include "core/floor/working_set.hpp"

#include <span>
#include <vector>

namespace drr {

// The rows of lowest score below `threshold` that are not in the working set, at most so many,
// lowest first. Here and below, scores of rows in the working set become infinite.
std::vector<Index> select_lowest(std::span<double> scores, const WorkingSet& set, double threshold,
                                 Index most);

// Few rows below `threshold` that are not in the working set, but from everywhere: of those that have
// the same one of `slots` as their nearest, only the lowest few. Where rows are nearly dependent,
// neighbours of the lowest row have its score as well and say no more than it does.
std::vector<Index> select_spread(std::span<double> scores, const WorkingSet& set, double threshold,
                                 std::span<const Index> slots);

} // namespace drr
