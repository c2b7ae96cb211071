#include "drr/gram.hpp"

#include "core/linalg/row_gram.hpp"

#include <vector>

namespace drr {

void gram(const FeatureView& features, std::span<double> matrix, const Execution& execution) {
  validate(features);
  const Index n_cols = std::visit([](const auto& view) { return view.n_cols; }, features);
  const std::vector<double> origin(n_cols, 0.0);
  const auto rows = make_row_blocks(features, origin.data());
  ThreadPool pool(execution);
  const Index n = rows->n_rows();
  SquareMatrix lower(n, n);
  row_gram(*rows, pool, GramPrecision::double_precision, lower);
  Eigen::Map<SquareMatrix>(matrix.data(), n, n) = lower.selfadjointView<Eigen::Lower>();
}

} // namespace drr
