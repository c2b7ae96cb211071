#include "drr/build_info.hpp"

#include <Eigen/Core>

#if defined(__clang__)
#define DRR_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define DRR_COMPILER "gcc " __VERSION__
#elif defined(_MSC_VER)
#define DRR_COMPILER "msvc " + std::to_string(_MSC_FULL_VER)
#else
#define DRR_COMPILER "unknown"
#endif

namespace drr {

BuildInfo build_info() {
  const std::string eigen_version = std::to_string(EIGEN_WORLD_VERSION) + "." +
                                    std::to_string(EIGEN_MAJOR_VERSION) + "." +
                                    std::to_string(EIGEN_MINOR_VERSION);
  return {DRR_VERSION, DRR_COMPILER, eigen_version, Eigen::SimdInstructionSetsInUse()};
}

} // namespace drr
