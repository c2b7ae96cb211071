// Order statistics of many numbers without sorting them.
#pragma once

#include "drr/views.hpp"

#include <utility>
#include <vector>

namespace drr {

// The numbers that would stand at two neighbouring places, or at one, if all were sorted; none is
// NaN. The numbers may be left in another order.
std::pair<double, double> select(std::vector<double>& numbers, Index first, Index last);

} // namespace drr
