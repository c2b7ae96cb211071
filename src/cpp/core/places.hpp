// Room for each of several threads or chunks, far enough apart that no cache line is shared: one that two
// threads write would travel between them at every tile.
#pragma once

#include "drr/views.hpp"

#include <vector>

namespace drr {

class Places {
public:
  Places(Index count, Index length) : stride_(length + apart), numbers_(count * stride_) {}

  double* operator[](Index place) { return numbers_.data() + place * stride_; }
  const double* operator[](Index place) const { return numbers_.data() + place * stride_; }

private:
  static constexpr Index apart = 16; // two cache lines, since the first place may begin anywhere in one
  Index stride_;
  std::vector<double> numbers_;
};

} // namespace drr
