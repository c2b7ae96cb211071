#include "core/tilt_pass.hpp"

#include "core/constants.hpp"
#include "core/vectors.hpp"
#include "drr/errors.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace drr {

namespace {
using Wide = Eigen::Map<Eigen::ArrayXd>;
using ConstWide = Eigen::Map<const Eigen::ArrayXd>;
} // namespace

double LogSum::value() const {
  return largest + std::log(total);
}

TiltPass::TiltPass(const RowBlocks& rows, ThreadPool& pool)
    : rows_(rows), pool_(pool), chunks_(rows), partials_(chunks_.count()),
      partial_sums_(chunks_.count(), rows.n_cols()), tile_buffers_(pool.n_threads(), rows.rows_per_tile()) {}

LogSum TiltPass::operator()(std::span<const double> theta, std::span<const double> log_base_weights,
                            std::span<double> scores, std::span<double> mean) {
  const Index K = rows_.n_cols();
  const double* log_d = log_base_weights.empty() ? nullptr : log_base_weights.data();

  // 1. Each chunk forms its sums relative to its own largest score.
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers()), [&](Index chunk, int worker) {
    Partial partial{{minus_infinity, 0.0}, true, partial_sums_[chunk]};
    Wide(partial.weighted, K).setZero();
    double* exponential = tile_buffers_[worker];
    chunks_.for_each_tile(chunk, [&](RowRange tile) {
      accumulate(partial, tile, theta.data(), log_d, scores.data() + tile.begin, exponential);
    });
    partials_[chunk] = partial;
  });

  // 2. The chunks are added in order, relative to the largest score of all.
  LogSum all{minus_infinity, 0.0};
  for (const Partial& partial : partials_) {
    if (!partial.finite)
      explain_nonfinite();
    all.largest = std::max(all.largest, partial.sum.largest);
  }
  if (all.largest == minus_infinity)
    throw InvalidInput(
        "base_weights are zero on every row; at least one majority row needs a positive weight");
  std::fill(mean.begin(), mean.end(), 0.0);
  for (const Partial& partial : partials_) {
    const double factor = std::exp(partial.sum.largest - all.largest);
    all.total += factor * partial.sum.total;
    for (Index k = 0; k < K; ++k)
      mean[k] += factor * partial.weighted[k];
  }
  for (double& coordinate : mean)
    coordinate /= all.total;
  return all;
}

void TiltPass::accumulate(Partial& partial, RowRange tile, const double* theta,
                          const double* log_base_weights, double* scores, double* exponential) {
  const auto n = static_cast<Eigen::Index>(tile.size());
  rows_.scores(tile, theta, scores, Visit::first);
  Wide tile_scores(scores, n);
  if (!all_finite(scores, n)) // finite features times a finite θ give finite scores
    partial.finite = false;
  if (log_base_weights)
    tile_scores += ConstWide(log_base_weights + tile.begin, n);

  const double largest = tile_scores.maxCoeff();
  if (!partial.finite || largest == minus_infinity)
    return;
  if (largest > partial.sum.largest) {
    const double factor = std::exp(partial.sum.largest - largest);
    partial.sum = {largest, partial.sum.total * factor};
    Wide(partial.weighted, rows_.n_cols()) *= factor;
  }
  exponentials(scores, n, partial.sum.largest, exponential);
  partial.sum.total += sum_of(exponential, n);
  rows_.add_weighted(tile, exponential, partial.weighted, Visit::second);
}

void TiltPass::weights(std::span<const double> scores, const LogSum& sum, std::span<double> weights) {
  pool_.run(chunks_.count(), Work::exponentials(rows_.n_rows()), [&](Index chunk, int) {
    const RowRange rows = chunks_[chunk];
    exponentials(scores.data() + rows.begin, rows.size(), sum.largest, weights.data() + rows.begin);
    Wide(weights.data() + rows.begin, rows.size()) /= sum.total;
  });
}

void TiltPass::explain_nonfinite() const {
  const std::string position = rows_.find_nonfinite();
  if (!position.empty())
    throw InvalidInput("features contains NaN or infinity at " + position +
                       "; impute or drop such rows before raking");
  throw InvalidInput("the scores features @ theta overflow double precision; rescale the features");
}

} // namespace drr
