#include "drr/floor_blocks.hpp"

#include "core/floor/floor_passes.hpp"
#include "core/linalg/ordering.hpp"
#include "core/linalg/vectors.hpp"
#include "drr/errors.hpp"

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
  return {std::move(survey.mean),    survey.smallest_norm, survey.largest_norm,
          survey.largest_coordinate, survey.smallest,      std::move(survey.outliers)};
}

void check_distances(double largest_norm, double largest_coordinate) {
  // Squares this small have lost digits, or vanished beside a row that has not: no bound from them
  // is one. The coordinates tell them from the squares of sparse rows, which vanish by cancellation
  // if a row equals the target to the last digits.
  constexpr double nearest = 1e-140;
  if (largest_norm < nearest && largest_coordinate < nearest && (largest_norm > 0 || largest_coordinate > 0))
    throw InvalidInput(
        "all rows are nearer than 1e-140 to the target, which squares in double precision cannot "
        "hold; rescale features and target alike");
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
