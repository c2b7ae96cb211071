// The one header that includes pybind11. numpy arrays become views without a copy; what cannot be
// viewed is refused. Conversions happen once, before, in Python (drr/_validation.py).
#pragma once

#include "drr/views.hpp"

#include <array>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <span>
#include <vector>

namespace drr::bindings {

namespace py = pybind11;

// Rows, and the arrays they are viewed in: a CSR matrix may be given others while a
// kernel reads these.
struct HeldFeatures {
  FeatureView view;
  std::array<py::object, 3> arrays;
  operator const FeatureView&() const { return view; }
};

// A float64 or float32 array with contiguous rows, or an object with CSR's data, indices,
// indptr and shape.
HeldFeatures view_features(const py::object& features);

Index n_rows(const FeatureView& features);
Index n_cols(const FeatureView& features);

// A contiguous float64 vector of that length. None gives an empty span.
std::span<const double> view_vector(const py::object& vector, Index length, const char* name);

// A contiguous int64 vector of any length. None gives an empty span.
std::span<const Index> view_indices(const py::object& vector, const char* name);

// A new float64 vector, uninitialised, and the span that a kernel fills.
py::array_t<double> new_vector(Index length);
std::span<double> span_of(py::array_t<double>& vector);

// A copy of numbers that the core owns.
template <class Element>
py::array_t<Element> array_of(const std::vector<Element>& values) {
  return py::array_t<Element>(static_cast<py::ssize_t>(values.size()), values.data());
}

} // namespace drr::bindings
