// The rows that may carry weight in non-negative least squares, with a QR factor of b = (1, a) that is
// updated as rows enter and leave.
#pragma once

#include "core/floor/working_set.hpp"

#include <Eigen/Core>
#include <vector>

namespace drr {

class PassiveRows {
public:
  explicit PassiveRows(const WorkingSet& set);

  const std::vector<Index>& slots() const { return slots_; }
  Index size() const { return std::ssize(slots_); }

  // Appends a row; false if it lies in the span of the others to working precision.
  bool append(Index slot);
  // Deletes the row at a position; later ones move up by one.
  void remove(Index position);
  // The least-squares solution v of Bᵀv = e₁, and its residual e₁ − Bᵀv.
  void solve();

  Eigen::VectorXd solution; // one per position
  Eigen::VectorXd residual;

private:
  const WorkingSet& set_;
  std::vector<Index> slots_;
  Eigen::MatrixXd basis_;  // Q, height × size: orthonormal columns; the capacity grows by doubling
  Eigen::MatrixXd factor_; // R, size × size, upper triangle: QR = [b₁ … bₛ]
};

} // namespace drr
