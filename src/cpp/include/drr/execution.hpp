// How an operation runs: on how many threads, and who watches it.
#pragma once

#include "drr/views.hpp"

#include <string_view>

namespace drr {

// What one iteration of a solver can tell. Figures that a solver does not have stay NaN.
struct Iteration {
  std::string_view stage; // "floor" or "dual"
  Index iteration = 0;
  Index passes = 0;           // over the rows, so far
  double value = unset;       // the objective, an upper bound
  double lower_bound = unset; // on the objective
  double gap = unset;
  double gradient_norm = unset;
  double step = unset;
  Index active = 0; // rows in the working set
};

// Asked between blocks of work, only ever on the calling thread.
class Monitor {
public:
  virtual ~Monitor() = default;
  // True once the caller wants the operation to end; it then throws Interrupted within a fraction
  // of a second.
  virtual bool stop_requested() = 0;
  // Told after every iteration. May throw Interrupted.
  virtual void report(const Iteration&) {}
};

struct Execution {
  int n_threads = 1;
  Monitor* monitor = nullptr; // not owned; null: nobody watches
};

} // namespace drr
