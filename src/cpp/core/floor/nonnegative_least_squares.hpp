// Lawson and Hanson's method for the point of smallest norm in the hull of a working set: slower
// than MinNormPoint, and sound if the rows are nearly dependent.
//
// With b = (1, a) in units of the rows' size, min ‖Bᵀv − e₁‖ over v ≥ 0 equals the sought problem:
// for v = s·w with Σw = 1 it is s²‖Aᵀw‖² + (1 − s)², which for every s grows with ‖Aᵀw‖. Each step
// is a least-squares solve by a pivoted QR of the rows, whose residual is exact to round-off
// however ill-conditioned the rows are.
#pragma once

#include "core/floor/working_set.hpp"
#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>

namespace drr {

// Improves `weights` (one per slot, summing to one) until no row shortens x by more than round-off,
// or by `tolerance` of ‖x‖². `x` is Aᵀw, made orthogonal to the affine hull of the rows in use
// beyond what rounded weights can express.
void nonnegative_least_squares(const WorkingSet& set, double tolerance, ThreadPool& pool,
                               Eigen::VectorXd& weights, Eigen::VectorXd& x);

} // namespace drr
