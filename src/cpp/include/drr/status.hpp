// How a solve ended, in the user's words. Caller mistakes are exceptions
// (errors.hpp), not statuses.
#pragma once

#include <array>
#include <string_view>

namespace drr {

// `describe` says in a sentence what each means.
enum class Status { converged, zero_dual, round_off, iteration_limit, infeasible };

inline constexpr std::array all_statuses{Status::converged, Status::zero_dual, Status::round_off,
                                         Status::iteration_limit, Status::infeasible};

std::string_view name_of(Status status);
std::string_view describe(Status status);

// The result is certified: nothing to warn about.
bool is_success(Status status);
// The result can be used, with the bounds it carries.
bool has_solution(Status status);

} // namespace drr
