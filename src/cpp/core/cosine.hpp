// A vectorised cosine: Eigen 3.4 has none for doubles.
//
// cos x = cos r with r = x − 2πk in [−π, π], and cos r = sin(π/2 − |r|), whose argument lies in [−π/2, π/2]:
// one odd polynomial serves everywhere, without a branch. The absolute error stays below 5e-16.
#pragma once

#include "drr/views.hpp"

#include <Eigen/Core>
#include <cmath>

namespace drr {

using Packet = Eigen::internal::packet_traits<double>::type;
inline constexpr int packet_size = Eigen::internal::packet_traits<double>::size;

// Beyond this |x| the products k·2π below would no longer be exact, and the library's slower reduction takes
// over.
inline constexpr double largest_fast_argument = 1e5;

inline Packet packet_cosine(const Packet& x) {
  using namespace Eigen::internal;
  // Adding 1.5·2⁵² leaves no room for a fraction: the sum is rounded to the nearest integer.
  const Packet rounder = pset1<Packet>(6755399441055744.0);
  const Packet k = psub(pmadd(x, pset1<Packet>(0.15915494309189535), rounder), rounder);
  // 2π in three parts of 33, 33 and 53 bits: |k| < 2¹⁴ makes the first two products exact, with or without
  // FMA.
  Packet r = pmadd(k, pset1<Packet>(-6.2831853069365025), x);
  r = pmadd(k, pset1<Packet>(-2.4308402025215864e-10), r);
  r = pmadd(k, pset1<Packet>(-8.089064995183803e-21), r);
  const Packet s = psub(pset1<Packet>(1.5707963267948966), pabs(r));
  // sin s = s + s³·P(s²), P interpolating at the Chebyshev points of [0, π²/4]: relative error 4e-17.
  const Packet t = pmul(s, s);
  Packet P = pset1<Packet>(2.7314447669863995e-15);
  P = pmadd(P, t, pset1<Packet>(-7.643970296798572e-13));
  P = pmadd(P, t, pset1<Packet>(1.6058977312464087e-10));
  P = pmadd(P, t, pset1<Packet>(-2.5052107616996182e-08));
  P = pmadd(P, t, pset1<Packet>(2.7557319219163234e-06));
  P = pmadd(P, t, pset1<Packet>(-0.00019841269841254974));
  P = pmadd(P, t, pset1<Packet>(0.008333333333333316));
  P = pmadd(P, t, pset1<Packet>(-0.16666666666666666));
  return pmadd(pmul(s, t), P, s);
}

// x = cos x in place; `x` is aligned for packets and `n` a multiple of their size.
inline void cosines(double* x, Index n) {
  using namespace Eigen::internal;
  Packet largest = pset1<Packet>(0.0);
  for (Index k = 0; k < n; k += packet_size)
    largest = pmax(largest, pabs(pload<Packet>(x + k)));
  const bool all_fast = predux_max(largest) <= largest_fast_argument;
  for (Index k = 0; k < n; k += packet_size) {
    Eigen::Array<double, packet_size, 1> argument = Eigen::Map<Eigen::Array<double, packet_size, 1>>(x + k);
    pstore(x + k, packet_cosine(pload<Packet>(x + k)));
    if (!all_fast)
      for (int lane = 0; lane < packet_size; ++lane)
        if (!(std::abs(argument[lane]) <= largest_fast_argument))
          x[k + lane] = std::cos(argument[lane]);
  }
}

} // namespace drr
