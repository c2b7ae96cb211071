// One function per bound header; module.cpp calls them in the order of the flow.
#pragma once

#include "bindings/numpy_views.hpp"

namespace drr::bindings {

void bind_build_info(py::module_& module);
void bind_status(py::module_& module);
void bind_views(py::module_& module);
void bind_standardise(py::module_& module);
void bind_embed(py::module_& module);
void bind_tilt(py::module_& module);
void bind_floor(py::module_& module);
void bind_gram(py::module_& module);
void bind_covariance(py::module_& module);
void bind_dual(py::module_& module);
void bind_dual_judge(py::module_& module);
void bind_floor_judge(py::module_& module);
void bind_floor_blocks(py::module_& module);
void bind_tilt_blocks(py::module_& module);

} // namespace drr::bindings
