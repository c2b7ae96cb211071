// A module of its own, compiled for the baseline: it must load on any processor to say what the processor can
// do.

#include "bindings/numpy_views.hpp"
#include "core/cpu_features.hpp"

namespace drr::bindings {

PYBIND11_MODULE(_cpu, module, py::mod_gil_not_used()) {
  module.doc() = "Which instruction sets this machine runs.";
  module.def("supports_x86_64_level", &supports_x86_64_level, py::arg("level"),
             "True where every feature of x86-64-v`level` is present and saved by the operating system.");
}

} // namespace drr::bindings
