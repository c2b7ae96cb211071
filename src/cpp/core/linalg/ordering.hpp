// Orders for sorting row numbers by a number of each. An order must hold for every pair or sorting
// is undefined, and no comparison with NaN holds: NaN, which rows can become while a solve reads
// them, comes last. Of equals the smaller row number comes first.
#pragma once

#include "drr/views.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace drr {

inline bool comes_before(double a, double b, bool if_equal) {
  if (a < b)
    return true;
  return a == b || (std::isnan(a) && std::isnan(b)) ? if_equal : std::isnan(b) && !std::isnan(a);
}

template <class Values>
auto lowest_first(const Values& values) {
  return [&values](Index i, Index j) { return comes_before(values[i], values[j], i < j); };
}

template <class Values>
auto highest_first(const Values& values) {
  return [&values](Index i, Index j) { return comes_before(-values[i], -values[j], i < j); };
}

// Keeps the `most` positions of smallest key, in ascending order; returns the smallest
// key left out.
template <class Keys>
double keep_smallest(std::vector<Index>& positions, Index most, const Keys& keys) {
  std::nth_element(positions.begin(), positions.begin() + most, positions.end(), lowest_first(keys));
  const double left_out = keys[positions[most]];
  positions.resize(most);
  std::sort(positions.begin(), positions.end());
  return left_out;
}

} // namespace drr
