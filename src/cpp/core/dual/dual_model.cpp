#include "core/dual/dual_model.hpp"

#include "core/tilt/tilt_pass.hpp"

#include <cmath>

namespace drr {

namespace {
std::span<double> span_of(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
std::span<const double> span_of(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
} // namespace

DualModel::DualModel(const DualProblem& problem, ThreadPool& pool)
    : problem_(problem), pool_(pool),
      centre_(Eigen::Map<const Eigen::VectorXd>(problem.target.data(), problem.target.size())),
      rows_(make_row_blocks(problem.features, problem.target.data())),
      centred_rows_(make_row_blocks(problem.features, centre_.data())), passes_(*rows_, pool),
      centred_passes_(*centred_rows_, pool),
      plane_search_(rows_->n_rows(), problem.log_base_weights, problem.tolerance, pool) {}

void DualModel::compute_scores(Direction& direction) {
  direction.scores.resize(n_rows());
  passes_.scores(direction.step.data(), direction.scores.data());
  ++n_passes_;
}

void DualModel::move(DualPoint& point, const Direction& direction, Eigen::Vector2d start) {
  const double across = point.theta.dot(direction.step);
  Plane plane{point.scores.data(), direction.scores.data(), {}};
  plane.products << point.theta.squaredNorm(), across, across, direction.step.squaredNorm();
  const Eigen::Vector2d means(point.mean.dot(point.theta), point.mean.dot(direction.step));
  const PlaneValue best = plane_search_.minimise(plane, start, {1, 0}, means);
  point.is_fresh = false;
  point.theta = best.at[0] * point.theta + best.at[1] * direction.step;
  point.scores = best.at[0] * point.scores + best.at[1] * direction.scores;
  point.norm = point.theta.norm();
  point.log_partition = best.log_partition;
  point.objective = best.objective;
  plane_search_.weights(point.scores.data(), point.log_partition, point.weights.data());
}

void DualModel::update_gradient(DualPoint& point) {
  passes_.weighted_sum(point.weights.data(), point.mean.data());
  ++n_passes_;
  set_gradient(point);
}

void DualModel::evaluate_afresh(DualPoint& point) {
  point.scores.resize(n_rows());
  point.weights.resize(n_rows());
  point.mean.resize(n_cols());
  const auto log_d = problem_.log_base_weights;
  TiltPass pass(*rows_, pool_);
  const LogSum sum = pass(span_of(point.theta), log_d, span_of(point.scores), span_of(point.mean));
  pass.weights(span_of(point.scores), sum, span_of(point.weights));
  ++n_passes_;
  // The pass has added log d to the scores. Absent rows have lost theirs, which no later
  // step asks for.
  for (std::size_t i = 0; i < log_d.size(); ++i)
    point.scores[i] = std::isfinite(log_d[i]) ? point.scores[i] - log_d[i] : 0.0;
  point.norm = point.theta.norm();
  point.log_partition = sum.value() - (log_d.empty() ? std::log(static_cast<double>(n_rows())) : 0.0);
  point.objective = point.log_partition + tolerance() * point.norm;
  set_gradient(point);
  point.is_fresh = true;
}

DualSums DualModel::sums(const DualPoint& point, const Eigen::VectorXd& scores) {
  const auto [largest, largest_absolute] = plane_search_.extremes(scores.data());
  DualSums sums{span_of(point.theta), span_of(point.mean)};
  sums.log_partition = point.log_partition;
  sums.largest_score = largest;
  sums.largest_absolute = largest_absolute;
  return sums;
}

std::vector<double> DualModel::column_scales(const DualPoint& point) {
  std::vector<double> scales(static_cast<std::size_t>(n_cols()));
  passes_.weighted_squares(point.weights.data(), scales.data());
  ++n_passes_;
  for (double& scale : scales)
    scale = std::sqrt(scale);
  return scales;
}

void DualModel::set_gradient(DualPoint& point) {
  centre_ = Eigen::Map<const Eigen::VectorXd>(problem_.target.data(), n_cols()) + point.mean;
  point.gradient = point.mean;
  if (point.norm > 0)
    point.gradient += tolerance() / point.norm * point.theta;
}

void DualModel::hessian_product(const DualPoint& point, const Eigen::VectorXd& v, Eigen::VectorXd& scores,
                                Eigen::VectorXd& product) {
  // ∇²f = Σ wᵢ(aᵢ − m)(aᵢ − m)ᵀ + c (I − uuᵀ),  u = θ/‖θ‖
  centred_passes_.product(v.data(), point.weights.data(), scores.data(), product.data());
  ++n_passes_;
  const double c = norm_curvature(point);
  product += c * v - (c * point.theta.dot(v) / (point.norm * point.norm)) * point.theta;
}

} // namespace drr
