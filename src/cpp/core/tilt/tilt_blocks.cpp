#include "drr/tilt_blocks.hpp"

#include "core/linalg/ordering.hpp"
#include "core/linalg/splitmix64.hpp"
#include "core/linalg/vectors.hpp"
#include "core/runtime/constants.hpp"
#include "core/tilt/tilt_pass.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace drr {

namespace {

template <class Element>
std::vector<Element> chosen(const std::vector<Element>& all, const std::vector<Index>& positions) {
  std::vector<Element> some;
  some.reserve(positions.size());
  for (Index position : positions)
    some.push_back(all[position]);
  return some;
}

} // namespace

BlockSample sample_block(std::span<const double> scores, Index n_rows, const SampleRequest& request) {
  BlockSample sample;
  sample.limit = request.limit;
  if (request.most == 0)
    return sample;
  const std::uint64_t block = splitmix64(request.block);
  const double probability_of_zero = std::exp(request.limit);
  for (Index i = 0; i < n_rows; ++i) {
    // In (0, 1): no logarithm of zero.
    const auto bits = splitmix64(block + static_cast<std::uint64_t>(i)) >> 11;
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

BlockTilt tilt_block(const TiltInput& input, const SampleRequest& sample, const Execution& execution) {
  validate(input.features);
  const auto rows = make_row_blocks(input.features, input.shift.data());
  ThreadPool pool(execution);
  TiltPass pass(*rows, pool);
  const Index n = rows->n_rows();
  std::vector<double> scores(n), weights(n);
  BlockTilt tilt;
  tilt.mean.resize(rows->n_cols());
  const LogSum sum = pass(input.theta, input.log_base_weights, scores, tilt.mean);
  tilt.reference = sum.largest;
  tilt.sum = sum.total;
  pass.weights(scores, sum, weights);
  tilt.log_square_sum = std::log(dot_of(weights.data(), weights.data(), n)) + 2 * sum.value();

  tilt.largest_score = minus_infinity;
  for (Index i = 0; i < n; ++i) {
    const double log_d = input.log_base_weights.empty() ? 0.0 : input.log_base_weights[i];
    if (log_d == minus_infinity)
      continue;
    tilt.largest_score = std::max(tilt.largest_score, scores[i] - log_d);
    tilt.largest_absolute = std::max(tilt.largest_absolute, std::abs(scores[i] - log_d));
  }
  tilt.sample = sample_block(scores, n, sample);
  return tilt;
}

} // namespace drr
