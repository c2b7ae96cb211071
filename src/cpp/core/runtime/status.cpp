#include "drr/status.hpp"

#include <cassert>

namespace drr {

std::string_view name_of(Status status) {
  switch (status) {
  case Status::converged:
    return "converged";
  case Status::zero_dual:
    return "zero_dual";
  case Status::round_off:
    return "round_off";
  case Status::iteration_limit:
    return "iteration_limit";
  case Status::infeasible:
    return "infeasible";
  }
  assert(false);
  return "";
}

std::string_view describe(Status status) {
  switch (status) {
  case Status::converged:
    return "The certificate holds: the bounds meet the stated tolerance.";
  case Status::zero_dual:
    return "The base weights already satisfy the tolerance, so the dual is exactly zero.";
  case Status::round_off:
    return "No further progress is possible in double precision; the returned bounds are still valid.";
  case Status::iteration_limit:
    return "The iteration limit was reached first; the returned bounds are still valid.";
  case Status::infeasible:
    return "No weights reach the tolerance: the lower bound of the floor exceeds it.";
  }
  assert(false);
  return "";
}

bool is_success(Status status) {
  return status == Status::converged || status == Status::zero_dual;
}

bool has_solution(Status status) {
  return status != Status::infeasible;
}

} // namespace drr
