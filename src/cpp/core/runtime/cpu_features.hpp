// Which of the x86-64 levels this processor and operating system can run. Compiled for
// the baseline, Eigen-free.
#pragma once

namespace drr {

// True if every feature that the compiler may use under -march=x86-64-v`level` is present, and the
// operating system saves the registers it needs. False on other architectures.
bool supports_x86_64_level(int level);

} // namespace drr
