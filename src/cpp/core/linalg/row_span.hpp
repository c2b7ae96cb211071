// The rows of a matrix with more columns than rows, written in an orthonormal basis of
// their own span.
//
// With the pivoted Cholesky factor of the Gram matrix, AAᵀ = LLᵀ (rows in pivot order), A = LQ
// with orthonormal rows of Q: the problem in the coordinates t = Qθ has the rows of L, of length
// at most n0, and the same norms. Nearly all the time goes into AAᵀ, so it is made in single
// precision, in half of it: seven digits, and whoever needs more makes steps that ask the rows
// themselves. Only rows so nearly dependent that seven digits do not tell their span are
// multiplied again in double precision.
#pragma once

#include "core/linalg/row_gram.hpp"
#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>
#include <vector>

namespace drr {

class RowSpan {
public:
  // Takes n0² doubles.
  RowSpan(const RowBlocks& rows, ThreadPool& pool);

  Index rank() const { return rank_; }
  // Row j of the factor is row order()[j] of the matrix.
  const std::vector<Index>& order() const { return order_; }
  DenseView<double> factor() const { return {factor_.data(), factor_.rows(), rank_, factor_.cols()}; }
  // t = Qθ for a θ in the span of the rows, given by its scores Aθ
  Eigen::VectorXd coordinates(const Eigen::VectorXd& scores) const;
  // θ = Qᵀt
  Eigen::VectorXd direction(const Eigen::VectorXd& coordinates) const;

private:
  bool factorise(GramPrecision precision, double smallest);
  bool take_pivot(Index at, Index block_begin, double smallest);
  void swap(Index i, Index j);

  const RowBlocks& rows_;
  ThreadPool& pool_;
  SquareMatrix factor_;      // the lower triangle of AAᵀ, then L
  Eigen::VectorXd diagonal_; // of what the columns so far leave over
  std::vector<Index> order_;
  Index rank_ = 0;
};

} // namespace drr
