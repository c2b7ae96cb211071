// The weighted Gram matrix Σᵢ sᵢ² aᵢaᵢᵀ of all rows or of a selection: the one level-3 kernel
// of the dual.
//
// Rows are scaled into a tile in double, then multiplied. Threads share the scaling of a tile and
// then take panels of the output, so memory is one K² and one tile whatever their number, and each
// element is summed in row order: the same bits for any number of threads. Narrow matrices have too
// few panels to share; there, threads take chunks of rows.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>
#include <vector>

namespace drr {

// Rows in the order of `selection`, or all of them if it is null, each times its scale.
struct ScaledRows {
  const RowBlocks& rows;
  const double* scale;              // one per position
  const Index* selection = nullptr; // row numbers, one per position
  Index count = 0;

  // out = scaled rows at `positions`, one after another
  void copy(RowRange positions, double* out) const;
};

class WeightedGram {
public:
  WeightedGram(Index n_cols, ThreadPool& pool);

  // The lower triangle of Σ sᵢ² aᵢaᵢᵀ. Elements above the diagonal are left as they are.
  void operator()(const ScaledRows& source, Eigen::MatrixXd& lower);

private:
  Work work_of(Index n_rows) const;
  void by_row_chunks(const ScaledRows& source, Eigen::MatrixXd& lower);
  void by_output_panels(const ScaledRows& source, Eigen::MatrixXd& lower);

  Index n_cols_;
  ThreadPool& pool_;
  Index rows_per_tile_;
  std::vector<Index> panels_; // panel p is columns panels_[p] … panels_[p+1] − 1
  std::vector<double> tiles_;
  std::vector<double> partials_; // of the row chunks
};

} // namespace drr
