// The passes over the rows that both floor methods make, with their buffers. Rows with base weight
// zero are skipped.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_pool.hpp"

#include <span>
#include <vector>

namespace drr {

// What the first pass learns of the rows that are present.
struct RowSurvey {
  std::vector<double> mean; // Aᵀd
  double largest_norm = 0;
  double median_norm = 0;
  double smallest_norm = 0;
  double largest_coordinate = 0; // +∞ unless the squares of all norms nearly vanish
  Index smallest = -1;           // the first row of smallest norm
  // Rows so far from the target that a sample of the rows must not miss them, at most 16: those of
  // largest norm beyond thirty times the median. Ascending.
  std::vector<Index> outliers;
};

struct LowestScore {
  double score;
  Index row;
};

class FloorPasses {
public:
  // `base_weights` empty: uniform.
  FloorPasses(const RowBlocks& rows, std::span<const double> base_weights, ThreadPool& pool);

  const RowBlocks& rows() const { return rows_; }
  ThreadPool& pool() { return pool_; }
  Index count() const { return count_; } // passes made so far

  // Mean and norms in one pass. Throws InvalidInput if a feature is not finite or no
  // row is present.
  RowSurvey survey();

  // scores()[i] = aᵢᵀx, +∞ for absent rows; returns the lowest, the first of equals, or row −1 if
  // none is below +∞. Throws InvalidInput if x is finite and a score is not.
  LowestScore price(std::span<const double> x);
  // The same of every so manyth tile of rows; the scores of all others become +∞. Not counted as a pass.
  LowestScore price_sample(std::span<const double> x, Index every);
  std::span<double> scores() { return scores_; }

private:
  LowestScore price_tiles(std::span<const double> x, Index every);
  double largest_coordinate() const; // of the rows that are present
  bool absent(Index row) const { return !base_weights_.empty() && base_weights_[row] == 0; }

  const RowBlocks& rows_;
  std::span<const double> base_weights_;
  ThreadPool& pool_;
  Chunks chunks_;
  std::vector<double> scores_;
  Index count_ = 0;
};

} // namespace drr
