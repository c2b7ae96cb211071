#include "drr/block_passes.hpp"

#include "core/constants.hpp"
#include "core/floor_passes.hpp"
#include "core/ordering.hpp"
#include "core/tilt_pass.hpp"
#include "core/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace drr {

namespace {

std::uint64_t scrambled(std::uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Keeps the `most` positions of smallest key, in ascending order; returns the smallest key left out.
template <class Keys>
double keep_smallest(std::vector<Index>& positions, Index most, const Keys& keys) {
  std::nth_element(positions.begin(), positions.begin() + most, positions.end(), lowest_first(keys));
  const double left_out = keys[positions[most]];
  positions.resize(most);
  std::sort(positions.begin(), positions.end());
  return left_out;
}

template <class Element>
std::vector<Element> chosen(const std::vector<Element>& all, const std::vector<Index>& positions) {
  std::vector<Element> some;
  some.reserve(positions.size());
  for (Index position : positions)
    some.push_back(all[position]);
  return some;
}

} // namespace

BlockSurvey survey_block(const BlockInput& input, const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.shift.data());
  ThreadPool pool(execution);
  RowSurvey survey = FloorPasses(*rows, input.base_weights, pool).survey();
  const double total =
      input.base_weights.empty() ? 1.0 : sum_of(input.base_weights.data(), std::ssize(input.base_weights));
  for (double& coordinate : survey.mean)
    coordinate /= total;
  return {std::move(survey.mean), survey.smallest_norm, survey.largest_norm, survey.smallest};
}

BlockPrices price_block(const BlockInput& input, std::span<const double> x, double threshold, Index most,
                        const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.shift.data());
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

BlockSample sample_block(std::span<const double> scores, Index n_rows, const SampleRequest& request) {
  BlockSample sample;
  sample.limit = request.limit;
  if (request.most == 0)
    return sample;
  const std::uint64_t block = scrambled(request.block);
  const double probability_of_zero = std::exp(request.limit);
  for (Index i = 0; i < n_rows; ++i) {
    // In (0, 1): no logarithm of zero.
    const auto bits = scrambled(block + static_cast<std::uint64_t>(i)) >> 11;
    const double uniform = (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
    const double score = scores.empty() ? 0.0 : scores[i];
    // log u ≥ −37: most rows are refused without a logarithm.
    if (score + request.limit < -37.5)
      continue;
    if (score + request.limit >= 0 ||
        uniform < (scores.empty() ? probability_of_zero : std::exp(score + request.limit))) {
      sample.rows.push_back(i);
      sample.keys.push_back(std::log(uniform) - score);
      sample.scores.push_back(score);
    }
  }
  if (std::ssize(sample.rows) > request.most) {
    std::vector<Index> positions(sample.rows.size());
    std::iota(positions.begin(), positions.end(), Index{0});
    sample.limit = keep_smallest(positions, request.most, sample.keys);
    sample.rows = chosen(sample.rows, positions);
    sample.keys = chosen(sample.keys, positions);
    sample.scores = chosen(sample.scores, positions);
  }
  return sample;
}

BlockTilt tilt_block(const BlockInput& input, std::span<const double> log_base_weights,
                     std::span<const double> theta, const SampleRequest& sample, const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.shift.data());
  ThreadPool pool(execution);
  TiltPass pass(*rows, pool);
  const Index n = rows->n_rows();
  std::vector<double> scores(n), weights(n);
  BlockTilt tilt;
  tilt.mean.resize(rows->n_cols());
  const LogSum sum = pass(theta, log_base_weights, scores, tilt.mean);
  tilt.log_sum = sum.value();
  pass.weights(scores, sum, weights);
  tilt.log_square_sum = std::log(dot_of(weights.data(), weights.data(), n)) + 2 * tilt.log_sum;

  tilt.largest_score = minus_infinity;
  for (Index i = 0; i < n; ++i) {
    const double log_d = log_base_weights.empty() ? 0.0 : log_base_weights[i];
    if (log_d == minus_infinity)
      continue;
    tilt.largest_score = std::max(tilt.largest_score, scores[i] - log_d);
    tilt.largest_absolute = std::max(tilt.largest_absolute, std::abs(scores[i] - log_d));
  }
  tilt.sample = sample_block(scores, n, sample);
  return tilt;
}

} // namespace drr
