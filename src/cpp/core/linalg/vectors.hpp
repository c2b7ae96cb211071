// Sweeps over plain vectors whose result depends on the numbers alone. Eigen's own sums and
// elementwise functions treat the elements before the first aligned address one by one, so their
// last bits change with where an array happens to lie; these load unaligned registers from the
// first element on, and pad the last one.
#pragma once

#include "core/linalg/packets.hpp"
#include "drr/views.hpp"

#include <algorithm>
#include <array>

namespace drr {

// e = exp(scores − largest), and exactly 0 below 3.4e-308; returns their sum. `e` may be
// the scores themselves.
double exponentials(const double* scores, Index n, double largest, double* e);
// e = e · factor / divisor, with e · factor exactly 0 below 3.4e-308.
void rescale_exponentials(double* e, Index n, double factor, double divisor);

inline double sum_of(const double* values, Index n) {
  Packet sums = broadcast(0.0);
  Index i = 0;
  for (; i + packet_size <= n; i += packet_size)
    sums = add(sums, load(values + i));
  double tail = 0.0;
  for (; i < n; ++i)
    tail += values[i];
  return sum_of(sums) + tail;
}

inline double dot_of(const double* a, const double* b, Index n) {
  Packet sums = broadcast(0.0);
  Index i = 0;
  for (; i + packet_size <= n; i += packet_size)
    sums = multiply_add(load(a + i), load(b + i), sums);
  double tail = 0.0;
  for (; i < n; ++i)
    tail += a[i] * b[i];
  return sum_of(sums) + tail;
}

// True if no element is NaN or infinite.
inline bool all_finite(const double* values, Index n) {
  // x − x is 0 for a finite x and NaN otherwise; NaN survives every addition.
  Packet differences = broadcast(0.0);
  Index i = 0;
  for (; i + packet_size <= n; i += packet_size)
    differences = add(differences, subtract(load(values + i), load(values + i)));
  double tail = sum_of(differences);
  for (; i < n; ++i)
    tail += values[i] - values[i];
  return tail == 0.0;
}

} // namespace drr
