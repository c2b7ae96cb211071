// run_if_supported SET PROGRAM: runs PROGRAM where this processor has the instruction set it
// was compiled for. Compiled for the baseline, because such a program may die before its own
// main() could ask.

#include "core/runtime/cpu_features.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  const std::string set = argv[1];
  if (set != "generic" && !drr::supports_x86_64_level(set.back() - '0')) {
    std::printf("this processor does not run %s\n", argv[1]);
    return 77; // meson counts the test as skipped
  }
  return std::system(argv[2]) == 0 ? 0 : 1;
}
