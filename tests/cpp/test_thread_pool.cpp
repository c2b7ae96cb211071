#include "core/thread_pool.hpp"
#include "drr/errors.hpp"

#include <atomic>
#include <doctest/doctest.h>
#include <stdexcept>
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
