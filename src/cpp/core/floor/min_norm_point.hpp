// Wolfe's method: the point of smallest norm in the convex hull of a working set of rows.
//
// The corral is the list of rows with positive weight; they are affinely independent. With b = (1,
// a), the Gram matrix M = B Bᵀ = 1 1ᵀ + A Aᵀ of its rows is then positive definite, and the
// minimiser of ‖Aᵀ(w + Δ)‖ with Σ Δ = 0 is
//
//   Δ = λ q − p,   M p = A x − ‖x‖² 1,   M q = 1,   λ = Σp / Σq,   x = Aᵀw.
//
// It is used as a correction of the present w: an inexact factor of M then slows the method but
// does not bias it.
#pragma once

#include "core/floor/corral_factor.hpp"
#include "core/floor/working_set.hpp"
#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace drr {

class MinNormPoint {
public:
  // The caller adds rows to `set` between calls; `pool` is only asked whether to stop.
  MinNormPoint(WorkingSet& set, ThreadPool& pool) : set_(set), pool_(pool) {}

  // All weight on one slot.
  void start(Index slot);
  // Minimises over the working set until ‖x‖² − min aᵀx ≤ tolerance·‖x‖², or ‖x‖ ≤ negligible, or
  // round-off ends it. With `yields` it also returns as soon as `is_nearly_dependent`.
  void improve(double tolerance, double negligible, bool yields = false);
  // The same by least squares on the rows themselves, for rows too near to
  // dependence for `improve`.
  void improve_by_least_squares(double tolerance);
  // Makes `improve` go on from the weights of least squares.
  void resume();
  // Whether rows of the corral are so near to dependence that `improve` would only add more of them.
  bool is_nearly_dependent() const;
  // Shrinks the working set to the corral and those other rows that are nearest to it in score.
  void purge(Index n_others);

  // Aᵀw in the units of the working set, more exact than rounded weights give
  // it: see remove_rounding.
  const Eigen::VectorXd& x() const { return x_; }
  double norm() const { return achieved_norm_; }               // ‖Aᵀw‖ in those units
  const Eigen::VectorXd& weights() const { return weights_; }  // one per slot, summing to one
  const std::vector<Index>& corral() const { return corral_; } // the slots that carry weight

private:
  enum class Precision { gram, rows };

  void descend(Precision precision, double tolerance, double negligible, bool yields);
  void admit_new_slots();
  void update_gradient();
  void remove_rounding();
  double largest_square() const;
  bool gram_is_precise() const;
  double spread() const;
  double resolution(double tolerance) const;
  std::vector<Index> find_violators(double slack) const;
  bool enter(std::span<const Index> violators);
  bool enter_refined(std::span<const Index> violators);
  bool enter_refined(Index slot);
  void rebuild_factor();
  void leave(Index position);
  void minor_cycles();
  bool drop_useless_entrants();
  void find_direction();
  bool step();
  double line_search();
  void find_motion();

  WorkingSet& set_;
  ThreadPool& pool_;
  CorralFactor factor_;
  std::vector<Index> corral_;   // slots in the order of the factor
  std::vector<Index> position_; // of a slot in the corral, or −1
  std::vector<char> refused_; // slots in the affine hull of the corral to working precision, until it changes
  Precision precision_ = Precision::gram;
  bool factor_is_coarse_ = false; // some of it came through the Gram matrix

  Eigen::VectorXd weights_, scores_; // per slot: w, A x
  Eigen::VectorXd x_;
  double squared_norm_ = 0;  // ‖x‖²
  double achieved_norm_ = 0; // ‖Aᵀw‖ of the weights as they are
  Eigen::VectorXd change_;   // Δ, per corral position
  Eigen::VectorXd motion_;   // AᵀΔ
  Eigen::MatrixXd solves_;   // p and q
};

} // namespace drr
