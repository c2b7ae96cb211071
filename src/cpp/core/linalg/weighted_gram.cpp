#include "core/linalg/weighted_gram.hpp"

#include "core/linalg/products.hpp"

#include <algorithm>
#include <cmath>

namespace drr {

namespace {

using Tile = Eigen::Map<const Eigen::MatrixXd>;

// Below this width the output is too small to be worth sharing between threads.
constexpr Index widest_single_panel = 96;
// A tile of at most this many numbers stays in the second- or third-level cache between its scaling
// and its products.
constexpr Index tile_numbers = 256 * 1024;
constexpr Index max_row_chunks = 16;

} // namespace

void ScaledRows::copy(RowRange positions, double* out) const {
  if (!selection)
    return rows.copy(positions, scale + positions.begin, out);
  for (Index at = positions.begin; at < positions.end; ++at, out += rows.n_cols())
    rows.copy({selection[at], selection[at] + 1}, scale + at, out);
}

WeightedGram::WeightedGram(Index n_cols, ThreadPool& pool)
    : n_cols_(n_cols), pool_(pool), rows_per_tile_(std::clamp<Index>(tile_numbers / n_cols, 64, 1024)) {
  // Panels of equal work in the lower triangle: with the left edge at x (as a share of K) the work
  // to its right is (1 − x)². Eight of them balance two to four threads; a panel narrower than 48
  // columns would waste the kernel.
  const Index n_panels = n_cols <= widest_single_panel ? 1 : std::clamp<Index>(n_cols / 48, 1, 8);
  for (Index p = 0; p <= n_panels; ++p) {
    const double left = 1.0 - std::sqrt(1.0 - static_cast<double>(p) / static_cast<double>(n_panels));
    const Index column =
        p == n_panels ? n_cols : static_cast<Index>(left * static_cast<double>(n_cols)) / 8 * 8;
    if (panels_.empty() || column > panels_.back())
      panels_.push_back(column);
  }
}

Work WeightedGram::work_of(Index n_rows) const {
  return Work::multiplying(0.5 * static_cast<double>(n_rows * n_cols_) * n_cols_);
}

void WeightedGram::operator()(const ScaledRows& source, Eigen::MatrixXd& lower) {
  if (n_cols_ <= widest_single_panel)
    by_row_chunks(source, lower);
  else
    by_output_panels(source, lower);
}

void WeightedGram::by_row_chunks(const ScaledRows& source, Eigen::MatrixXd& lower) {
  const Index n_tiles = (source.count + rows_per_tile_ - 1) / rows_per_tile_;
  const Index n_chunks = std::min(n_tiles, max_row_chunks);
  tiles_.resize(pool_.n_threads() * rows_per_tile_ * n_cols_);
  partials_.resize(n_chunks * n_cols_ * n_cols_);
  pool_.run(n_chunks, work_of(source.count), [&](Index chunk, int worker) {
    double* tile = tiles_.data() + worker * rows_per_tile_ * n_cols_;
    Eigen::Map<Eigen::MatrixXd> partial(partials_.data() + chunk * n_cols_ * n_cols_, n_cols_, n_cols_);
    partial.setZero();
    for (Index t = chunk * n_tiles / n_chunks; t < (chunk + 1) * n_tiles / n_chunks; ++t) {
      const RowRange rows{t * rows_per_tile_, std::min(source.count, (t + 1) * rows_per_tile_)};
      source.copy(rows, tile);
      add_square(partial, 1.0, Tile(tile, n_cols_, rows.size()));
    }
  });
  lower.setZero();
  for (Index chunk = 0; chunk < n_chunks; ++chunk)
    lower += Tile(partials_.data() + chunk * n_cols_ * n_cols_, n_cols_, n_cols_);
}

void WeightedGram::by_output_panels(const ScaledRows& source, Eigen::MatrixXd& lower) {
  constexpr Index rows_per_strip = 64; // the unit in which threads share the scaling
  tiles_.resize(rows_per_tile_ * n_cols_);
  lower.setZero();
  for (Index begin = 0; begin < source.count; begin += rows_per_tile_) {
    const RowRange rows{begin, std::min(source.count, begin + rows_per_tile_)};
    const Index n_strips = (rows.size() + rows_per_strip - 1) / rows_per_strip;
    pool_.run(n_strips, Work::reading(rows.size() * n_cols_), [&](Index strip, int) {
      const RowRange part{rows.begin + strip * rows_per_strip,
                          std::min(rows.end, rows.begin + (strip + 1) * rows_per_strip)};
      source.copy(part, tiles_.data() + (part.begin - rows.begin) * n_cols_);
    });
    const Tile tile(tiles_.data(), n_cols_, rows.size());
    pool_.run(static_cast<Index>(panels_.size()) - 1, work_of(rows.size()), [&](Index p, int) {
      const Index left = panels_[p], right = panels_[p + 1], below = n_cols_ - right;
      const auto panel = tile.middleRows(left, right - left);
      add_square(lower.block(left, left, right - left, right - left), 1.0, panel);
      if (below > 0)
        add_outer_products(lower.block(right, left, below, right - left), 1.0, tile.bottomRows(below), panel);
    });
  }
}

} // namespace drr
