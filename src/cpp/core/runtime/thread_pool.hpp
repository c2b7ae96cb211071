// A pool that lives as long as one operation: no thread outlives the call, so a fork afterwards
// is always safe.
//
// `run` hands out tasks 0 … n−1. Which thread takes which task is left to chance, therefore a task
// must write only to its own place; whoever reduces the places does so in task order. That makes
// every result the same to the last bit for any number of threads, so the pool is free to run a job
// on one thread if sharing it would cost more than it saves.
#pragma once

#include "core/runtime/worker_thread.hpp"
#include "drr/execution.hpp"
#include "drr/views.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace drr {

// Roughly how long a job takes on one thread; it decides only whether others are called to help.
struct Work {
  double microseconds;
  // A pass over so many numbers, so many exponentials, or so many multiply-adds of a matrix
  // product, at the speed of a common core.
  static Work reading(Index numbers) { return {static_cast<double>(numbers) / 2000.0}; }
  static Work exponentials(Index count) { return {static_cast<double>(count) / 300.0}; }
  static Work multiplying(double multiply_adds) { return {multiply_adds / 12000.0}; }
};

class ThreadPool {
public:
  explicit ThreadPool(const Execution& execution);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The calling thread included; `worker` numbers passed to tasks are smaller than this.
  int n_threads() const { return n_threads_; }

  // Calls task(task_number, worker_number) for every task, the calling thread being worker 0. An
  // exception from a task is rethrown here after all threads have come to rest. Throws Interrupted
  // when the monitor asks to stop.
  template <class Task>
  void run(Index n_tasks, Work work, Task&& task) {
    run_erased(
        n_tasks, work,
        [](void* context, Index number, int worker) {
          (*static_cast<std::remove_reference_t<Task>*>(context))(number, worker);
        },
        const_cast<void*>(static_cast<const void*>(&task)));
  }

  // Says that no job larger than this follows. Threads that such a job would not be shown end
  // now, beside what the caller still does, so that nobody waits for their end afterwards
  // (measured: 15 µs).
  void expect_at_most(Work work);

  // For long serial work: throws Interrupted when the monitor asks to stop. Cheap;
  // calling thread only.
  void poll();
  // Hands an iteration's values to the monitor, if there is one; calling thread only.
  void report(const Iteration& iteration);

private:
  // Tasks that follow each other. A thread takes those of its own range in order, so that the rows
  // it reads follow each other too, then helps with the others'. A cache line each: threads count
  // in their own.
  struct alignas(64) TaskRange {
    std::atomic<Index> next{0};
    Index end = 0;
  };
  using ErasedTask = void (*)(void*, Index, int);

  void run_erased(Index n_tasks, Work work, ErasedTask task, void* context);
  bool worth_sharing(Index n_tasks, Work work);
  void start_workers();
  void stop_workers();
  void work(int worker);
  void take_tasks(int worker) noexcept;
  Index next_task(int worker);

  int n_threads_;
  Monitor* monitor_;
  std::chrono::steady_clock::time_point next_poll_{};

  std::vector<WorkerThread> workers_; // started once there has been enough to do
  double microseconds_so_far_ = 0;    // of jobs that could have been shared
  std::mutex mutex_;
  std::condition_variable job_ready_, job_done_;
  // Written under mutex_; read without it only to see whether waiting for it is over.
  std::atomic<Index> job_number_{0}; // a change calls the workers
  std::atomic<int> n_busy_{0};       // workers that have joined the job
  std::atomic<int> n_asleep_{0};     // workers that must be woken
  std::atomic<bool> closing_{false};
  bool job_is_open_ = false; // a worker that wakes after the last task was taken does not join any more

  // The current job; written under mutex_ while no worker is busy.
  ErasedTask task_ = nullptr;
  void* context_ = nullptr;
  std::vector<TaskRange> ranges_; // one for each thread that may help
  int n_ranges_ = 0;
  std::atomic<bool> stop_{false};
  std::exception_ptr error_; // first one wins; guarded by mutex_
};

} // namespace drr
