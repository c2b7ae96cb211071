// What one block of rows contributes to a pass of the dual over rows that are not in memory
// together, or not on one machine: sums that merge into those of all rows (drr.streaming),
// and a sample.
#pragma once

#include "drr/execution.hpp"
#include "drr/tilt.hpp"
#include "drr/views.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace drr {

// A sample of rows in which row i, of log weight sᵢ, takes part with probability min(1, exp(sᵢ +
// limit)): if its key log uᵢ − sᵢ, with uᵢ uniform, is below the limit. Of more than `most` such
// rows those of smallest key are kept and the limit falls to the smallest key left out: the same
// sample as with that limit from the start.
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

// The tilt of a block: Σ dᵢ exp(aᵢᵀθ) = sum · exp(reference), the mean of aᵢ under those weights,
// and what certificates need. One logarithm of the sum would round off digits of the shares that
// blocks have in a sum of all: its size is that of the scores.
struct BlockTilt {
  double reference = 0; // maxᵢ log dᵢ + aᵢᵀθ
  double sum = 0;
  double log_square_sum = 0;   // log Σ (dᵢ exp(aᵢᵀθ))²
  double largest_score = 0;    // maxᵢ aᵢᵀθ over the rows that are present
  double largest_absolute = 0; // maxᵢ |aᵢᵀθ|
  std::vector<double> mean;
  BlockSample sample; // with sᵢ = log dᵢ + aᵢᵀθ
};
// `shift` is given; empty log base weights stand for zero on every row.
BlockTilt tilt_block(const TiltInput& input, const SampleRequest& sample, const Execution& execution);

} // namespace drr
