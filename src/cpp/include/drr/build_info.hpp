// What the core was built from and for.
#pragma once

#include <string>

namespace drr {

struct BuildInfo {
  std::string version;
  std::string compiler;
  std::string eigen_version;
  std::string simd; // the vector instructions that Eigen uses
};

BuildInfo build_info();

} // namespace drr
