#include "drr/floor_blocks.hpp"

#include "core/floor/floor_passes.hpp"
#include "core/linalg/ordering.hpp"
#include "core/linalg/vectors.hpp"

#include <utility>

namespace drr {

BlockSurvey survey_block(const FloorInput& input, const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.target.data());
  ThreadPool pool(execution);
  RowSurvey survey = FloorPasses(*rows, input.base_weights, pool).survey();
  const double total =
      input.base_weights.empty() ? 1.0 : sum_of(input.base_weights.data(), std::ssize(input.base_weights));
  for (double& coordinate : survey.mean)
    coordinate /= total;
  return {std::move(survey.mean), survey.smallest_norm, survey.largest_norm, survey.smallest,
          std::move(survey.outliers)};
}

BlockPrices price_block(const FloorInput& input, std::span<const double> x, double threshold, Index most,
                        const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.target.data());
  ThreadPool pool(execution);
  FloorPasses passes(*rows, input.base_weights, pool);
  BlockPrices prices;
  prices.lowest = passes.price(x).score;
  const std::span<const double> scores = passes.scores();
  for (Index i = 0; i < rows->n_rows(); ++i)
    if (scores[i] < threshold)
      prices.rows.push_back(i);
  if (std::ssize(prices.rows) > most)
    keep_smallest(prices.rows, most, scores);
  for (Index i : prices.rows)
    prices.scores.push_back(scores[i]);
  return prices;
}

} // namespace drr
