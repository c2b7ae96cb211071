// What one block of rows contributes to a pass over rows that are not in memory together, or not on one
// machine. Contributions are small, and the contributions of several blocks merge into that of all their rows
// (drr/streaming/queries), so a fit needs passes, not memory.
//
// A base weight of a block need not be normalised; empty base weights stand for one on every row, and a zero
// (log: −∞) marks an absent row. The operations throw InvalidInput where a feature is not finite or no row of
// the block is present.
#pragma once

#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace drr {

struct BlockInput {
  FeatureView features;
  std::span<const double> shift;        // the target, length K: aᵢ = φᵢ − shift
  std::span<const double> base_weights; // d, length of the block, or empty
};

struct BlockSurvey {
  std::vector<double> mean; // Σ dᵢaᵢ / Σ dᵢ
  double smallest_norm = 0;
  double largest_norm = 0;
  Index smallest = -1; // the first row of smallest norm
};
BlockSurvey survey_block(const BlockInput& input, const Execution& execution);

// The rows of lowest score aᵢᵀx among those below `threshold`, at most `most`, by row number.
struct BlockPrices {
  double lowest = 0; // of all rows that are present
  std::vector<Index> rows;
  std::vector<double> scores;
};
BlockPrices price_block(const BlockInput& input, std::span<const double> x, double threshold, Index most,
                        const Execution& execution);

// A sample of rows in which row i, of log weight sᵢ, takes part with probability min(1, exp(sᵢ + limit)):
// where its key log uᵢ − sᵢ, with uᵢ uniform, is below the limit. Of more than `most` such rows those of
// smallest key are kept and the limit falls to the smallest key left out: the same sample as with that limit
// from the start.
struct SampleRequest {
  std::uint64_t block = 0; // its number: with the row's it determines uᵢ
  double limit = 0;
  Index most = 0; // 0: no sample
};
struct BlockSample {
  double limit = 0;
  std::vector<Index> rows; // ascending
  std::vector<double> keys;
  std::vector<double> scores; // sᵢ
};
// `scores` empty: zero on each of `n_rows` rows.
BlockSample sample_block(std::span<const double> scores, Index n_rows, const SampleRequest& request);

// The tilt of a block: log Σ dᵢ exp(aᵢᵀθ), the mean of aᵢ under those weights, and what certificates need.
struct BlockTilt {
  double log_sum = 0;
  double log_square_sum = 0;   // log Σ (dᵢ exp(aᵢᵀθ))²
  double largest_score = 0;    // maxᵢ aᵢᵀθ over the rows that are present
  double largest_absolute = 0; // maxᵢ |aᵢᵀθ|
  std::vector<double> mean;
  BlockSample sample; // with sᵢ = log dᵢ + aᵢᵀθ
};
BlockTilt tilt_block(const BlockInput& input, std::span<const double> log_base_weights,
                     std::span<const double> theta, const SampleRequest& sample, const Execution& execution);

} // namespace drr
