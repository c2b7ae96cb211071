// A vectorised cosine: Eigen 3.4 has none for doubles.
//
// cos x = cos r with r = x − 2πk in [−π, π], and cos r = sin(π/2 − |r|), whose argument lies
// in [−π/2, π/2]: one odd polynomial serves everywhere, without a branch. The absolute error
// stays below 5e-16.
#pragma once

#include "core/linalg/packets.hpp"
#include "drr/views.hpp"

#include <cmath>

namespace drr {

// Beyond this |x| the products k·2π below would no longer be exact, and the library's slower
// reduction takes over.
inline constexpr double max_fast_argument = 1e5;

inline Packet cosine(Packet x) {
  // Adding 1.5·2⁵² leaves no room for a fraction: the sum is rounded to the nearest integer.
  const Packet rounder = broadcast(6755399441055744.0);
  const Packet k = subtract(multiply_add(x, broadcast(0.15915494309189535), rounder), rounder);
  // 2π in three parts of 33, 33 and 53 bits: |k| < 2¹⁴ makes the first two products exact, with
  // or without FMA.
  Packet r = multiply_add(k, broadcast(-6.2831853069365025), x);
  r = multiply_add(k, broadcast(-2.4308402025215864e-10), r);
  r = multiply_add(k, broadcast(-8.089064995183803e-21), r);
  const Packet s = subtract(broadcast(1.5707963267948966), absolute(r));
  // sin s = s + s³·P(s²), P interpolating at the Chebyshev points of [0, π²/4]:
  // relative error 4e-17.
  const Packet t = multiply(s, s);
  Packet P = broadcast(2.7314447669863995e-15);
  for (const double coefficient :
       {-7.643970296798572e-13, 1.6058977312464087e-10, -2.5052107616996182e-08, 2.7557319219163234e-06,
        -0.00019841269841254974, 0.008333333333333316, -0.16666666666666666})
    P = multiply_add(P, t, broadcast(coefficient));
  return multiply_add(multiply(s, t), P, s);
}

// x = cos x in place; `n` is a multiple of the packet's size.
inline void cosines(double* x, Index n) {
  Packet largest = broadcast(0.0);
  for (Index k = 0; k < n; k += packet_size)
    largest = larger(largest, absolute(load(x + k)));
  const bool all_fast = largest_of(largest) <= max_fast_argument;
  for (Index k = 0; k < n; k += packet_size) {
    const Packet argument = load(x + k);
    store(x + k, cosine(argument));
    if (!all_fast) {
      double arguments[packet_size];
      store(arguments, argument);
      for (int lane = 0; lane < packet_size; ++lane)
        if (!(std::abs(arguments[lane]) <= max_fast_argument))
          x[k + lane] = std::cos(arguments[lane]);
    }
  }
}

} // namespace drr
