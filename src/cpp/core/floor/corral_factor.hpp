// The Cholesky factor of M = B Bᵀ for a growing and shrinking list of rows b: appended to the
// end, deleted anywhere.
#pragma once

#include "drr/views.hpp"

#include <Eigen/Core>
#include <vector>

namespace drr {

class CorralFactor {
public:
  Index size() const { return size_; }
  void clear() { size_ = 0; }

  // Starts anew from the rows themselves, given as columns (overwritten): QR loses half as many
  // digits as the Gram matrix. Returns the positions whose distance to the span of those before is
  // below `dependence` of their norm.
  std::vector<Index> assign(Eigen::MatrixXd& columns, double dependence);
  // Appends a batch: `cross` = B_old B_newᵀ (size × t), `square` = B_new B_newᵀ (t × t); both are
  // overwritten. A row whose squared distance to the span of the rows before it is below 1e-6 of
  // its squared norm is left out: its distance would have lost too many digits. Returns the
  // positions in the batch that were appended.
  std::vector<Index> append(Eigen::MatrixXd& cross, Eigen::MatrixXd& square);
  // Appends one row whose last row of the factor is known: L⁻¹(B_old b) and the distance of b
  // to the span.
  void append(const Eigen::VectorXd& coefficients, double distance);
  // Deletes the row at a position; later ones move up by one. Givens rotations, O(size²)
  // and backward stable.
  void remove(Index position);

  // The smallest distance of a row to the span of those before it.
  double smallest_distance() const { return size_ > 0 ? lower().diagonal().minCoeff() : 1.0; }

  // In place: L⁻¹ v, L⁻ᵀ v, M⁻¹ v
  template <class Matrix>
  void solve_lower(Matrix& v) const {
    lower().template triangularView<Eigen::Lower>().solveInPlace(v);
  }
  template <class Matrix>
  void solve_upper(Matrix& v) const {
    lower().transpose().template triangularView<Eigen::Upper>().solveInPlace(v);
  }
  template <class Matrix>
  void solve(Matrix& v) const {
    solve_lower(v);
    solve_upper(v);
  }

private:
  Eigen::Block<const Eigen::MatrixXd> lower() const { return storage_.topLeftCorner(size_, size_); }
  void reserve(Index size);

  Eigen::MatrixXd storage_; // the lower triangle of its top left corner is L; capacity grows by doubling
  Index size_ = 0;
};

} // namespace drr
