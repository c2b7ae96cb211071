// How an operation runs: on how many threads, and who watches it.
#pragma once

namespace drr {

// Asked between blocks of work, only ever on the calling thread.
class Monitor {
public:
  virtual ~Monitor() = default;
  // True once the caller wants the operation to end; it then throws Interrupted within a fraction of a
  // second.
  virtual bool stop_requested() = 0;
};

struct Execution {
  int n_threads = 1;
  Monitor* monitor = nullptr; // not owned; null: nobody watches
};

} // namespace drr
