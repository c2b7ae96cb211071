#include "drr/views.hpp"

#include "drr/errors.hpp"

#include <string>

namespace drr {

namespace {

template <class Scalar>
void validate_view(const DenseView<Scalar>&) {}

template <class Scalar, class Ordinal>
void validate_view(const CsrView<Scalar, Ordinal>& view) {
  const auto fail = [](const std::string& what) {
    throw InvalidInput("features is a broken CSR matrix: " + what +
                       ". Rebuild it, for example with scipy.sparse.csr_array(dense_or_coo).");
  };
  if (view.offsets[0] != 0)
    fail("indptr[0] is " + std::to_string(view.offsets[0]) + ", not 0");
  for (Index i = 0; i < view.n_rows; ++i)
    if (view.offsets[i + 1] < view.offsets[i])
      fail("indptr decreases at row " + std::to_string(i));
  if (view.offsets[view.n_rows] > view.n_stored)
    fail("indptr ends at " + std::to_string(view.offsets[view.n_rows]) + " but only " +
         std::to_string(view.n_stored) + " entries are stored");
  for (Index i = 0; i < view.n_rows; ++i)
    for (Index at = view.offsets[i]; at < view.offsets[i + 1]; ++at)
      if (view.columns[at] < 0 || view.columns[at] >= view.n_cols)
        fail("column index " + std::to_string(view.columns[at]) + " in row " + std::to_string(i) +
             " is outside 0 … " + std::to_string(view.n_cols - 1));
}

} // namespace

void validate(const FeatureView& features) {
  std::visit([](const auto& view) { validate_view(view); }, features);
}

} // namespace drr
