#include "core/tilt/tilt_pass.hpp"

#include "core/linalg/vectors.hpp"
#include "core/runtime/constants.hpp"
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
      weighted_sums_(chunks_.count(), pool.n_threads(), rows.n_cols()),
      tile_buffers_(pool.n_threads(), rows.rows_per_tile()) {}

LogSum TiltPass::operator()(std::span<const double> theta, std::span<const double> log_base_weights,
                            std::span<double> scores, std::span<double> mean) {
  sum_chunks([&](Partial& partial, double* weighted, RowRange tile, int worker) {
    accumulate(partial, weighted, tile, theta.data(), log_base_weights.data(), scores.data() + tile.begin,
               tile_buffers_[worker]);
  });
  return add_chunks(mean);
}

LogSum TiltPass::weights_and_mean(std::span<const double> theta, std::span<const double> log_base_weights,
                                  std::span<double> weights, std::span<double> mean) {
  // Exponentials are taken relative to the largest score that the chunk has met so far;
  // this remembers it.
  std::vector<double> largest((rows_.n_rows() + rows_.rows_per_tile() - 1) / rows_.rows_per_tile());
  const auto largest_at = [&](RowRange tile) -> double& {
    return largest[tile.begin / rows_.rows_per_tile()];
  };
  const Work rescaling = Work::reading(rows_.n_rows());
  sum_chunks([&](Partial& partial, double* weighted, RowRange tile, int worker) {
    accumulate(partial, weighted, tile, theta.data(), log_base_weights.data(), tile_buffers_[worker],
               weights.data() + tile.begin);
    largest_at(tile) = partial.sum.largest;
  });
  pool_.expect_at_most(rescaling);
  const LogSum all = add_chunks(mean);
  pool_.run(chunks_.count(), rescaling, [&](Index chunk, int) {
    double relative_to = all.largest, factor = 1.0;
    chunks_.for_each_tile(chunk, [&](RowRange tile) {
      if (largest_at(tile) != relative_to) { // seldom: most tiles leave it as it was
        relative_to = largest_at(tile);
        factor = std::exp(relative_to - all.largest);
      }
      rescale_exponentials(weights.data() + tile.begin, tile.size(), factor, all.total);
    });
  });
  return all;
}

template <class AddTile>
void TiltPass::sum_chunks(AddTile&& add_tile) {
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers()), [&](Index chunk, int worker) {
    Partial partial{{minus_infinity, 0.0}, true};
    weighted_sums_.form(chunk, worker, [&](double* weighted) {
      chunks_.for_each_tile(chunk, [&](RowRange tile) { add_tile(partial, weighted, tile, worker); });
    });
    partials_[chunk] = partial;
  });
}

LogSum TiltPass::add_chunks(std::span<double> mean) const {
  const Index K = rows_.n_cols();
  LogSum all{minus_infinity, 0.0};
  for (const Partial& partial : partials_) {
    if (!partial.finite)
      throw_nonfinite(rows_, "the scores features @ theta overflow double precision; rescale the features");
    all.largest = std::max(all.largest, partial.sum.largest);
  }
  if (all.largest == minus_infinity)
    throw InvalidInput(no_row_present);
  std::fill(mean.begin(), mean.end(), 0.0);
  for (Index chunk = 0; chunk < chunks_.count(); ++chunk) {
    const double factor = std::exp(partials_[chunk].sum.largest - all.largest);
    all.total += factor * partials_[chunk].sum.total;
    Wide(mean.data(), K) += factor * ConstWide(weighted_sums_[chunk], K);
  }
  for (double& coordinate : mean)
    coordinate /= all.total;
  return all;
}

void TiltPass::accumulate(Partial& partial, double* weighted, RowRange tile, const double* theta,
                          const double* log_base_weights, double* scores, double* exponential) {
  const auto n = static_cast<Eigen::Index>(tile.size());
  rows_.scores(tile, theta, scores, CacheUse::first);
  Wide tile_scores(scores, n);
  if (!all_finite(scores, n)) // finite features times a finite θ give finite scores
    partial.finite = false;
  if (log_base_weights)
    tile_scores += ConstWide(log_base_weights + tile.begin, n);

  if (!partial.finite)
    return;
  const double largest = tile_scores.maxCoeff();
  if (largest > partial.sum.largest) {
    const double factor = std::exp(partial.sum.largest - largest);
    partial.sum = {largest, partial.sum.total * factor};
    Wide(weighted, rows_.n_cols()) *= factor;
  }
  if (partial.sum.largest == minus_infinity) { // no row so far has weight
    std::fill_n(exponential, n, 0.0);
    return;
  }
  partial.sum.total += exponentials(scores, n, partial.sum.largest, exponential);
  rows_.add_weighted(tile, exponential, weighted, CacheUse::second);
}

void TiltPass::weights(std::span<const double> scores, const LogSum& sum, std::span<double> weights) {
  pool_.run(chunks_.count(), Work::exponentials(rows_.n_rows()), [&](Index chunk, int) {
    const RowRange rows = chunks_[chunk];
    exponentials(scores.data() + rows.begin, rows.size(), sum.largest, weights.data() + rows.begin);
    Wide(weights.data() + rows.begin, rows.size()) /= sum.total;
  });
}

} // namespace drr
