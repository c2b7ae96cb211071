// Numbers between margins. The margins of an input are NaN: a kernel that reads beyond it spoils
// its sums. Those of an output are numbers: one that writes beyond it, or adds to what is there,
// leaves a mark.
#pragma once

#include "drr/views.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace drr::testing {

template <class Scalar>
class Guarded {
public:
  template <class Other>
  explicit Guarded(const std::vector<Other>& input)
      : Guarded(input, std::numeric_limits<Scalar>::quiet_NaN()) {}
  // An output that is filled with `value` at first.
  Guarded(Index n, Scalar value) : Guarded(std::vector<Scalar>(static_cast<std::size_t>(n), value), mark) {}

  Scalar* data() { return numbers_.data() + margin; }
  const Scalar* data() const { return numbers_.data() + margin; }
  Scalar operator[](Index i) const { return data()[i]; }

  // Of an output: whether its margins are as they were.
  bool is_intact() const {
    const auto is_mark = [](Scalar number) { return number == mark; };
    return std::all_of(numbers_.begin(), numbers_.begin() + margin, is_mark) &&
           std::all_of(numbers_.end() - margin, numbers_.end(), is_mark);
  }

private:
  template <class Other>
  Guarded(const std::vector<Other>& values, Scalar around) : numbers_(values.size() + 2 * margin, around) {
    std::copy(values.begin(), values.end(), numbers_.begin() + margin);
  }

  static constexpr std::ptrdiff_t margin = 64;
  static constexpr Scalar mark = 12345;
  std::vector<Scalar> numbers_;
};

} // namespace drr::testing
