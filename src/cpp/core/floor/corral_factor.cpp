#include "core/floor/corral_factor.hpp"

#include "core/linalg/products.hpp"
#include "core/linalg/vectors.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>

namespace drr {

namespace {
constexpr double min_batch_pivot = 1e-6; // of the squared norm: 10 digits of the distance remain

// R of a QR factor, in the upper triangle: Householder's reflections, one column after the other.
// Eigen's takes products of whole blocks, and with them a seventh of the time to compile the core.
void triangularise(Eigen::MatrixXd& columns) {
  for (Index k = 0; k < std::min(columns.rows(), columns.cols()); ++k) {
    const Index below = columns.rows() - k - 1;
    double& pivot = columns(k, k);
    auto reflector = columns.col(k).tail(below);
    const double squares = dot_of(reflector.data(), reflector.data(), below);
    if (squares <= std::numeric_limits<double>::min())
      continue; // nothing is left below the diagonal
    const double diagonal = -std::copysign(std::sqrt(pivot * pivot + squares), pivot);
    const double share = (diagonal - pivot) / diagonal;
    reflector /= pivot - diagonal;
    for (Index j = k + 1; j < columns.cols(); ++j) {
      auto rest = columns.col(j).tail(below);
      const double along = share * (columns(k, j) + dot_of(reflector.data(), rest.data(), below));
      columns(k, j) -= along;
      rest -= along * reflector;
    }
    pivot = diagonal;
  }
}
} // namespace

void CorralFactor::reserve(Index size) {
  if (storage_.rows() < size) {
    const Index capacity = std::max<Index>({size, 2 * storage_.rows(), 64});
    storage_.conservativeResize(capacity, capacity);
  }
}

std::vector<Index> CorralFactor::assign(Eigen::MatrixXd& columns, double dependence) {
  const Index s = columns.cols(), independent = std::min(s, columns.rows());
  const Eigen::VectorXd norms = columns.colwise().norm();
  triangularise(columns);
  reserve(s);
  size_ = s;
  storage_.topLeftCorner(s, s).setZero();
  storage_.topLeftCorner(s, independent).triangularView<Eigen::Lower>() =
      columns.topRows(independent).transpose();
  std::vector<Index> dependent;
  for (Index k = 0; k < s; ++k)
    if (!(std::abs(storage_(k, k)) > dependence * norms[k]))
      dependent.push_back(k);
  return dependent;
}

std::vector<Index> CorralFactor::append(Eigen::MatrixXd& cross, Eigen::MatrixXd& square) {
  const Index t = square.rows();
  const Eigen::VectorXd squared_norms = square.diagonal();
  if (size_ > 0 && t > 0) { // Eigen would take the address of the first of no numbers
    solve_lower(cross);
    add_inner_products<double>(square, -1.0, cross, cross);
  }
  // Right-looking Cholesky of the Schur complement that steps over rows in the span of
  // the earlier ones.
  std::vector<Index> accepted;
  for (Index j = 0; j < t; ++j) {
    if (!(square(j, j) > min_batch_pivot * squared_norms[j]))
      continue;
    const Index rest = t - j - 1;
    square(j, j) = std::sqrt(square(j, j));
    auto column = square.col(j).tail(rest);
    column /= square(j, j);
    square.bottomRightCorner(rest, rest).template selfadjointView<Eigen::Lower>().rankUpdate(column, -1.0);
    accepted.push_back(j);
  }
  reserve(size_ + static_cast<Index>(accepted.size()));
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    const Index at = size_ + static_cast<Index>(i);
    storage_.row(at).head(size_) = cross.col(accepted[i]).transpose();
    for (std::size_t j = 0; j <= i; ++j)
      storage_(at, size_ + static_cast<Index>(j)) = square(accepted[i], accepted[j]);
  }
  size_ += static_cast<Index>(accepted.size());
  return accepted;
}

void CorralFactor::append(const Eigen::VectorXd& coefficients, double distance) {
  reserve(size_ + 1);
  storage_.row(size_).head(size_) = coefficients.transpose();
  storage_(size_, size_) = distance;
  ++size_;
}

void CorralFactor::remove(Index position) {
  // Without its row `position`, L has one entry above the diagonal in each later row.
  const Index rest = size_ - 1 - position;
  for (Index j = 0; j < size_; ++j) {
    const Index first = std::max(position, j - 1);
    double* column = storage_.col(j).data();
    std::copy(column + first + 1, column + size_, column + first);
  }
  // Rotating neighbouring columns moves those entries onto the diagonal.
  for (Index j = position; j < position + rest; ++j) {
    Eigen::JacobiRotation<double> rotation;
    double diagonal;
    rotation.makeGivens(storage_(j, j), storage_(j, j + 1), &diagonal);
    const Index below = size_ - 2 - j;
    auto left = storage_.col(j).segment(j + 1, below);
    auto right = storage_.col(j + 1).segment(j + 1, below);
    const double c = rotation.c(), s = rotation.s();
    double* l = left.data();
    double* r = right.data();
    for (Index i = 0; i < below; ++i) {
      const double old_left = l[i];
      l[i] = c * old_left - s * r[i];
      r[i] = s * old_left + c * r[i];
    }
    storage_(j, j) = diagonal;
  }
  --size_;
}

} // namespace drr
