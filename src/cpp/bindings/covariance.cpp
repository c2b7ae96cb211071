#include "drr/covariance.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

namespace drr::bindings {

namespace {

py::array_t<double> covariance_array(const py::object& features, const py::object& centre,
                                     const py::object& weights, int n_threads) {
  const HeldFeatures view = view_features(features);
  const Index n_columns = n_cols(view);
  const CovarianceInput input{view, view_vector(centre, n_columns, "centre"),
                              view_vector(weights, n_rows(view), "weights")};
  py::array_t<double> matrix({n_columns, n_columns});
  const std::span<double> numbers(matrix.mutable_data(), static_cast<std::size_t>(matrix.size()));
  PythonMonitor monitor;
  run_without_lock([&] { covariance(input, numbers, {n_threads, &monitor}); });
  return matrix;
}

} // namespace

void bind_covariance(py::module_& module) {
  module.def("covariance", &covariance_array, py::arg("features"), py::arg("centre"), py::arg("weights"),
             py::arg("n_threads") = 1, "The covariance of weighted rows about a centre.");
}

} // namespace drr::bindings
