// The compiled module, linked once per instruction set under its own name (entry.cpp). A
// table of contents.

#include "bindings/operations.hpp"
#include "drr/errors.hpp"

namespace drr::bindings {

namespace {

void translate_errors(std::exception_ptr error) {
  try {
    if (error)
      std::rethrow_exception(error);
  } catch (const InvalidInput& invalid) {
    PyErr_SetString(PyExc_ValueError, invalid.what());
  }
}

} // namespace

PYBIND11_MODULE(_core, module, py::mod_gil_not_used()) {
  module.doc() = "Compiled kernels of drr. Private: use the functions of the package.";
  py::register_local_exception_translator(&translate_errors);

  bind_build_info(module);
  bind_status(module);
  bind_views(module);
  bind_standardise(module);
  bind_embed(module);
  bind_tilt(module);
  bind_floor(module);
  bind_gram(module);
  bind_covariance(module);
  bind_dual(module);
  bind_floor_judge(module);
  bind_dual_judge(module);
  bind_floor_blocks(module);
  bind_tilt_blocks(module);
}

} // namespace drr::bindings
