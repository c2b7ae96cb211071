// What one block of rows contributes to a pass of the floor over rows that are not in memory
// together, or not on one machine. Contributions are small, and those of several blocks merge into
// that of all their rows (drr.streaming), so a fit needs passes, not memory.
//
// The base weights of a block need not be normalised; empty ones stand for one on every row, and a
// zero marks an absent row. Both operations throw InvalidInput if a feature is not finite or no row
// of the block is present.
#pragma once

#include "drr/execution.hpp"
#include "drr/floor.hpp"
#include "drr/views.hpp"

#include <span>
#include <vector>

namespace drr {

struct BlockSurvey {
  std::vector<double> mean; // Σ dᵢaᵢ / Σ dᵢ
  double smallest_norm = 0;
  double largest_norm = 0;
  double largest_coordinate = 0; // +∞ unless the squares of all norms nearly vanish
  Index smallest = -1;           // the first row of smallest norm
  std::vector<Index> outliers;   // at most 16 rows of norm beyond thirty times the median, ascending
};
BlockSurvey survey_block(const FloorInput& input, const Execution& execution);

// Throws InvalidInput if all rows are so near to the target that squares cannot hold the distances.
// It takes what was largest in any block, since one alone may well be nearer.
void check_distances(double largest_norm, double largest_coordinate);

// The rows of lowest score aᵢᵀx among those below `threshold`, at most `most`, by row number.
struct BlockPrices {
  double lowest = 0; // of all rows that are present
  std::vector<Index> rows;
  std::vector<double> scores;
};
BlockPrices price_block(const FloorInput& input, std::span<const double> x, double threshold, Index most,
                        const Execution& execution);

} // namespace drr
