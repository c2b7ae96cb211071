// Read-only views of the caller's arrays. They own nothing, copy nothing, and know neither
// Eigen nor Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>

namespace drr {

// Signed, and on 64-bit systems 64 bits wide: n_rows · n_cols may exceed 2³¹. The type by which Eigen
// counts: std::int64_t is another one on macOS, and std::min takes no two types.
using Index = std::ptrdiff_t;

// What a number is that nobody has given or computed.
inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

// Rows of contiguous numbers, `row_stride` elements apart (zero repeats one row, larger than
// n_cols skips columns).
template <class Scalar>
struct DenseView {
  using scalar_type = Scalar;
  const Scalar* data = nullptr;
  Index n_rows = 0;
  Index n_cols = 0;
  Index row_stride = 0;

  const Scalar* row(Index i) const { return data + i * row_stride; }
};

// Compressed sparse rows: the entries of row i are positions offsets[i] … offsets[i+1] − 1
// of `values` and `columns`. `validate` below must have accepted the indices before any
// kernel follows them.
template <class Scalar, class Ordinal>
struct CsrView {
  using scalar_type = Scalar;
  const Scalar* values = nullptr;
  const Ordinal* columns = nullptr;
  const Ordinal* offsets = nullptr;
  Index n_rows = 0;
  Index n_cols = 0;
  Index n_stored = 0;
};

// Every form of Φ that the kernels read in place.
using FeatureView =
    std::variant<DenseView<double>, DenseView<float>, CsrView<double, std::int32_t>,
                 CsrView<double, std::int64_t>, CsrView<float, std::int32_t>, CsrView<float, std::int64_t>>;

// Throws InvalidInput if the index arrays of a sparse matrix are broken. Dense views
// are always valid.
void validate(const FeatureView& features);

} // namespace drr
