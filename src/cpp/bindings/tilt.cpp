#include "drr/tilt.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

namespace drr::bindings {

namespace {

py::tuple tilt_arrays(const py::object& features, const py::object& theta, const py::object& log_base_weights,
                      const py::object& shift, int n_threads) {
  const HeldFeatures view = view_features(features);
  const TiltInput input{view, view_vector(shift, n_cols(view), "shift"),
                        view_vector(log_base_weights, n_rows(view), "log_base_weights"),
                        view_vector(theta, n_cols(view), "theta")};
  py::array_t<double> weights = new_vector(n_rows(view)), mean = new_vector(n_cols(view));
  const TiltOutput output{span_of(weights), span_of(mean)};
  PythonMonitor monitor;
  const double log_partition = run_without_lock([&] { return tilt(input, output, {n_threads, &monitor}); });
  return py::make_tuple(log_partition, weights, mean);
}

} // namespace

void bind_tilt(py::module_& module) {
  module.def("tilt", &tilt_arrays, py::arg("features"), py::arg("theta"),
             py::arg("log_base_weights") = py::none(), py::arg("shift") = py::none(),
             py::arg("n_threads") = 1,
             "(log_partition, weights, mean) of the rows tilted by theta, in one pass.");
}

} // namespace drr::bindings
