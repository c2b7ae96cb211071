#include "drr/embed.hpp"

#include "bindings/operations.hpp"
#include "bindings/python_monitor.hpp"

#include <string>

namespace drr::bindings {

namespace {

// The arrays of a map, converted by nobody: drr/_embedding.py builds them contiguous and
// of these types.
template <class Scalar>
using Contiguous = py::array_t<Scalar, py::array::c_style>;

template <class Scalar>
std::span<const Scalar> view_attribute(const py::object& owner, const char* name) {
  const py::object attribute = owner.attr(name);
  if (!py::isinstance<Contiguous<Scalar>>(attribute))
    throw py::type_error(std::string(name) + " must be a contiguous array of " +
                         py::str(py::dtype::of<Scalar>()).cast<std::string>());
  const auto array = py::reinterpret_borrow<Contiguous<Scalar>>(attribute);
  return {array.data(), static_cast<std::size_t>(array.size())};
}

double factor_of(const py::object& owner, const char* name) {
  try {
    return owner.attr(name).cast<double>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(name) + " must be a number");
  }
}

void require(bool holds, const char* message) {
  if (!holds)
    throw py::value_error(message);
}

FeatureMap view_map(const py::object& map) {
  const FeatureMap view{view_attribute<double>(map, "mean"),
                        view_attribute<double>(map, "scale"),
                        view_attribute<std::int32_t>(map, "indicated"),
                        view_attribute<std::int32_t>(map, "level_offsets"),
                        view_attribute<double>(map, "weights"),
                        view_attribute<double>(map, "phases"),
                        factor_of(map, "linear_factor"),
                        factor_of(map, "one_hot_factor"),
                        factor_of(map, "fourier_factor")};
  const Index n_numeric = view.n_linear() - static_cast<Index>(view.indicated.size());
  require(view.scale.size() == view.mean.size(), "scale and mean differ in length");
  require(n_numeric >= 0, "there are more indicators than linear features");
  for (const std::int32_t column : view.indicated)
    require(column >= 0 && column < n_numeric, "indicated names a column that is not numeric");
  require(!view.level_offsets.empty() && view.level_offsets[0] == 0, "level_offsets must start with 0");
  for (std::size_t v = 1; v < view.level_offsets.size(); ++v)
    require(view.level_offsets[v] >= view.level_offsets[v - 1], "level_offsets decrease");
  require(view.weights.size() == view.mean.size() * view.phases.size(), "weights must be n_linear × n_waves");
  return view;
}

struct HeldRows {
  RawRows rows;
  HeldFeatures numeric; // what rows.numeric views
};

HeldRows view_rows(const FeatureMap& map, const py::object& numeric, const py::object& codes) {
  HeldRows held;
  RawRows& rows = held.rows;
  const Index n_numeric = map.n_linear() - static_cast<Index>(map.indicated.size());
  if (!codes.is_none()) {
    require(py::isinstance<Contiguous<std::int32_t>>(codes), "codes must be a contiguous array of int32");
    const auto array = py::reinterpret_borrow<Contiguous<std::int32_t>>(codes);
    require(array.ndim() == 2 && array.shape(1) == map.n_variables(),
            "codes must have one column per variable");
    rows.n_rows = array.shape(0);
    rows.codes = {array.data(), static_cast<std::size_t>(array.size())};
  }
  require(codes.is_none() == (map.n_variables() == 0), "codes are needed exactly if there are variables");
  if (!numeric.is_none()) {
    held.numeric = view_features(numeric);
    rows.numeric = held.numeric.view;
    require(n_cols(*rows.numeric) == n_numeric, "numeric must have one column per mean");
    require(codes.is_none() || n_rows(*rows.numeric) == rows.n_rows, "numeric and codes differ in rows");
    rows.n_rows = n_rows(*rows.numeric);
  }
  require(numeric.is_none() == (n_numeric == 0), "numeric is needed exactly if there are numeric columns");
  return held;
}

template <class Scalar>
DenseOutput<Scalar> view_output(py::array& out) {
  const auto size = static_cast<py::ssize_t>(sizeof(Scalar));
  require(out.shape(1) <= 1 || out.strides(1) == size, "out must have contiguous rows");
  require(out.strides(0) >= 0 && out.strides(0) % size == 0, "out must have a regular row stride");
  return {static_cast<Scalar*>(out.mutable_data()), out.strides(0) / size};
}

void embed_dense(const py::object& map, const py::object& numeric, const py::object& codes, py::array out,
                 int n_threads) {
  const FeatureMap view = view_map(map);
  const HeldRows held = view_rows(view, numeric, codes);
  const RawRows& rows = held.rows;
  require(out.ndim() == 2 && out.shape(0) == rows.n_rows && out.shape(1) == view.n_features(),
          "out must have the shape (n_rows, n_features)");
  EmbedOutput output;
  if (py::isinstance<py::array_t<double>>(out))
    output = view_output<double>(out);
  else if (py::isinstance<py::array_t<float>>(out))
    output = view_output<float>(out);
  else
    throw py::type_error("out must be float64 or float32");
  PythonMonitor monitor;
  run_without_lock([&] { embed(view, rows, output, {n_threads, &monitor}); });
}

template <class Scalar, class Ordinal>
bool try_view_csr(py::array& values, py::array& columns, const py::array& offsets, EmbedOutput& output) {
  if (!py::isinstance<Contiguous<Scalar>>(values) || !py::isinstance<Contiguous<Ordinal>>(columns) ||
      !py::isinstance<Contiguous<Ordinal>>(offsets))
    return false;
  const auto* starts = static_cast<const Ordinal*>(offsets.data());
  require(starts[0] == 0 && starts[offsets.size() - 1] == columns.size() && values.size() == columns.size(),
          "offsets must run from 0 to the number of entries");
  output = CsrOutput<Scalar, Ordinal>{static_cast<Scalar*>(values.mutable_data()),
                                      static_cast<Ordinal*>(columns.mutable_data()), starts};
  return true;
}

void embed_csr(const py::object& map, const py::object& numeric, const py::object& codes, py::array values,
               py::array columns, const py::array& offsets, int n_threads) {
  const FeatureMap view = view_map(map);
  const HeldRows held = view_rows(view, numeric, codes);
  const RawRows& rows = held.rows;
  require(offsets.size() == rows.n_rows + 1, "offsets must have n_rows + 1 entries");
  EmbedOutput output;
  if (!try_view_csr<double, std::int32_t>(values, columns, offsets, output) &&
      !try_view_csr<double, std::int64_t>(values, columns, offsets, output) &&
      !try_view_csr<float, std::int32_t>(values, columns, offsets, output) &&
      !try_view_csr<float, std::int64_t>(values, columns, offsets, output))
    throw py::type_error("values must be float64 or float32, columns and offsets both int32 or both int64");
  PythonMonitor monitor;
  run_without_lock([&] { embed(view, rows, output, {n_threads, &monitor}); });
}

py::array_t<double> embed_scores_array(const py::object& map, const py::object& numeric,
                                       const py::object& codes, const py::object& theta, int n_threads) {
  const FeatureMap view = view_map(map);
  const HeldRows held = view_rows(view, numeric, codes);
  const RawRows& rows = held.rows;
  const std::span<const double> direction = view_vector(theta, view.n_features(), "theta");
  py::array_t<double> scores = new_vector(rows.n_rows);
  const std::span<double> output = span_of(scores);
  PythonMonitor monitor;
  run_without_lock([&] { embed_scores(view, rows, direction, output, {n_threads, &monitor}); });
  return scores;
}

} // namespace

void bind_embed(py::module_& module) {
  module.def("embed", &embed_dense, py::arg("map"), py::arg("numeric"), py::arg("codes"), py::arg("out"),
             py::arg("n_threads") = 1, "Write the features of all rows into `out`.");
  module.def("embed_csr", &embed_csr, py::arg("map"), py::arg("numeric"), py::arg("codes"), py::arg("values"),
             py::arg("columns"), py::arg("offsets"), py::arg("n_threads") = 1,
             "Write the features of all rows into the arrays of a CSR matrix whose row offsets are given.");
  module.def("embed_scores", &embed_scores_array, py::arg("map"), py::arg("numeric"), py::arg("codes"),
             py::arg("theta"), py::arg("n_threads") = 1, "The products of all feature rows with theta.");
}

} // namespace drr::bindings
