#include "core/floor/passive_rows.hpp"

#include "core/runtime/constants.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>

namespace drr {

namespace {
// Of a distance to the span of the others, relative to ‖b‖. A row that is refused may undercut the
// scores of the others by as much, so this is also how near the two bounds can come: no more than
// rounding may be given away. A distance that is itself rounding does no harm: a row enters only if
// it shortens the residual, which is measured.
constexpr double min_distance = 4 * epsilon;
// Of orthogonalising. One would add the errors of the basis so far to the new column, again and again as
// rows come and go; the second takes them off. A nearly dependent row needs more.
constexpr int min_rounds = 2, max_rounds = 4;
} // namespace

PassiveRows::PassiveRows(const WorkingSet& set)
    : residual(Eigen::VectorXd::Unit(set.n_cols() + 1, 0)), set_(set) {}

bool PassiveRows::append(Index slot) {
  const Index s = size(), height = set_.n_cols() + 1;
  if (s == height)
    return false;
  if (basis_.cols() == s) {
    const Index capacity = std::min(height, std::max<Index>(16, 2 * s));
    basis_.conservativeResize(height, capacity);
    factor_.conservativeResize(capacity, capacity);
  }
  auto rest = basis_.col(s);
  rest << 1, set_.row(slot);
  const auto known = basis_.leftCols(s);
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(s), correction(s);
  const double norm = rest.norm();
  double distance = norm;
  for (int round = 0; round < max_rounds && s > 0; ++round) {
    correction.noalias() = known.transpose() * rest;
    rest.noalias() -= known * correction;
    coefficients += correction;
    const double before = distance;
    distance = rest.norm();
    if (round + 1 >= min_rounds && distance > 0.5 * before)
      break;
  }
  if (!(distance > min_distance * norm))
    return false;
  rest /= distance;
  factor_.col(s).head(s) = coefficients;
  factor_(s, s) = distance;
  slots_.push_back(slot);
  return true;
}

void PassiveRows::remove(Index position) {
  const Index s = size();
  for (Index k = position; k + 1 < s; ++k)
    factor_.col(k).head(k + 2) = factor_.col(k + 1).head(k + 2);
  // Each later column now has one entry below the diagonal; rotations of neighbouring rows, and of
  // the basis with them, remove it.
  for (Index k = position; k + 1 < s; ++k) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(factor_(k, k), factor_(k + 1, k));
    factor_.middleCols(k, s - 1 - k).applyOnTheLeft(k, k + 1, rotation.adjoint());
    basis_.applyOnTheRight(k, k + 1, rotation);
  }
  slots_.erase(slots_.begin() + position);
}

void PassiveRows::solve() {
  const Index s = size();
  const auto basis = basis_.leftCols(s);
  residual.setUnit(set_.n_cols() + 1, 0);
  solution.setZero(s);
  // What is left of e₁ outside the span; the second round removes the rounding of the first.
  for (int round = 0; round < 2 && s > 0; ++round) {
    const Eigen::VectorXd coefficients = basis.transpose() * residual;
    residual.noalias() -= basis * coefficients;
    solution += coefficients;
  }
  factor_.topLeftCorner(s, s).triangularView<Eigen::Upper>().solveInPlace(solution);
}

} // namespace drr
