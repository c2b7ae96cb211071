// Numbers that several algorithms need under one name.
#pragma once

#include <limits>

namespace drr {

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

} // namespace drr
