// A fixed hash of whole numbers: a random number for each position, the same in whatever order
// threads come to it.
#pragma once

#include <cstdint>

namespace drr {

inline constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15u; // of 2⁶⁴

inline std::uint64_t splitmix64(std::uint64_t x) {
  x += golden_ratio;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

} // namespace drr
