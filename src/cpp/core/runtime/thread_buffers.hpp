// Room for each of several threads, at least a page apart. What a thread sweeps over again and
// again must not lie close before what another one writes: the hardware fetches on beyond the end
// of a sweep, though never beyond the page, and each such fetch takes the lines away from the
// thread that is writing them (measured on two threads: a pass takes 1.5 times as long).
#pragma once

#include "drr/views.hpp"

#include <algorithm>
#include <vector>

namespace drr {

class ThreadBuffers {
public:
  ThreadBuffers(Index count, Index length) : stride_(length + page), numbers_(count * stride_) {}

  double* operator[](Index place) { return numbers_.data() + place * stride_; }

private:
  static constexpr Index page = 4096 / sizeof(double);
  Index stride_;
  std::vector<double> numbers_;
};

// A vector for each chunk of rows, formed by one thread in its own place and then put beside the
// others, to be added in order.
class ChunkSums {
public:
  ChunkSums(Index n_chunks, Index n_threads, Index length)
      : length_(length), at_work_(n_threads, length), finished_(n_chunks * length) {}

  // Calls add(sum) with the chunk's vector, which is zero before.
  template <class Add>
  void form(Index chunk, int worker, Add&& add) {
    double* sum = at_work_[worker];
    std::fill_n(sum, length_, 0.0);
    add(sum);
    std::copy_n(sum, length_, finished_.data() + chunk * length_);
  }

  const double* operator[](Index chunk) const { return finished_.data() + chunk * length_; }

private:
  Index length_;
  ThreadBuffers at_work_;
  std::vector<double> finished_;
};

} // namespace drr
