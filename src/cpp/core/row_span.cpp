#include "core/row_span.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace drr {

namespace {
constexpr Index update_width = 64; // columns of the factor between two updates of what is left of the matrix
// Numbers in a block of copied rows: large enough for full speed, small beside the n0² of the Gram matrix.
constexpr Index copied_numbers = 2 * 1024 * 1024;
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
  const Index height = std::clamp<Index>(copied_numbers / K, 8, 256);
  const Index n_blocks = (n + height - 1) / height;
  const auto range = [&](Index b) { return RowRange{b * height, std::min(n, (b + 1) * height)}; };
  RowMajor left(height, K);
  std::vector<RowMajor> right(pool_.n_threads());
  for (Index i = 0; i < n_blocks; ++i) {
    const RowRange rows = range(i);
    pool_.run(rows.size(), [&](Index r, int) {
      rows_.copy({rows.begin + r, rows.begin + r + 1}, nullptr, left.row(r).data());
    });
    pool_.run(i + 1, [&](Index j, int worker) {
      const RowRange others = range(j);
      auto product = factor_.block(rows.begin, others.begin, rows.size(), others.size());
      if (i == j) {
        product.noalias() = left.topRows(rows.size()) * left.topRows(rows.size()).transpose();
        return;
      }
      right[worker].resize(height, K);
      rows_.copy(others, nullptr, right[worker].data());
      product.noalias() = left.topRows(rows.size()) * right[worker].topRows(others.size()).transpose();
    });
  }
}

void RowSpan::multiply_sparse() {
  // One dense row at a time, gathered against the stored entries of the others.
  std::vector<Eigen::VectorXd> row(pool_.n_threads(), Eigen::VectorXd(rows_.n_cols()));
  pool_.run(rows_.n_rows(), [&](Index i, int worker) {
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
    pool_.run(n_strips, [&](Index strip, int) {
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
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(rows_.n_cols());
  for (Index j = 0; j < rank_; ++j)
    rows_.add_weighted({order_[j], order_[j] + 1}, &combination[j], theta.data());
  return theta;
}

} // namespace drr
