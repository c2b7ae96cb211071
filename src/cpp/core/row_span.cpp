#include "core/row_span.hpp"

#include "core/row_passes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace drr {

namespace {
constexpr Index update_width = 64; // columns of the factor between two updates of what is left of the matrix
// Columns copied at a time: enough for the products to run at full speed, few enough for the third-level
// cache.
constexpr Index slab_width = 512;

// Edges of at most eight strips of rows with equal shares of a lower triangle of size n.
std::vector<Index> equal_strips(Index n) {
  const Index n_strips = std::clamp<Index>(n / 48, 1, 8);
  std::vector<Index> edges{0};
  for (Index p = 1; p <= n_strips; ++p)
    edges.push_back(
        static_cast<Index>(static_cast<double>(n) * std::sqrt(static_cast<double>(p) / n_strips)));
  return edges;
}
} // namespace

RowSpan::RowSpan(const RowBlocks& rows, ThreadPool& pool)
    : rows_(rows), pool_(pool), factor_(rows.n_rows(), rows.n_rows()), order_(rows.n_rows()) {
  std::iota(order_.begin(), order_.end(), Index{0});
  if (rows_.is_sparse())
    multiply_sparse();
  else
    multiply_dense();
  factorise();
}

void RowSpan::multiply_dense() {
  const Index n = rows_.n_rows(), K = rows_.n_cols();
  const std::vector<Index> strips = equal_strips(n);
  const auto n_strips = static_cast<Index>(strips.size()) - 1;
  RowMajor slab(n, std::min(slab_width, K));
  factor_.setZero();
  for (Index left = 0; left < K; left += slab_width) {
    // 1. Some columns of all rows, shifted.
    const RowRange columns{left, std::min(K, left + slab_width)};
    const Index width = columns.size();
    pool_.run(n, Work::reading(n * width),
              [&](Index i, int) { rows_.copy_columns({i, i + 1}, columns, slab.row(i).data()); });
    // 2. Their share of the lower triangle.
    const auto part = slab.leftCols(width);
    const auto work = Work::multiplying(0.5 * static_cast<double>(n * n) * static_cast<double>(width));
    pool_.run(n_strips, work, [&](Index strip, int) {
      const Index top = strips[strip], height = strips[strip + 1] - top;
      const auto here = part.middleRows(top, height);
      factor_.block(top, 0, height, top).noalias() += here * part.topRows(top).transpose();
      factor_.block(top, top, height, height).selfadjointView<Eigen::Lower>().rankUpdate(here);
    });
  }
}

void RowSpan::multiply_sparse() {
  // One dense row at a time, gathered against the stored entries of the others.
  std::vector<Eigen::VectorXd> row(pool_.n_threads(), Eigen::VectorXd(rows_.n_cols()));
  const Work work = Work::reading(rows_.n_rows() * (rows_.n_cols() + rows_.n_numbers() / 2));
  pool_.run(rows_.n_rows(), work, [&](Index i, int worker) {
    rows_.copy({i, i + 1}, nullptr, row[worker].data());
    rows_.scores({0, i + 1}, row[worker].data(), factor_.row(i).data());
  });
}

void RowSpan::factorise() {
  const Index n = factor_.rows();
  diagonal_ = factor_.diagonal();
  const double smallest =
      static_cast<double>(n) * std::numeric_limits<double>::epsilon() * std::max(0.0, diagonal_.maxCoeff());
  for (Index begin = 0; begin < n; begin += update_width) {
    const Index end = std::min(n, begin + update_width);
    for (rank_ = begin; rank_ < end; ++rank_)
      if (!take_pivot(rank_, begin, smallest)) {
        factor_.triangularView<Eigen::StrictlyUpper>().setZero();
        return;
      }
    // What the block's columns explain is taken from the rest of the matrix.
    const Index rest = n - end, n_strips = (rest + update_width - 1) / update_width;
    const Work work = Work::multiplying(0.5 * static_cast<double>(rest * rest * update_width));
    pool_.run(n_strips, work, [&](Index strip, int) {
      const Index first = end + strip * update_width, size = std::min(update_width, n - first);
      factor_.block(first, end, size, first + size - end).noalias() -=
          factor_.block(first, begin, size, end - begin) *
          factor_.block(end, begin, first + size - end, end - begin).transpose();
    });
  }
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
}

// Column `at` of L from the largest diagonal left over; false where that is round-off.
bool RowSpan::take_pivot(Index at, Index block_begin, double smallest) {
  const Index n = factor_.rows(), done = at - block_begin, below = n - at - 1;
  Eigen::Index offset;
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
