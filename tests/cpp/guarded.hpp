// Numbers between margins of NaN. A kernel that reads beyond its input spoils its sums; one that writes
// beyond its output leaves a mark.
#pragma once

#include "drr/views.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace drr::testing {

template <class Scalar>
class Guarded {
public:
  template <class Other>
  explicit Guarded(const std::vector<Other>& values)
      : numbers_(values.size() + 2 * margin, std::numeric_limits<Scalar>::quiet_NaN()) {
    std::copy(values.begin(), values.end(), numbers_.begin() + margin);
  }
  Guarded(Index n, Scalar value) : Guarded(std::vector<Scalar>(static_cast<std::size_t>(n), value)) {}

  Scalar* data() { return numbers_.data() + margin; }
  const Scalar* data() const { return numbers_.data() + margin; }
  Scalar operator[](Index i) const { return data()[i]; }

  bool is_intact() const {
    const auto is_nan = [](Scalar number) { return std::isnan(number); };
    return std::all_of(numbers_.begin(), numbers_.begin() + margin, is_nan) &&
           std::all_of(numbers_.end() - margin, numbers_.end(), is_nan);
  }

private:
  static constexpr std::ptrdiff_t margin = 64;
  std::vector<Scalar> numbers_;
};

} // namespace drr::testing
