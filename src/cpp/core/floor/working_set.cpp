#include "core/floor/working_set.hpp"

#include "core/linalg/products.hpp"
#include "core/linalg/vectors.hpp"

#include <algorithm>

namespace drr {

void WorkingSet::add(std::span<const Index> ids) {
  const Index old_size = size(), added = static_cast<Index>(ids.size()), new_size = old_size + added;
  data_.resize(new_size * K_);
  double* out = data_.data() + old_size * K_;
  for (Index id : ids) {
    copy(id, out);
    out += K_;
  }
  if (!all_finite(data_.data() + old_size * K_, added * K_))
    throw_nonfinite(source_, "the features changed during the solve");
  ids_.insert(ids_.end(), ids.begin(), ids.end());

  if (gram_.rows() < new_size)
    gram_.conservativeResize(std::max(new_size, 2 * gram_.rows()), std::max(new_size, 2 * gram_.rows()));
  auto products = gram_.block(0, old_size, new_size, added);
  products.setZero();
  add_inner_products<double>(products, 1.0, rows().transpose(), rows().bottomRows(added).transpose());
  gram_.block(old_size, 0, added, old_size) = gram_.block(0, old_size, old_size, added).transpose();
}

void WorkingSet::keep(std::span<const Index> keep) {
  const Index n = static_cast<Index>(keep.size());
  for (Index k = 0; k < n; ++k) {
    if (keep[k] == k)
      continue;
    std::copy_n(data_.begin() + keep[k] * K_, K_, data_.begin() + k * K_);
    ids_[k] = ids_[keep[k]];
  }
  // Columns first, then rows: entry (keep[i], keep[j]) lies below and to the right of
  // its new place.
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      gram_(i, k) = gram_(keep[i], keep[k]);
  data_.resize(n * K_);
  ids_.resize(n);
}

} // namespace drr
