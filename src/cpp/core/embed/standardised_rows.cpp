#include "core/embed/standardised_rows.hpp"

#include "core/linalg/vectors.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "core/runtime/thread_pool.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace drr {

StandardisedRows::StandardisedRows(const FeatureView& raw, const Standardisation& standardisation)
    : standardisation_(standardisation),
      n_numeric_(std::ssize(standardisation.mean) - std::ssize(standardisation.indicated)) {
  validate(raw);
  raw_ = make_row_blocks(raw, standardisation.mean.data());
  for (const double scale : standardisation.scale)
    inverse_scale_.push_back(1.0 / scale);
}

void StandardisedRows::copy_columns(Index i, RowRange columns, double* out) const {
  const RowRange numeric{columns.begin, std::min(columns.end, n_numeric_)};
  if (numeric.size() > 0) {
    if (numeric.size() == n_numeric_)
      raw_->copy({i, i + 1}, nullptr, out);
    else
      raw_->copy_columns({i, i + 1}, numeric, out);
    const double* inverse = inverse_scale_.data() + numeric.begin;
    for (Index k = 0; k < numeric.size(); ++k)
      out[k] = out[k] == out[k] ? out[k] * inverse[k] : 0.0;
  }
  for (Index k = std::max(columns.begin, n_numeric_); k < columns.end; ++k) {
    const Index watched = standardisation_.indicated[k - n_numeric_];
    double value;
    raw_->copy_columns({i, i + 1}, {watched, watched + 1}, &value);
    const double is_missing = std::isnan(value) ? 1.0 : 0.0;
    out[k - columns.begin] = (is_missing - standardisation_.mean[k]) * inverse_scale_[k];
  }
}

double StandardisedRows::squared_norm(Index i, double* room) const {
  copy_columns(i, {0, n_cols()}, room);
  return dot_of(room, room, n_cols());
}

namespace {

// Beyond so many standard deviations between zero and a mean, ‖z‖² loses digits when the zeros of a row enter
// through their sum over all columns.
constexpr double max_zero = 1e3;

// ‖z‖² of sparse rows by their stored entries: what a row of zeros would have, and how each entry differs from that.
template <class Scalar, class Ordinal>
std::optional<double> largest_by_entries(const CsrView<Scalar, Ordinal>& rows,
                                         const Standardisation& standardisation) {
  std::vector<double> zeros;
  for (Index k = 0; k < rows.n_cols; ++k)
    zeros.push_back(-standardisation.mean[k] / standardisation.scale[k]);
  for (const double zero : zeros)
    if (!(std::abs(zero) <= max_zero))
      return {};
  double largest = 0;
  const double of_zeros = dot_of(zeros.data(), zeros.data(), rows.n_cols);
  for (Index i = 0; i < rows.n_rows; ++i) {
    double square = of_zeros;
    for (Index at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      const Index k = rows.columns[at];
      const double step = static_cast<double>(rows.values[at]) / standardisation.scale[k];
      square += step * (step + 2 * zeros[k]);
    }
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

template <class Scalar>
std::optional<double> largest_by_entries(const DenseView<Scalar>&, const Standardisation&) {
  return {};
}

} // namespace

double largest_norm(const FeatureView& rows, const Standardisation& standardisation,
                    const Execution& execution) {
  if (standardisation.indicated.empty()) { // so no entry is missing
    validate(rows);
    const auto largest =
        std::visit([&](const auto& view) { return largest_by_entries(view, standardisation); }, rows);
    if (largest)
      return *largest;
  }
  const StandardisedRows standardised(rows, standardisation);
  const Index n = standardised.n_rows(), rows_per_task = 64,
              n_tasks = (n + rows_per_task - 1) / rows_per_task;
  ThreadPool pool(execution);
  ThreadBuffers rooms(pool.n_threads(), standardised.n_cols());
  std::vector<double> largest(n_tasks, 0.0);
  pool.run(n_tasks, Work::reading(n * standardised.n_cols()), [&](Index task, int worker) {
    for (Index i = task * rows_per_task; i < std::min(n, (task + 1) * rows_per_task); ++i)
      largest[task] = std::max(largest[task], standardised.squared_norm(i, rooms[worker]));
  });
  return std::sqrt(n_tasks ? *std::max_element(largest.begin(), largest.end()) : 0.0);
}

} // namespace drr
