#include "drr/floor_judge.hpp"

#include "bindings/operations.hpp"

namespace drr::bindings {

void bind_floor_judge(py::module_& module) {
  const auto value = py::arg("value"), lower_bound = py::arg("lower_bound");
  py::class_<FloorJudge>(module, "FloorJudge", py::module_local(),
                         "Judges the bounds that the passes of a floor prove.")
      .def(py::init<double, double>(), py::arg("base_discrepancy"), py::arg("largest_norm"))
      .def("is_certified", &FloorJudge::is_certified, value, lower_bound,
           "Whether the bounds meet the stated tolerance.")
      .def("is_round_off", &FloorJudge::is_round_off, value, lower_bound,
           "Whether the gap is no more than rounding.")
      .def("stalled", &FloorJudge::stalled, value, lower_bound,
           "Look at the bounds of the next pass; True once they move no more.")
      .def("is_best", &FloorJudge::is_best, "Whether the gap looked at last is the smallest so far.");
}

} // namespace drr::bindings
