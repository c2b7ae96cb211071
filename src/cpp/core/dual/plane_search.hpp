// Minimises f over a plane {αθ + βp}. The scores A(αθ + βp) = αAθ + βAp are combinations of two
// known vectors, so a search of any length costs no pass over the rows, only sweeps over vectors
// of length n0.
#pragma once

#include "core/rows/row_blocks.hpp"
#include "core/runtime/thread_pool.hpp"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace drr {

// The two directions: their scores, and the inner products that give ‖αθ + βp‖.
struct Plane {
  const double* first_scores;  // Aθ
  const double* second_scores; // Ap
  Eigen::Matrix2d products;    // θᵀθ, θᵀp; pᵀθ, pᵀp
};

// f, its gradient and its Hessian in the coordinates (α, β).
struct PlaneValue {
  Eigen::Vector2d at;
  double log_partition; // Λ
  double norm;          // ‖αθ + βp‖
  double objective;     // Λ + δ‖αθ + βp‖
  Eigen::Vector2d gradient;
  Eigen::Matrix2d hessian;
  Eigen::Vector2d mean_scores; // of θ and p under w
};

class PlaneSearch {
public:
  // log_base_weights may be empty: uniform, 1/n0 each.
  PlaneSearch(Index n_rows, std::span<const double> log_base_weights, double tolerance, ThreadPool& pool);

  PlaneValue evaluate(const Plane& plane, Eigen::Vector2d at, Eigen::Vector2d centre);

  // Starts at `start`, or at `fallback` if the objective is higher at `start`. Ends no higher,
  // up to round-off.
  PlaneValue minimise(const Plane& plane, Eigen::Vector2d start, Eigen::Vector2d fallback,
                      Eigen::Vector2d centre);

  // w = exp(scores + log d − Λ)
  void weights(const double* scores, double log_partition, double* weights);
  // The largest and the largest absolute score among rows with positive base weight.
  struct Extremes {
    double largest, largest_absolute;
  };
  Extremes extremes(const double* scores);

private:
  // Sums over one chunk of e, e·x, e·y, e·x², e·xy, e·y² with e relative to the
  // chunk's largest score.
  struct Sums {
    double largest;
    Eigen::Array<double, 6, 1> sums;
  };
  RowRange chunk_rows(Index chunk) const;
  void accumulate(Sums& sums, const Plane& plane, RowRange rows, Eigen::Vector2d at,
                  Eigen::Vector2d centre) const;
  double gradient_round_off(const PlaneValue& value) const;
  double objective_round_off(const PlaneValue& value) const;

  Index n_rows_, n_chunks_;
  std::span<const double> log_base_weights_;
  double tolerance_;
  double uniform_; // log n0 if the base weights are uniform, else 0: log d is then part of the scores
  ThreadPool& pool_;
  std::vector<Sums> partials_;
};

} // namespace drr
