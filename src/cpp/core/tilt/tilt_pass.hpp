// The streaming pass behind `tilt`, with its buffers kept for solvers that make many passes.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "core/runtime/thread_pool.hpp"

#include <span>
#include <vector>

namespace drr {

// Σᵢ exp(scoreᵢ) without overflow: total · exp(largest).
struct LogSum {
  double largest;
  double total;
  double value() const;
};

class TiltPass {
public:
  TiltPass(const RowBlocks& rows, ThreadPool& pool);

  // One pass: scores = A θ + log d (log d empty: zero), mean = Σ wᵢ aᵢ with w ∝ exp(scores). Throws
  // InvalidInput if a score is NaN or +∞, or if none is above −∞.
  LogSum operator()(std::span<const double> theta, std::span<const double> log_base_weights,
                    std::span<double> scores, std::span<double> mean);

  // The same for a caller who wants the weights and not the scores, and no pass after this one: one
  // exponential a row instead of two, and threads that are not needed for the weights end at once.
  LogSum weights_and_mean(std::span<const double> theta, std::span<const double> log_base_weights,
                          std::span<double> weights, std::span<double> mean);

  // weights = exp(scores − logsum): one sweep over vectors, none over the rows. May be
  // done in place.
  void weights(std::span<const double> scores, const LogSum& sum, std::span<double> weights);

private:
  // What one chunk contributes: its own largest score, and sums relative to it.
  struct Partial {
    LogSum sum;
    bool finite;
  };
  // 1. Each chunk forms its sums relative to its own largest score: add_tile(partial, weighted sum,
  // tile, worker) for all its tiles.
  template <class AddTile>
  void sum_chunks(AddTile&& add_tile);
  // 2. The chunks are added in order, relative to the largest score of all.
  LogSum add_chunks(std::span<double> mean) const;
  void accumulate(Partial& partial, double* weighted, RowRange tile, const double* theta,
                  const double* log_base_weights, double* scores, double* exponential);

  const RowBlocks& rows_;
  ThreadPool& pool_;
  Chunks chunks_;
  std::vector<Partial> partials_;
  ChunkSums weighted_sums_;
  ThreadBuffers tile_buffers_; // threads × rows of a tile
};

} // namespace drr
