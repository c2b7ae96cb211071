#include "drr/build_info.hpp"

#include "bindings/operations.hpp"

namespace drr::bindings {

void bind_build_info(py::module_& module) {
  const BuildInfo info = build_info();
  module.attr("version") = info.version;
  module.attr("compiler") = info.compiler;
  module.attr("eigen_version") = info.eigen_version;
  module.attr("simd") = info.simd;
}

} // namespace drr::bindings
