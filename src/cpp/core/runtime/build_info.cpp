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

// What the flags of this module let Eigen use, the widest first. Its own SimdInstructionSetsInUse()
// knows neither AVX2 nor fused multiply-adds.
#if defined(EIGEN_VECTORIZE_AVX512)
#define DRR_VECTORS "AVX-512"
#elif defined(EIGEN_VECTORIZE_AVX2)
#define DRR_VECTORS "AVX2"
#elif defined(EIGEN_VECTORIZE_AVX)
#define DRR_VECTORS "AVX"
#elif defined(EIGEN_VECTORIZE_SSE4_2)
#define DRR_VECTORS "SSE4.2"
#elif defined(EIGEN_VECTORIZE_SSE2)
#define DRR_VECTORS "SSE2"
#elif defined(EIGEN_VECTORIZE_NEON)
#define DRR_VECTORS "NEON"
#else
#define DRR_VECTORS "none"
#endif
#if defined(EIGEN_VECTORIZE_FMA)
#define DRR_FUSED ", FMA"
#else
#define DRR_FUSED ""
#endif

namespace drr {

BuildInfo build_info() {
  const std::string eigen_version = std::to_string(EIGEN_WORLD_VERSION) + "." +
                                    std::to_string(EIGEN_MAJOR_VERSION) + "." +
                                    std::to_string(EIGEN_MINOR_VERSION);
  return {DRR_VERSION, DRR_COMPILER, eigen_version, DRR_VECTORS DRR_FUSED};
}

} // namespace drr
