#include "core/linalg/row_span.hpp"

#include "core/linalg/products.hpp"
#include "core/rows/row_passes.hpp"
#include "drr/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace drr {

namespace {
constexpr Index update_width = 64; // columns of the factor between two updates of what is left of the matrix
// If what is left of a row after those before it is less than this share of the largest row, seven
// digits do not tell its direction any more.
constexpr double too_dependent = 1e-4;
} // namespace

RowSpan::RowSpan(const RowBlocks& rows, ThreadPool& pool)
    : rows_(rows), pool_(pool), factor_(rows.n_rows(), rows.n_rows()), order_(rows.n_rows()) {
  if (rows.is_sparse() || !factorise(GramPrecision::single_precision, too_dependent))
    factorise(GramPrecision::double_precision,
              static_cast<double>(rows.n_rows()) * std::numeric_limits<double>::epsilon());
  if (rank_ == 0) // rows whose mean is not the target span something, unless their products overflow
    throw InvalidInput("the squared norms of features - target overflow; rescale the features");
}

// Columns of L until what is left over is no more than the share `smallest` of the largest row;
// whether that is nothing.
bool RowSpan::factorise(GramPrecision precision, double smallest) {
  const Index n = factor_.rows();
  std::iota(order_.begin(), order_.end(), Index{0});
  row_gram(rows_, pool_, precision, factor_);
  diagonal_ = factor_.diagonal();
  smallest *= std::max(0.0, diagonal_.maxCoeff());
  for (Index begin = 0; begin < n; begin += update_width) {
    const Index end = std::min(n, begin + update_width);
    for (rank_ = begin; rank_ < end; ++rank_)
      if (!take_pivot(rank_, begin, smallest)) {
        factor_.triangularView<Eigen::StrictlyUpper>().setZero();
        return false;
      }
    // What the block's columns explain is taken from the rest of the matrix.
    const Index rest = n - end, n_strips = (rest + update_width - 1) / update_width;
    const Work work = Work::multiplying(0.5 * static_cast<double>(rest * rest * update_width));
    pool_.run(n_strips, work, [&](Index strip, int) {
      const Index first = end + strip * update_width, size = std::min(update_width, n - first);
      add_inner_products<double>(factor_.block(first, end, size, first + size - end).transpose(), -1.0,
                                 factor_.block(end, begin, first + size - end, end - begin).transpose(),
                                 factor_.block(first, begin, size, end - begin).transpose());
    });
  }
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
  return true;
}

// Column `at` of L from the largest diagonal left over; false if that is too little.
bool RowSpan::take_pivot(Index at, Index block_begin, double smallest) {
  const Index n = factor_.rows(), done = at - block_begin, below = n - at - 1;
  Eigen::Index offset = 0;
  const double largest = diagonal_.tail(n - at).maxCoeff(&offset);
  if (!(largest > smallest))
    return false;
  swap(at, at + offset);
  const double pivot = std::sqrt(largest);
  factor_(at, at) = pivot;
  if (below > 0) {
    auto column = factor_.col(at).tail(below);
    column -= factor_.block(at + 1, block_begin, below, done) *
              factor_.row(at).segment(block_begin, done).transpose();
    column /= pivot;
    diagonal_.tail(below).array() -= column.array().square();
  }
  return true;
}

// Exchanges rows and columns i < j of the symmetric matrix held in the lower triangle.
void RowSpan::swap(Index i, Index j) {
  if (i == j)
    return;
  const Index n = factor_.rows();
  factor_.row(i).head(i).swap(factor_.row(j).head(i));
  for (Index k = i + 1; k < j; ++k)
    std::swap(factor_(k, i), factor_(j, k));
  std::swap(factor_(i, i), factor_(j, j));
  for (Index k = j + 1; k < n; ++k)
    std::swap(factor_(k, i), factor_(k, j));
  std::swap(diagonal_[i], diagonal_[j]);
  std::swap(order_[i], order_[j]);
}

Eigen::VectorXd RowSpan::coordinates(const Eigen::VectorXd& scores) const {
  Eigen::VectorXd t(rank_);
  for (Index j = 0; j < rank_; ++j)
    t[j] = scores[order_[j]];
  factor_.topLeftCorner(rank_, rank_).triangularView<Eigen::Lower>().solveInPlace(t);
  return t;
}

Eigen::VectorXd RowSpan::direction(const Eigen::VectorXd& coordinates) const {
  Eigen::VectorXd combination = coordinates;
  factor_.topLeftCorner(rank_, rank_).triangularView<Eigen::Lower>().transpose().solveInPlace(combination);
  Eigen::VectorXd of_rows = Eigen::VectorXd::Zero(rows_.n_rows()), theta(rows_.n_cols());
  for (Index j = 0; j < rank_; ++j)
    of_rows[order_[j]] = combination[j];
  RowPasses(rows_, pool_).weighted_sum(of_rows.data(), theta.data());
  return theta;
}

} // namespace drr
