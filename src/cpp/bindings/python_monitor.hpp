// Lets Ctrl-C reach a kernel that runs without the interpreter lock.
#pragma once

#include "bindings/numpy_views.hpp"
#include "drr/errors.hpp"
#include "drr/execution.hpp"

namespace drr::bindings {

class PythonMonitor final : public Monitor {
public:
  // Takes the lock for a moment and runs the pending signal handlers. Where one raised (KeyboardInterrupt),
  // the error stays set in this thread for `run_without_lock` to hand on.
  bool stop_requested() override;
};

// Runs `operation` with the interpreter lock released. Interrupted becomes the Python error that caused it.
template <class Operation>
auto run_without_lock(Operation&& operation) {
  try {
    py::gil_scoped_release released;
    return operation();
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

} // namespace drr::bindings
