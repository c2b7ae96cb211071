#include "drr/floor_blocks.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

namespace drr::bindings {

namespace {

py::tuple survey_arrays(const py::object& features, const py::object& shift, const py::object& base_weights,
                        int n_threads) {
  const HeldFeatures view = view_features(features);
  const FloorInput input{view, view_vector(shift, n_cols(view), "shift"),
                         view_vector(base_weights, n_rows(view), "base_weights")};
  PythonMonitor monitor;
  const BlockSurvey survey = run_without_lock([&] { return survey_block(input, {n_threads, &monitor}); });
  return py::make_tuple(array_of(survey.mean), survey.smallest_norm, survey.largest_norm,
                        survey.largest_coordinate, survey.smallest, array_of(survey.outliers));
}

py::tuple price_arrays(const py::object& features, const py::object& shift, const py::object& base_weights,
                       const py::object& x, double threshold, Index most, int n_threads) {
  const HeldFeatures view = view_features(features);
  const FloorInput input{view, view_vector(shift, n_cols(view), "shift"),
                         view_vector(base_weights, n_rows(view), "base_weights")};
  const auto direction = view_vector(x, n_cols(view), "x");
  PythonMonitor monitor;
  const BlockPrices prices =
      run_without_lock([&] { return price_block(input, direction, threshold, most, {n_threads, &monitor}); });
  return py::make_tuple(prices.lowest, array_of(prices.rows), array_of(prices.scores));
}

} // namespace

void bind_floor_blocks(py::module_& module) {
  module.def(
      "survey_block", &survey_arrays, py::arg("features"), py::arg("shift"), py::arg("base_weights"),
      py::arg("n_threads") = 1,
      "(mean, smallest_norm, largest_norm, largest_coordinate, smallest, outliers) of a block of rows.");
  module.def("check_distances", &check_distances, py::arg("largest_norm"), py::arg("largest_coordinate"),
             "Raise ValueError if squares cannot hold the distances of all rows to the target.");
  module.def("price_block", &price_arrays, py::arg("features"), py::arg("shift"), py::arg("base_weights"),
             py::arg("x"), py::arg("threshold"), py::arg("most"), py::arg("n_threads") = 1,
             "(lowest, rows, scores): the rows of a block with the lowest scores below a threshold.");
}

} // namespace drr::bindings
