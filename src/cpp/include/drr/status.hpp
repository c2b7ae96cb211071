// How a solve ended, in the user's words. Caller mistakes are exceptions (errors.hpp), not statuses.
#pragma once

#include <array>
#include <string_view>

namespace drr {

enum class Status {
  converged, // The certificate holds: the bounds meet the stated tolerance.
  zero_dual, // The base weights already satisfy the tolerance, so the dual is exactly zero.
  round_off, // No further progress is possible in double precision; the returned bounds are still valid.
  iteration_limit, // The iteration limit was reached first; the returned bounds are still valid.
  infeasible,      // No weights reach the tolerance: the lower bound of the floor exceeds it.
};

inline constexpr std::array all_statuses{Status::converged, Status::zero_dual, Status::round_off,
                                         Status::iteration_limit, Status::infeasible};

std::string_view name_of(Status status);
std::string_view describe(Status status);

// The result is certified: nothing to warn about.
bool is_success(Status status);
// The result can be used, with the bounds it carries.
bool has_solution(Status status);

} // namespace drr
