#include "drr/standardise.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

#include <string>

namespace drr::bindings {

namespace {

// A vector to write into: converted by nobody, or what is written would be lost.
std::span<double> view_sums(py::array& vector, Index length, const char* name) {
  if (!py::isinstance<py::array_t<double, py::array::c_style>>(vector) || vector.ndim() != 1 ||
      vector.size() != length)
    throw py::value_error(std::string(name) +
                          " must be a contiguous float64 vector of one number per column");
  return {static_cast<double*>(vector.mutable_data()), static_cast<std::size_t>(length)};
}

void add_moments_of(const py::object& rows, py::array count, py::array mean, py::array square,
                    py::array lowest, py::array highest, int n_threads) {
  const HeldFeatures view = view_features(rows);
  const Index n = n_cols(view);
  const ColumnMoments moments{view_sums(count, n, "count"), view_sums(mean, n, "mean"),
                              view_sums(square, n, "square"), view_sums(lowest, n, "lowest"),
                              view_sums(highest, n, "highest")};
  PythonMonitor monitor;
  run_without_lock([&] { add_moments(view, moments, {n_threads, &monitor}); });
}

using Measure = double (*)(const FeatureView&, const Standardisation&, const Execution&);

template <Measure measure>
double measure_rows(const py::object& rows, const py::object& mean, const py::object& scale,
                    const py::object& indicated, int n_threads) {
  const HeldFeatures view = view_features(rows);
  if (!py::isinstance<py::array_t<std::int32_t, py::array::c_style>>(indicated))
    throw py::type_error("indicated must be a contiguous array of int32");
  const auto watched = py::reinterpret_borrow<py::array_t<std::int32_t, py::array::c_style>>(indicated);
  const Index n_numeric = n_cols(view), n_linear = n_numeric + watched.size();
  for (py::ssize_t k = 0; k < watched.size(); ++k)
    if (watched.data()[k] < 0 || watched.data()[k] >= n_numeric)
      throw py::value_error("indicated names a column that is not there");
  const Standardisation standardisation{view_vector(mean, n_linear, "mean"),
                                        view_vector(scale, n_linear, "scale"),
                                        {watched.data(), static_cast<std::size_t>(watched.size())}};
  PythonMonitor monitor;
  double result = 0;
  run_without_lock([&] { result = measure(view, standardisation, {n_threads, &monitor}); });
  return result;
}

} // namespace

void bind_standardise(py::module_& module) {
  module.def("add_moments", &add_moments_of, py::arg("rows"), py::arg("count"), py::arg("mean"),
             py::arg("square"), py::arg("lowest"), py::arg("highest"), py::arg("n_threads") = 1,
             "Add rows to the moments of their columns.");
  module.def("largest_norm", &measure_rows<largest_norm>, py::arg("rows"), py::arg("mean"), py::arg("scale"),
             py::arg("indicated"), py::arg("n_threads") = 1, "The largest norm of the standardised rows.");
  module.def("median_distance", &measure_rows<median_distance>, py::arg("rows"), py::arg("mean"),
             py::arg("scale"), py::arg("indicated"), py::arg("n_threads") = 1,
             "The median squared distance between standardised rows.");
}

} // namespace drr::bindings
