// Cholesky factors that stop on request, share the work between threads, and
// survive singular matrices.
#pragma once

#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>

namespace drr {

// L Lᵀ = A in place in the lower triangle, block by block; the bits do not depend on the number of
// threads. False if a pivot is not positive; the lower triangle is then lost.
bool cholesky(Eigen::Ref<Eigen::MatrixXd> lower, ThreadPool& pool);

// The factor of a positive semi-definite matrix brought to a unit diagonal first: rows and columns
// of very different scale then cost no digits. A ridge of the size of round-off, raised only if it
// has to be, makes it definite.
class ScaledCholesky {
public:
  explicit ScaledCholesky(ThreadPool& pool) : pool_(pool) {}

  // Takes the lower triangle of `matrix`, which must stay alive; both triangles are overwritten.
  void factorise(Eigen::MatrixXd& matrix);
  // x = A⁻¹ x
  void solve_in_place(Eigen::VectorXd& x) const;

private:
  ThreadPool& pool_;
  Eigen::MatrixXd* factor_ = nullptr;
  Eigen::VectorXd scale_; // 1/√diagonal
};

} // namespace drr
