#include "drr/status.hpp"

#include "bindings/operations.hpp"

namespace drr::bindings {

namespace {

// name -> (description, is_success, has_solution): what drr.Status says of itself.
py::dict statuses() {
  py::dict table;
  for (Status status : all_statuses)
    table[py::str(name_of(status).data())] =
        py::make_tuple(describe(status).data(), is_success(status), has_solution(status));
  return table;
}

} // namespace

void bind_status(py::module_& module) {
  module.def("statuses", &statuses, "How a solve can end: {name: (description, is_success, has_solution)}.");
}

} // namespace drr::bindings
