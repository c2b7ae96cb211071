#include "drr/views.hpp"

#include "bindings/operations.hpp"

namespace drr::bindings {

void bind_views(py::module_& module) {
  module.def(
      "validate_csr", [](const py::object& features) { validate(view_features(features)); },
      py::arg("features"), "Raise ValueError if the index arrays of a CSR matrix are broken.");
}

} // namespace drr::bindings
