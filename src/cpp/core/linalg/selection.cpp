#include "core/linalg/selection.hpp"

#include <algorithm>
#include <cmath>

namespace drr {

namespace {

constexpr Index few = 1 << 14;         // are selected from at once
constexpr Index sample_size = 1 << 11; // of many, to find two bounds around what is wanted
constexpr double margin = 3;           // standard deviations of the sample's quantile

std::pair<double, double> select_at_once(std::vector<double>& numbers, Index first, Index last) {
  const auto at = numbers.begin() + first;
  std::nth_element(numbers.begin(), at, numbers.end());
  return {*at, last == first ? *at : *std::min_element(at + 1, numbers.end())};
}

} // namespace

std::pair<double, double> select(std::vector<double>& numbers, Index first, Index last) {
  const Index n = std::ssize(numbers);
  if (n <= few)
    return select_at_once(numbers, first, last);

  // 1. Two bounds that the wanted places are most likely between.
  std::vector<double> sample(sample_size);
  for (Index k = 0; k < sample_size; ++k)
    sample[k] = numbers[(2 * k + 1) * n / (2 * sample_size)];
  std::sort(sample.begin(), sample.end());
  const double middle = static_cast<double>(first) / static_cast<double>(n) * sample_size;
  const auto spread = static_cast<Index>(margin * std::sqrt(static_cast<double>(sample_size)) / 2) + 1;
  const Index lower = static_cast<Index>(middle) - spread, upper = static_cast<Index>(middle) + 1 + spread;
  if (lower < 0 || upper >= sample_size)
    return select_at_once(numbers, first, last);

  // 2. The numbers between them, and how many are below. Without a branch: which it is
  // cannot be predicted.
  const double low = sample[lower], high = sample[upper];
  std::vector<double> between(n + 1);
  Index n_below = 0, n_between = 0;
  for (const double number : numbers) {
    between[n_between] = number;
    n_between += static_cast<Index>(number >= low) & static_cast<Index>(number <= high);
    n_below += static_cast<Index>(number < low);
  }
  if (first < n_below || last >= n_below + n_between)
    return select_at_once(numbers, first, last);
  between.resize(n_between);
  return select_at_once(between, first - n_below, last - n_below);
}

} // namespace drr
