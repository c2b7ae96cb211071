// The Gram matrix AAᵀ of the rows, for matrices with more columns than rows.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>
#include <functional>

namespace drr {

using SquareMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// How exact the products of a dense matrix are: to seven digits of ‖aᵢ‖‖aⱼ‖ in half the time, or to
// all sixteen. Sparse matrices take as long either way and are always exact.
enum class GramPrecision { single_precision, double_precision };

// Writes some columns of a row.
using CopyColumns = std::function<void(Index row, RowRange columns, double* out)>;

// Fills the lower triangle; elements above the diagonal are left as they are. A dense matrix is
// read once, some columns at a time.
void row_gram(const RowBlocks& rows, ThreadPool& pool, GramPrecision precision, SquareMatrix& lower);

// The same of dense rows that are made when they are asked for.
void row_gram(Index n_rows, Index n_cols, const CopyColumns& copy_columns, ThreadPool& pool,
              GramPrecision precision, SquareMatrix& lower);

} // namespace drr
