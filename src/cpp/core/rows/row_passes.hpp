// The products that a solver makes with all rows, each one pass, with the buffers
// kept between passes.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_buffers.hpp"
#include "core/runtime/thread_pool.hpp"

namespace drr {

class RowPasses {
public:
  RowPasses(const RowBlocks& rows, ThreadPool& pool);

  // scores = A v
  void scores(const double* v, double* scores);
  // sum = Aᵀ u
  void weighted_sum(const double* u, double* sum);
  // scores = A v and sum = Aᵀ diag(w) A v, while each tile is in the first-level cache
  void product(const double* v, const double* weights, double* scores, double* sum);
  // sum = Σᵢ uᵢ aᵢ², the squares taken of each number; dense copies of the rows are made
  void weighted_squares(const double* u, double* sum);

private:
  void add_partials(double* sum);

  const RowBlocks& rows_;
  ThreadPool& pool_;
  Chunks chunks_;
  ChunkSums sums_;
  ThreadBuffers tile_buffers_; // threads × rows of a tile
};

} // namespace drr
