#include "drr/floor.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

#include <algorithm>
#include <string>

namespace drr::bindings {

namespace {

FloorMethod floor_method_of(const std::string& name) {
  if (name == "min_norm_point")
    return FloorMethod::min_norm_point;
  if (name == "pairwise_frank_wolfe")
    return FloorMethod::pairwise_frank_wolfe;
  throw py::value_error("unknown floor method " + name);
}

py::dict floor_values(const py::object& features, const py::object& target, const py::object& base_weights,
                      const std::string& method, Index max_iter, int n_threads, const py::object& callback) {
  const HeldFeatures view = view_features(features);
  const FloorInput input{view, view_vector(target, n_cols(view), "target"),
                         view_vector(base_weights, n_rows(view), "base_weights")};
  const FloorOptions options{floor_method_of(method), max_iter};
  PythonMonitor monitor(callback);
  const Floor floor = run_without_lock([&] { return find_floor(input, options, {n_threads, &monitor}); });

  py::dict values;
  values["value"] = floor.value;
  values["lower_bound"] = floor.lower_bound;
  values["base_discrepancy"] = floor.base_discrepancy;
  values["base_mean"] = array_of(floor.base_mean);
  values["residual"] = array_of(floor.residual);
  values["support"] = array_of(floor.support);
  values["support_weights"] = array_of(floor.support_weights);
  values["n_iter"] = floor.n_iter;
  values["n_passes"] = floor.n_passes;
  values["status"] = name_of(floor.status).data();
  return values;
}

} // namespace

void bind_floor(py::module_& module) {
  module.def("find_floor", &floor_values, py::arg("features"), py::arg("target"), py::arg("base_weights"),
             py::arg("method"), py::arg("max_iter"), py::arg("n_threads"), py::arg("callback"),
             "The feasibility floor's bounds, residual and sparse weights as a dict.");
}

} // namespace drr::bindings
