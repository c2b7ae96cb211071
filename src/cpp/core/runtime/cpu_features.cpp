#include "core/runtime/cpu_features.hpp"

#if defined(__x86_64__) || defined(_M_X64)

#include <cstdint>
#include <initializer_list>

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

namespace drr {
namespace {

struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(std::uint32_t leaf) {
  Registers r;
#if defined(_MSC_VER)
  int values[4];
  __cpuid(values, static_cast<int>(leaf & 0x80000000u));
  if (static_cast<std::uint32_t>(values[0]) < leaf)
    return r;
  __cpuidex(values, static_cast<int>(leaf), 0);
  r = {static_cast<std::uint32_t>(values[0]), static_cast<std::uint32_t>(values[1]),
       static_cast<std::uint32_t>(values[2]), static_cast<std::uint32_t>(values[3])};
#else
  __get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx);
#endif
  return r;
}

// Extended control register 0: which register files the operating system saves on a context switch.
std::uint64_t saved_state() {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  std::uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
#endif
}

constexpr bool has(std::uint32_t word, std::initializer_list<int> bits) {
  for (int bit : bits)
    if (!(word >> bit & 1u))
      return false;
  return true;
}

} // namespace

bool supports_x86_64_level(int level) {
  const Registers basic = cpuid(1), extended = cpuid(0x80000001u), structured = cpuid(7);
  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF-SAHF
  const bool v2 = has(basic.ecx, {0, 9, 13, 19, 20, 23}) && has(extended.ecx, {0});
  if (level <= 2)
    return v2;
  // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
  const bool v3_instructions =
      v2 && has(basic.ecx, {12, 22, 27, 28, 29}) && has(structured.ebx, {3, 5, 8}) && has(extended.ecx, {5});
  if (!v3_instructions)
    return false;
  const std::uint64_t state = saved_state(); // only defined if OSXSAVE is set
  const bool v3 = (state & 0x6) == 0x6;      // XMM and YMM
  if (level == 3)
    return v3;
  // AVX-512 F, DQ, CD, BW, VL; opmask, ZMM_Hi256 and Hi16_ZMM saved
  return v3 && level == 4 && has(structured.ebx, {16, 17, 28, 30, 31}) && (state & 0xe0) == 0xe0;
}

} // namespace drr

#else

namespace drr {
bool supports_x86_64_level(int) {
  return false;
}
} // namespace drr

#endif
