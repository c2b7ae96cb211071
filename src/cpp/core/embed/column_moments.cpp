#include "core/runtime/thread_pool.hpp"
#include "drr/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace drr {

namespace {

// Rows × columns that a task reads twice, first for the means and then for the deviations from
// them: the second time they come from the second-level cache.
constexpr Index numbers_per_tile = 1 << 16;
constexpr Index columns_per_tile = 512;

// The moments of some columns over some rows, kept apart until all are there and merged in order.
struct TileMoments {
  explicit TileMoments(Index width)
      : count(width, 0.0), mean(width, 0.0), square(width, 0.0), drift(width, 0.0),
        lowest(width, std::numeric_limits<double>::infinity()),
        highest(width, -std::numeric_limits<double>::infinity()) {}

  // The deviations from a rounded mean do not add up to zero, which tells by how much it is off.
  void put_mean_right() {
    for (std::size_t k = 0; k < mean.size(); ++k)
      if (count[k] > 0) {
        const double shift = drift[k] / count[k];
        mean[k] += shift;
        square[k] -= shift * drift[k];
      }
  }

  std::vector<double> count, mean, square, drift, lowest, highest;
};

void merge(const TileMoments& tile, Index first_column, const ColumnMoments& into) {
  for (std::size_t k = 0; k < tile.mean.size(); ++k) {
    const std::size_t j = static_cast<std::size_t>(first_column) + k;
    const double together = into.count[j] + tile.count[k];
    if (tile.count[k] > 0) {
      const double share = tile.count[k] / together, step = tile.mean[k] - into.mean[j];
      into.mean[j] += share * step;
      into.square[j] += tile.square[k] + step * step * into.count[j] * share;
      into.count[j] = together;
    }
    into.lowest[j] = std::min(into.lowest[j], tile.lowest[k]);
    into.highest[j] = std::max(into.highest[j], tile.highest[k]);
  }
}

// Loops over columns within rows, which the compiler turns into vector instructions.
template <class Scalar>
TileMoments moments_of(const DenseView<Scalar>& rows, Index top, Index bottom, Index left, Index width) {
  TileMoments tile(width);
  double *sum = tile.mean.data(), *low = tile.lowest.data(), *high = tile.highest.data();
  for (Index i = top; i < bottom; ++i) {
    const Scalar* row = rows.row(i) + left;
    for (Index k = 0; k < width; ++k) {
      const double x = row[k];
      sum[k] += x;
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
    }
  }
  double* counts = tile.count.data();
  std::fill_n(counts, width, static_cast<double>(bottom - top));
  bool complete = true;
  for (Index k = 0; k < width; ++k)
    complete = complete && std::isfinite(sum[k]);
  if (!complete) { // a missing value, or numbers that overflow
    std::fill_n(sum, width, 0.0);
    std::fill_n(counts, width, 0.0);
    for (Index i = top; i < bottom; ++i)
      for (Index k = 0; k < width; ++k)
        if (const double x = rows.row(i)[left + k]; !std::isnan(x)) {
          sum[k] += x;
          counts[k] += 1;
        }
  }
  for (Index k = 0; k < width; ++k)
    sum[k] = counts[k] > 0 ? sum[k] / counts[k] : 0.0;
  double *square = tile.square.data(), *drift = tile.drift.data();
  for (Index i = top; i < bottom; ++i) {
    const Scalar* row = rows.row(i) + left;
    for (Index k = 0; k < width; ++k) {
      double deviation = row[k] - sum[k];
      deviation = deviation == deviation ? deviation : 0.0;
      square[k] += deviation * deviation;
      drift[k] += deviation;
    }
  }
  tile.put_mean_right();
  return tile;
}

template <class Scalar>
void add_rows(const DenseView<Scalar>& rows, const ColumnMoments& moments, const Execution& execution) {
  const Index n = rows.n_rows, p = rows.n_cols, width = std::min(p, columns_per_tile);
  const Index height = std::max<Index>(64, numbers_per_tile / std::max<Index>(1, width));
  const Index n_wide = (p + width - 1) / std::max<Index>(1, width), n_high = (n + height - 1) / height;
  std::vector<TileMoments> tiles(n_wide * n_high, TileMoments(0));
  ThreadPool pool(execution);
  pool.run(n_wide * n_high, Work::reading(2 * n * p), [&](Index task, int) {
    const Index top = task / n_wide * height, left = task % n_wide * width;
    tiles[task] = moments_of(rows, top, std::min(n, top + height), left, std::min(width, p - left));
  });
  for (Index task = 0; task < n_wide * n_high; ++task)
    merge(tiles[task], task % n_wide * width, moments);
}

// All stored entries at once, then the zeros as further rows.
template <class Scalar, class Ordinal>
void add_rows(const CsrView<Scalar, Ordinal>& rows, const ColumnMoments& moments, const Execution&) {
  TileMoments stored(rows.n_cols);
  std::vector<double> n_entries(rows.n_cols, 0.0); // missing ones included
  const Index end = rows.offsets[rows.n_rows];
  for (Index at = 0; at < end; ++at) {
    const Ordinal k = rows.columns[at];
    const double x = rows.values[at];
    n_entries[k] += 1;
    if (std::isnan(x))
      continue;
    stored.count[k] += 1;
    stored.mean[k] += x;
    stored.lowest[k] = std::min(stored.lowest[k], x);
    stored.highest[k] = std::max(stored.highest[k], x);
  }
  for (Index k = 0; k < rows.n_cols; ++k)
    stored.mean[k] = stored.count[k] > 0 ? stored.mean[k] / stored.count[k] : 0.0;
  for (Index at = 0; at < end; ++at) {
    const Ordinal k = rows.columns[at];
    const double deviation = rows.values[at] - stored.mean[k];
    if (!std::isnan(deviation)) {
      stored.square[k] += deviation * deviation;
      stored.drift[k] += deviation;
    }
  }
  stored.put_mean_right();
  merge(stored, 0, moments);

  TileMoments zeros(rows.n_cols);
  for (Index k = 0; k < rows.n_cols; ++k) {
    zeros.count[k] = static_cast<double>(rows.n_rows) - n_entries[k];
    if (zeros.count[k] > 0)
      zeros.lowest[k] = zeros.highest[k] = 0.0;
  }
  merge(zeros, 0, moments);
}

} // namespace

void add_moments(const FeatureView& rows, const ColumnMoments& moments, const Execution& execution) {
  validate(rows);
  std::visit([&](const auto& view) { add_rows(view, moments, execution); }, rows);
}

} // namespace drr
