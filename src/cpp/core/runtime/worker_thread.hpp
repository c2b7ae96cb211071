// A thread with room on its stack for Eigen's products of matrices, which put up to 256 kB there. A std::thread
// has what the system gives: 128 kB with musl (Alpine Linux), and what `ulimit -s` says with glibc.
#pragma once

#ifdef _WIN32
#include <thread>
#else
#include <functional>
#include <memory>
#include <pthread.h>
#include <system_error>
#include <utility>
#endif

namespace drr {

#ifdef _WIN32
using WorkerThread = std::thread; // 1 MB
#else
// Must be joined, as std::thread must; what the job throws ends the process.
class WorkerThread {
public:
  explicit WorkerThread(std::function<void()> job) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    std::size_t stack = 0;
    pthread_attr_getstacksize(&attributes, &stack);
    if (stack < least_stack)
      pthread_attr_setstacksize(&attributes, least_stack);
    auto handed_over = std::make_unique<std::function<void()>>(std::move(job));
    const int refused = pthread_create(&handle_, &attributes, &WorkerThread::start, handed_over.get());
    pthread_attr_destroy(&attributes);
    if (refused != 0)
      throw std::system_error(refused, std::generic_category());
    static_cast<void>(handed_over.release());
  }
  void join() { pthread_join(handle_, nullptr); }

private:
  static constexpr std::size_t least_stack = 1 << 20;

  static void* start(void* job) noexcept {
    const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(job));
    (*owned)();
    return nullptr;
  }

  pthread_t handle_{};
};
#endif

} // namespace drr
