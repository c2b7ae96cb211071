// Hot loops allocate nothing: the number of allocations of a pass does not grow with the
// number of tiles.

#ifdef DRR_COUNT_ALLOCATIONS

#include "drr/dual.hpp"
#include "drr/tilt.hpp"
#include "problem.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <doctest/doctest.h>
#include <new>

namespace {
std::atomic<long> n_allocations{0};
}

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** pointer, std::size_t alignment, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  ++n_allocations;
  return __real_malloc(size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  ++n_allocations;
  return __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** pointer, std::size_t alignment, std::size_t size) {
  ++n_allocations;
  return __real_posix_memalign(pointer, alignment, size);
}
}

// Not inlined: where the compiler sees one of a pair of new and delete but not the other, it warns
// of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++n_allocations;
  if (void* pointer = __real_malloc(size))
    return pointer;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* pointer) noexcept {
  std::free(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, std::size_t) noexcept {
  std::free(pointer);
}

using namespace drr;

namespace {

template <class View>
long allocations_of_a_tilt(const View& view, int n_threads) {
  const auto theta = testing::normals(view.n_cols, 2);
  std::vector<double> weights(view.n_rows), mean(view.n_cols);
  const long before = n_allocations;
  tilt({view, {}, {}, theta}, {weights, mean}, {n_threads, nullptr});
  return n_allocations - before;
}

} // namespace

TEST_CASE("a pass over more tiles allocates no more") {
  const Index K = 40, few = 80000, many = 160000; // few, but enough even sparse for a second thread to start
  const auto dense = testing::normals(many * K, 1);
  const testing::Sparse sparse_few(dense, few, K, 1.0), sparse_many(dense, many, K, 1.0);
  for (int n_threads : {1, 2}) {
    const long baseline = allocations_of_a_tilt(DenseView<double>{dense.data(), few, K, K}, n_threads);
    CHECK(baseline > 0); // the counter counts
    CHECK(allocations_of_a_tilt(DenseView<double>{dense.data(), many, K, K}, n_threads) == baseline);
    CHECK(allocations_of_a_tilt(sparse_many.view(), n_threads) ==
          allocations_of_a_tilt(sparse_few.view(), n_threads));
  }
}

TEST_CASE("the passes of a dual over twice the rows allocate no more") {
  // Every row twice is the same problem: the same iterations, twice the tiles. Conjugate gradients
  // make all the passes there are; full Newton is left out, because Eigen takes a buffer for each
  // matrix product that it cannot block on the stack: one for a thousand rows.
  const Index K = 70, few = 3000, many = 2 * few;
  std::vector<double> dense = testing::normals(few * K, 3);
  dense.resize(static_cast<std::size_t>(many * K));
  std::copy_n(dense.begin(), few * K, dense.begin() + few * K);
  const std::vector<double> target(K, 0.1);
  long counts[2];
  int iterations[2];
  for (const Index n : {few, many}) {
    std::vector<double> theta(K), weights(n);
    const DualInput input{DenseView<double>{dense.data(), n, K, K}, target, {}, 0.3};
    const long before = n_allocations;
    const DualResult result = solve_dual(input, {DualMethod::pcg_woodbury, 0}, {theta, weights}, {});
    counts[n == many] = n_allocations - before;
    iterations[n == many] = result.n_iter;
    CHECK(result.status == Status::converged);
  }
  REQUIRE(iterations[0] == iterations[1]);
  CHECK(counts[1] <= counts[0]);
}

#endif
