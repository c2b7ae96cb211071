#include "core/runtime/thread_pool.hpp"

#include "drr/errors.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace drr {

namespace {
// Asking the monitor may take the interpreter lock; twenty times a second keeps Ctrl-C prompt and
// the cost nil.
constexpr auto poll_interval = std::chrono::milliseconds(50);

// How long a thread looks for the next job before it goes to sleep: a solver mostly hands it out
// sooner, and waking a sleeping thread takes about as long.
constexpr auto looking_time = std::chrono::microseconds(100);

// What a job must take on one thread to be worth a second one: some microseconds pass until one
// that is looking has seen it, many until a sleeping one has woken, and starting and joining a
// thread takes a hundred or two.
#ifdef DRR_SHARE_EVERY_JOB // for the thread sanitizer, which sees only what several threads do
constexpr double worth_showing = 0, worth_waking = 0, worth_starting = 0;
#else
constexpr double worth_showing = 20, worth_waking = 100, worth_starting = 400;
#endif

void relax() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Looks for a while; false if the condition did not come to hold.
template <class Condition>
bool look_for(Condition&& holds) {
  const auto end = std::chrono::steady_clock::now() + looking_time;
  do {
    for (int look = 0; look < 32; ++look) {
      if (holds())
        return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return holds();
}
} // namespace

ThreadPool::ThreadPool(const Execution& execution)
    : n_threads_(std::max(1, execution.n_threads)), monitor_(execution.monitor), ranges_(n_threads_) {}

ThreadPool::~ThreadPool() {
  stop_workers();
  for (auto& worker : workers_)
    worker.join();
}

void ThreadPool::expect_at_most(Work work) {
  if (work.microseconds < worth_showing)
    stop_workers();
}

void ThreadPool::stop_workers() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  job_ready_.notify_all();
}

void ThreadPool::start_workers() {
  workers_.reserve(n_threads_ - 1);
  try {
    for (int worker = 1; worker < n_threads_; ++worker)
      workers_.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error&) {
    // The system refuses more threads: the result does not depend on their number, so go on with
    // what there is.
    n_threads_ = static_cast<int>(workers_.size()) + 1;
  }
}

bool ThreadPool::worth_sharing(Index n_tasks, Work work) {
  if (n_threads_ == 1 || n_tasks < 2 || closing_)
    return false;
  if (!workers_.empty())
    return work.microseconds >= (n_asleep_ == 0 ? worth_showing : worth_waking);
  microseconds_so_far_ += work.microseconds;
  return work.microseconds >= worth_waking && microseconds_so_far_ >= worth_starting;
}

void ThreadPool::run_erased(Index n_tasks, Work work, ErasedTask task, void* context) {
  poll();
  const bool alone = !worth_sharing(n_tasks, work);
  if (!alone && workers_.empty())
    start_workers();
  {
    std::lock_guard lock(mutex_);
    task_ = task;
    context_ = context;
    n_ranges_ = alone ? 1 : n_threads_;
    for (int range = 0; range < n_ranges_; ++range) {
      ranges_[range].next.store(n_tasks * range / n_ranges_);
      ranges_[range].end = n_tasks * (range + 1) / n_ranges_;
    }
    stop_.store(false);
    error_ = nullptr;
    job_is_open_ = !alone;
    if (!alone)
      ++job_number_;
  }
  if (!alone)
    job_ready_.notify_all();
  take_tasks(0);
  if (!alone) {
    {
      std::lock_guard lock(mutex_);
      job_is_open_ = false;
    }
    look_for([this] { return n_busy_ == 0; });
    std::unique_lock lock(mutex_);
    job_done_.wait(lock, [this] { return n_busy_ == 0; });
  }
  if (error_)
    std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::take_tasks(int worker) noexcept {
  try {
    for (;;) {
      if (worker == 0)
        poll();
      if (stop_.load(std::memory_order_relaxed))
        return;
      const Index number = next_task(worker);
      if (number < 0)
        return;
      task_(context_, number, worker);
    }
  } catch (...) {
    stop_.store(true);
    std::lock_guard lock(mutex_);
    if (!error_)
      error_ = std::current_exception();
  }
}

// A task that nobody has taken; negative if none is left.
Index ThreadPool::next_task(int worker) {
  for (int others = 0; others < n_ranges_; ++others) {
    TaskRange& range = ranges_[(worker + others) % n_ranges_];
    const Index number = range.next.fetch_add(1);
    if (number < range.end)
      return number;
  }
  return -1;
}

void ThreadPool::work(int worker) {
  Index last_job = 0;
  for (;;) {
    const auto called = [&] { return closing_ || job_number_ != last_job; };
    const bool seen = look_for(called);
    {
      std::unique_lock lock(mutex_);
      if (!seen) {
        ++n_asleep_;
        job_ready_.wait(lock, called);
        --n_asleep_;
      }
      if (closing_)
        return;
      last_job = job_number_;
      if (!job_is_open_)
        continue;
      ++n_busy_;
    }
    take_tasks(worker);
    std::lock_guard lock(mutex_);
    if (--n_busy_ == 0)
      job_done_.notify_one();
  }
}

void ThreadPool::poll() {
  if (!monitor_)
    return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_poll_)
    return;
  next_poll_ = now + poll_interval;
  if (monitor_->stop_requested())
    throw Interrupted();
}

void ThreadPool::report(const Iteration& iteration) {
  if (monitor_)
    monitor_->report(iteration);
}

} // namespace drr
