// The dual objective and what a minimiser may ask of it: the frozen problem, the moving point, and
// the passes between.
#pragma once

#include "core/dual/plane_search.hpp"
#include "core/rows/row_blocks.hpp"
#include "core/rows/row_passes.hpp"
#include "core/runtime/thread_pool.hpp"
#include "drr/dual_judge.hpp"

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

namespace drr {

// The part of the input that defines f. The spans belong to the caller.
struct DualProblem {
  FeatureView features;
  std::span<const double> target;
  std::span<const double> log_base_weights; // empty: uniform
  double tolerance;                         // δ
};

struct DualPoint {
  Eigen::VectorXd theta;
  double norm = 0;          // ‖θ‖
  Eigen::VectorXd scores;   // Aθ
  double log_partition = 0; // Λ(θ)
  double objective = 0;     // f(θ)
  Eigen::VectorXd weights;  // w
  Eigen::VectorXd mean;     // Aᵀw
  Eigen::VectorXd gradient; // g = Aᵀw + δθ/‖θ‖
  bool is_fresh = false;    // all of it computed from θ alone, without the round-off of former steps
};

// A step p with its scores Ap: what a plane search needs.
struct Direction {
  Eigen::VectorXd step;
  Eigen::VectorXd scores;
};

class DualModel {
public:
  DualModel(const DualProblem& problem, ThreadPool& pool);

  Index n_rows() const { return rows_->n_rows(); }
  Index n_cols() const { return rows_->n_cols(); }
  double tolerance() const { return problem_.tolerance; }
  ThreadPool& pool() { return pool_; }
  PlaneSearch& plane_search() { return plane_search_; }
  const RowBlocks& rows() const { return *rows_; }
  // The rows relative to the mean of the last point given to `update_gradient`: covariances lose no
  // digits in them.
  const RowBlocks& centred_rows() const { return *centred_rows_; }
  Index n_passes() const { return n_passes_; }

  // direction.scores = A·direction.step
  void compute_scores(Direction& direction);
  // The best point of the plane spanned by θ and a direction. Leaves mean and gradient of
  // the former point.
  void move(DualPoint& point, const Direction& direction, Eigen::Vector2d start);
  // Mean and gradient at the point's weights, and the centre of the centred rows.
  void update_gradient(DualPoint& point);
  // Scores, weights, mean, gradient from θ alone. Throws InvalidInput if a feature is not finite.
  void evaluate_afresh(DualPoint& point);
  // product = ∇²f · v, scores = (A − 1·meanᵀ) v
  void hessian_product(const DualPoint& point, const Eigen::VectorXd& v, Eigen::VectorXd& scores,
                       Eigen::VectorXd& product);
  // What a judge needs to know of a point: one sweep over its scores. The spans are the point's.
  DualSums sums(const DualPoint& point) { return sums(point, point.scores); }
  DualSums sums(const DualPoint& point, const Eigen::VectorXd& scores);
  // (Σ wᵢaᵢₖ²)^½ of every column k
  std::vector<double> column_scales(const DualPoint& point);
  // c = δ/‖θ‖, the curvature of the norm across θ
  double norm_curvature(const DualPoint& point) const { return tolerance() / point.norm; }

private:
  void set_gradient(DualPoint& point);

  DualProblem problem_;
  ThreadPool& pool_;
  Eigen::VectorXd centre_; // target + mean
  std::unique_ptr<RowBlocks> rows_, centred_rows_;
  RowPasses passes_, centred_passes_;
  PlaneSearch plane_search_;
  Index n_passes_ = 0;
};

} // namespace drr
