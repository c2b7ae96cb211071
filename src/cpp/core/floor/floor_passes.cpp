#include "core/floor/floor_passes.hpp"

#include "core/linalg/vectors.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "drr/errors.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace drr {

namespace {
using Wide = Eigen::Map<Eigen::ArrayXd>;
using ConstWide = Eigen::Map<const Eigen::ArrayXd>;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The rows of largest norm among those offered.
class FarthestRows {
public:
  void offer(double squared_norm, Index row) {
    if (squared_norm > to_beat_)
      keep({squared_norm, row});
  }

  // Those beyond a squared norm, ascending.
  std::vector<Index> beyond(double squared_norm) const {
    std::vector<Index> rows;
    for (const Row& each : kept_)
      if (each.squared_norm > squared_norm)
        rows.push_back(each.row);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

private:
  static constexpr std::size_t capacity = 16;
  struct Row {
    double squared_norm;
    Index row;
    bool operator<(const Row& other) const { return squared_norm < other.squared_norm; }
  };

  // Most rows are not kept, so that the nearest of those that are may be looked for each time.
  void keep(Row row) {
    if (kept_.size() < capacity)
      kept_.push_back(row);
    else
      *std::min_element(kept_.begin(), kept_.end()) = row;
    if (kept_.size() == capacity)
      to_beat_ = std::min_element(kept_.begin(), kept_.end())->squared_norm;
  }

  std::vector<Row> kept_;
  double to_beat_ = -infinity; // until there are as many as may be kept
};

constexpr double outlying = 30; // times the median norm

} // namespace

FloorPasses::FloorPasses(const RowBlocks& rows, std::span<const double> base_weights, ThreadPool& pool)
    : rows_(rows), base_weights_(base_weights), pool_(pool), chunks_(rows), scores_(rows.n_rows()) {}

RowSurvey FloorPasses::survey() {
  const Index K = rows_.n_cols(), n = rows_.n_rows();
  ChunkSums partial_means(chunks_.count(), pool_.n_threads(), K);
  const std::vector<double> uniform(base_weights_.empty() ? rows_.rows_per_tile() : 0,
                                    1.0 / static_cast<double>(n));
  double* norms = scores_.data();

  // 1. Each chunk: its squared norms, and its share of the mean while its rows are in the cache.
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers()), [&](Index chunk, int worker) {
    partial_means.form(chunk, worker, [&](double* mean) {
      chunks_.for_each_tile(chunk, [&](RowRange tile) {
        rows_.squared_norms(tile, norms + tile.begin);
        rows_.add_weighted(tile, uniform.empty() ? base_weights_.data() + tile.begin : uniform.data(), mean);
      });
    });
  });
  ++count_;

  // 2. The chunks in order.
  RowSurvey survey;
  survey.mean.assign(K, 0.0);
  for (Index chunk = 0; chunk < chunks_.count(); ++chunk)
    Wide(survey.mean.data(), K) += ConstWide(partial_means[chunk], K);
  survey.smallest_norm = infinity;
  FarthestRows farthest;
  Index n_present = 0;
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(norms[i]))
      throw_nonfinite(rows_, "the squared norms of features - target overflow; rescale the features");
    if (absent(i))
      continue;
    if (norms[i] < survey.smallest_norm) {
      survey.smallest_norm = norms[i];
      survey.smallest = i;
    }
    survey.largest_norm = std::max(survey.largest_norm, norms[i]);
    farthest.offer(norms[i], i);
    norms[n_present++] = norms[i];
  }
  if (n_present == 0)
    throw InvalidInput(no_row_present);
  // Nearer squares have lost digits, and those of sparse rows may have vanished by cancellation.
  survey.largest_coordinate = survey.largest_norm < 1e-280 ? largest_coordinate() : infinity;
  std::nth_element(norms, norms + n_present / 2, norms + n_present);
  survey.outliers = farthest.beyond(outlying * outlying * norms[n_present / 2]);
  survey.median_norm = std::sqrt(norms[n_present / 2]);
  survey.smallest_norm = std::sqrt(survey.smallest_norm);
  survey.largest_norm = std::sqrt(survey.largest_norm);
  return survey;
}

double FloorPasses::largest_coordinate() const {
  std::vector<double> row(rows_.n_cols());
  double largest = 0;
  for (Index i = 0; i < rows_.n_rows(); ++i) {
    if (absent(i))
      continue;
    rows_.copy({i, i + 1}, nullptr, row.data());
    largest = std::max(largest, ConstWide(row.data(), std::ssize(row)).abs().maxCoeff());
  }
  return largest;
}

LowestScore FloorPasses::price(std::span<const double> x) {
  ++count_;
  return price_tiles(x, 1);
}

LowestScore FloorPasses::price_sample(std::span<const double> x, Index every) {
  return price_tiles(x, every);
}

LowestScore FloorPasses::price_tiles(std::span<const double> x, Index every) {
  std::vector<LowestScore> lowest(chunks_.count(), LowestScore{infinity, -1});
  std::atomic<bool> all_numbers{true};
  pool_.run(chunks_.count(), Work::reading(rows_.n_numbers() / every), [&](Index chunk, int) {
    chunks_.for_each_tile(chunk, [&](RowRange tile) {
      double* scores = scores_.data() + tile.begin;
      if (tile.begin / rows_.rows_per_tile() % every != 0) {
        std::fill_n(scores, tile.size(), infinity);
        return;
      }
      rows_.scores(tile, x.data(), scores);
      if (!all_finite(scores, tile.size()))
        all_numbers = false;
      if (!base_weights_.empty())
        for (Index i = tile.begin; i < tile.end; ++i)
          if (absent(i))
            scores_[i] = infinity;
      Eigen::Index at = 0;
      const double score = ConstWide(scores, tile.size()).minCoeff(&at);
      if (score < lowest[chunk].score)
        lowest[chunk] = {score, tile.begin + at};
    });
  });
  LowestScore all{infinity, -1};
  for (const LowestScore& one : lowest)
    if (one.score < all.score)
      all = one;
  // The survey has seen finite rows, but the caller may have changed them since.
  if (!all_numbers && all_finite(x.data(), std::ssize(x)))
    throw_nonfinite(rows_, "the features changed during the solve");
  return all;
}

} // namespace drr
