#include "core/linalg/products.hpp"
#include "core/runtime/thread_pool.hpp"
#include "drr/errors.hpp"

#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace drr;

namespace {
constexpr Work plenty{1e6}; // worth any number of threads

struct StopAtOnce final : Monitor {
  bool stop_requested() override { return true; }
};
} // namespace

TEST_CASE("every task runs exactly once, on any number of threads") {
  for (int n_threads : {1, 2, 3, 8}) {
    ThreadPool pool({n_threads, nullptr});
    for (Index n_tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> counts(static_cast<std::size_t>(n_tasks));
      pool.run(n_tasks, plenty, [&](Index task, int worker) {
        CHECK(worker < pool.n_threads());
        ++counts[static_cast<std::size_t>(task)];
      });
      for (const auto& count : counts)
        CHECK(count == 1);
    }
  }
}

TEST_CASE("a pool that expects nothing large any more still does what it is given, on the calling thread") {
  ThreadPool pool({4, nullptr});
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::atomic<int>> counts(100);
    std::atomic<int> elsewhere = 0;
    pool.run(100, plenty, [&](Index task, int worker) {
      ++counts[static_cast<std::size_t>(task)];
      elsewhere += worker != 0;
    });
    for (const auto& count : counts)
      CHECK(count == 1);
#ifndef DRR_SHARE_EVERY_JOB // under the thread sanitizer no job is too small to share
    if (repeat > 0)
      CHECK(elsewhere == 0);
#endif
    pool.expect_at_most({0.5});
  }
}

TEST_CASE("each thread begins with a stretch of its own") {
  ThreadPool pool({2, nullptr});
  std::vector<int> taken_by(1000, -1);
  std::atomic<bool> began[2] = {false, false};
  pool.run(1000, plenty, [&](Index task, int worker) {
    taken_by[static_cast<std::size_t>(task)] = worker;
    began[worker] = true;
    while (!began[1 - worker]) // each waits with its first task for the other
      std::this_thread::yield();
  });
  CHECK(taken_by.front() == 0); // the caller begins at the beginning, the other thread in the middle
  CHECK(taken_by[500] == 1);
  CHECK(std::count(taken_by.begin(), taken_by.end(), -1) == 0);
}

TEST_CASE("an exception in a task reaches the caller, and the pool stays usable") {
  ThreadPool pool({4, nullptr});
  for (int repeat = 0; repeat < 50; ++repeat) {
    CHECK_THROWS_WITH_AS(pool.run(64, plenty,
                                  [](Index task, int) {
                                    if (task == 13)
                                      throw std::runtime_error("thirteen");
                                  }),
                         "thirteen", std::runtime_error);
    std::atomic<int> count = 0;
    pool.run(64, plenty, [&](Index, int) { ++count; });
    CHECK(count == 64);
  }
}

TEST_CASE("a stop request becomes Interrupted") {
  StopAtOnce monitor;
  ThreadPool pool({2, &monitor});
  CHECK_THROWS_AS(pool.run(8, plenty, [](Index, int) {}), Interrupted);
}

#ifdef __linux__
TEST_CASE("a worker has room for a product of matrices where threads get little") {
  pthread_attr_t usual, little;
  REQUIRE(pthread_getattr_default_np(&usual) == 0);
  REQUIRE(pthread_attr_init(&little) == 0);
  REQUIRE(pthread_attr_setstacksize(&little, 128 * 1024) == 0); // what musl gives
  REQUIRE(pthread_setattr_default_np(&little) == 0);
  {
    ThreadPool pool({4, nullptr});
    std::atomic<int> elsewhere = 0;
    std::vector<double> corners(64, 0.0);
    pool.run(64, plenty, [&](Index task, int worker) {
      // As wide as fits Eigen's limit for the stack, for both sides of the product.
      const Eigen::MatrixXd a = Eigen::MatrixXd::Ones(40, 1024);
      Eigen::MatrixXd square = Eigen::MatrixXd::Zero(40, 40);
      add_square(square, 1.0, a);
      corners[static_cast<std::size_t>(task)] = square(39, 0);
      elsewhere += worker != 0;
      while (elsewhere == 0) // the other threads are slow to start on a busy machine
        std::this_thread::yield();
    });
    for (const double corner : corners)
      CHECK(corner == 1024.0);
  }
  REQUIRE(pthread_setattr_default_np(&usual) == 0);
}
#endif
