#include "core/embed/standardised_rows.hpp"

#include "core/linalg/vectors.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "core/runtime/thread_pool.hpp"

#include <algorithm>
#include <cmath>

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

double largest_norm(const FeatureView& rows, const Standardisation& standardisation,
                    const Execution& execution) {
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
