#include "bindings/numpy_views.hpp"

#include <string>

namespace drr::bindings {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw py::type_error(message);
}

std::string dtype_name(const py::array& array) {
  return py::str(array.dtype()).cast<std::string>();
}

// Native byte order and alignment included: pybind11 compares the whole dtype.
template <class Scalar>
bool holds(const py::array& array) {
  return py::isinstance<py::array_t<Scalar>>(array) &&
         (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

template <class Scalar>
const Scalar* contiguous(const py::array& array, const char* name) {
  if (!holds<Scalar>(array) || array.ndim() != 1 ||
      (array.shape(0) > 1 && array.strides(0) != static_cast<py::ssize_t>(sizeof(Scalar))))
    refuse(std::string(name) + " must be an aligned contiguous vector of " +
           py::str(py::dtype::of<Scalar>()).cast<std::string>() + ", got " + dtype_name(array));
  return static_cast<const Scalar*>(array.data());
}

template <class Scalar>
DenseView<Scalar> view_dense(const py::array& array) {
  const auto size = static_cast<py::ssize_t>(sizeof(Scalar));
  if (array.shape(1) > 1 && array.strides(1) != size)
    refuse("features must have contiguous rows (column stride " + std::to_string(size) + " bytes), got " +
           std::to_string(array.strides(1)));
  const py::ssize_t stride = array.shape(0) > 1 ? array.strides(0) : 0;
  if (stride < 0 || stride % size != 0)
    refuse("features must have a non-negative row stride that is a multiple of " + std::to_string(size) +
           " bytes, got " + std::to_string(stride));
  return {static_cast<const Scalar*>(array.data()), array.shape(0), array.shape(1), stride / size};
}

// No conversion: the copy that it would make dies before it is read.
py::array array_attribute(const py::object& matrix, const char* name) {
  const py::object attribute = matrix.attr(name);
  if (!py::isinstance<py::array>(attribute))
    refuse("features." + std::string(name) + " must be a numpy vector, got " +
           py::str(py::type::of(attribute)).cast<std::string>());
  return py::reinterpret_borrow<py::array>(attribute);
}

template <class Scalar, class Ordinal>
HeldFeatures view_csr(const py::object& matrix, const py::array& values, const py::array& columns,
                      const py::array& offsets) {
  const auto shape = matrix.attr("shape").cast<std::pair<Index, Index>>();
  CsrView<Scalar, Ordinal> view;
  view.values = contiguous<Scalar>(values, "features.data");
  view.columns = contiguous<Ordinal>(columns, "features.indices");
  view.offsets = contiguous<Ordinal>(offsets, "features.indptr");
  view.n_rows = shape.first;
  view.n_cols = shape.second;
  if (view.n_rows < 1 || view.n_cols < 1)
    throw py::value_error("features is empty: it has shape (" + std::to_string(view.n_rows) + ", " +
                          std::to_string(view.n_cols) + ")");
  view.n_stored = std::min<Index>(values.shape(0), columns.shape(0));
  if (offsets.shape(0) != view.n_rows + 1)
    throw py::value_error("features.indptr must have n_rows + 1 = " + std::to_string(view.n_rows + 1) +
                          " entries, got " + std::to_string(offsets.shape(0)));
  return {view, {values, columns, offsets}};
}

template <class Scalar>
HeldFeatures view_csr_of(const py::object& matrix, const py::array& values) {
  const py::array columns = array_attribute(matrix, "indices"), offsets = array_attribute(matrix, "indptr");
  if (holds<std::int32_t>(offsets))
    return view_csr<Scalar, std::int32_t>(matrix, values, columns, offsets);
  return view_csr<Scalar, std::int64_t>(matrix, values, columns, offsets);
}

} // namespace

HeldFeatures view_features(const py::object& features) {
  if (py::isinstance<py::array>(features)) {
    const auto array = py::reinterpret_borrow<py::array>(features);
    if (array.ndim() != 2)
      throw py::value_error("features must have two dimensions, got " + std::to_string(array.ndim()));
    if (array.shape(0) == 0 || array.shape(1) == 0)
      throw py::value_error("features is empty: it has shape (" + std::to_string(array.shape(0)) + ", " +
                            std::to_string(array.shape(1)) + ")");
    if (holds<double>(array))
      return {view_dense<double>(array), {array}};
    if (holds<float>(array))
      return {view_dense<float>(array), {array}};
    refuse("features must be an aligned array of native float64 or float32, got " + dtype_name(array));
  }
  if (py::hasattr(features, "indptr")) {
    const py::array values = array_attribute(features, "data");
    if (holds<double>(values))
      return view_csr_of<double>(features, values);
    if (holds<float>(values))
      return view_csr_of<float>(features, values);
    refuse("features.data must be an aligned vector of native float64 or float32, got " + dtype_name(values));
  }
  refuse("features must be a numpy array or a CSR matrix, got " +
         py::str(py::type::of(features)).cast<std::string>());
}

Index n_rows(const FeatureView& features) {
  return std::visit([](const auto& view) { return view.n_rows; }, features);
}

Index n_cols(const FeatureView& features) {
  return std::visit([](const auto& view) { return view.n_cols; }, features);
}

std::span<const double> view_vector(const py::object& vector, Index length, const char* name) {
  if (vector.is_none())
    return {};
  if (!py::isinstance<py::array>(vector))
    refuse(std::string(name) + " must be a numpy vector");
  const auto array = py::reinterpret_borrow<py::array>(vector);
  const double* data = contiguous<double>(array, name);
  if (array.shape(0) != length)
    throw py::value_error(std::string(name) + " must have length " + std::to_string(length) + ", got " +
                          std::to_string(array.shape(0)));
  return {data, static_cast<std::size_t>(length)};
}

std::span<const Index> view_indices(const py::object& vector, const char* name) {
  if (vector.is_none())
    return {};
  if (!py::isinstance<py::array>(vector))
    refuse(std::string(name) + " must be a numpy vector");
  const auto array = py::reinterpret_borrow<py::array>(vector);
  const auto* data = contiguous<Index>(array, name);
  return {data, static_cast<std::size_t>(array.shape(0))};
}

py::array_t<double> new_vector(Index length) {
  return py::array_t<double>(length);
}

std::span<double> span_of(py::array_t<double>& vector) {
  return {vector.mutable_data(), static_cast<std::size_t>(vector.size())};
}

} // namespace drr::bindings
