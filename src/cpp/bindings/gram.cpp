#include "drr/gram.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"
#include "drr/combine.hpp"

namespace drr::bindings {

namespace {

py::array_t<double> gram_array(const py::object& features, int n_threads) {
  const HeldFeatures view = view_features(features);
  const Index n = n_rows(view);
  py::array_t<double> matrix({n, n});
  const std::span<double> numbers(matrix.mutable_data(), static_cast<std::size_t>(matrix.size()));
  PythonMonitor monitor;
  run_without_lock([&] { gram(view, numbers, {n_threads, &monitor}); });
  return matrix;
}

py::array_t<double> combine_array(const py::object& features, const py::object& coefficients, int n_threads) {
  const HeldFeatures view = view_features(features);
  const std::span<const double> given = view_vector(coefficients, n_rows(view), "coefficients");
  py::array_t<double> sum = new_vector(n_cols(view));
  const std::span<double> numbers = span_of(sum);
  PythonMonitor monitor;
  run_without_lock([&] { combine(view, given, numbers, {n_threads, &monitor}); });
  return sum;
}

} // namespace

void bind_gram(py::module_& module) {
  module.def("gram", &gram_array, py::arg("features"), py::arg("n_threads") = 1,
             "The inner products of all pairs of rows.");
  module.def("combine", &combine_array, py::arg("features"), py::arg("coefficients"),
             py::arg("n_threads") = 1, "A linear combination of the rows.");
}

} // namespace drr::bindings
