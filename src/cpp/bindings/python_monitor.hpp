// Lets Ctrl-C reach a kernel that runs without the interpreter lock, and a callback hear of its iterations.
#pragma once

#include "bindings/numpy_views.hpp"
#include "drr/errors.hpp"
#include "drr/execution.hpp"

#include <utility>

namespace drr::bindings {

class PythonMonitor final : public Monitor {
public:
  PythonMonitor() = default;
  // `callback` is called with a dict of each iteration's figures; None: nobody listens. Needs the lock, as
  // does its end.
  explicit PythonMonitor(py::object callback) : callback_(std::move(callback)) {}

  // Takes the lock for a moment and runs the pending signal handlers. Where one raised (KeyboardInterrupt),
  // the error stays set in this thread for `run_without_lock` to hand on.
  bool stop_requested() override;
  // An exception in the callback stays set in the same way, and ends the operation by Interrupted.
  void report(const Iteration& iteration) override;

private:
  py::object callback_ = py::none();
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
