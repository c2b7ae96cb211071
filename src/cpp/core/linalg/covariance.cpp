#include "drr/covariance.hpp"

#include "core/linalg/weighted_gram.hpp"

#include <Eigen/Core>

namespace drr {

void covariance(const CovarianceInput& input, std::span<double> matrix, const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.centre.data());
  ThreadPool pool(execution);
  const Eigen::VectorXd roots =
      Eigen::Map<const Eigen::VectorXd>(input.weights.data(), std::ssize(input.weights)).cwiseSqrt();
  Eigen::MatrixXd lower(rows->n_cols(), rows->n_cols());
  WeightedGram(rows->n_cols(), pool)({*rows, roots.data(), nullptr, rows->n_rows()}, lower);
  Eigen::Map<Eigen::MatrixXd>(matrix.data(), lower.rows(), lower.cols()) =
      lower.selfadjointView<Eigen::Lower>();
}

} // namespace drr
