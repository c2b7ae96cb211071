// Lets Ctrl-C reach a kernel that runs without the interpreter lock, and a callback hear
// of its iterations.
#pragma once

#include "bindings/numpy_views.hpp"
#include "drr/errors.hpp"
#include "drr/execution.hpp"

#include <utility>

namespace drr::bindings {

class PythonMonitor final : public Monitor {
public:
  // `callback` is called with a dict of each iteration's values; None: nobody listens. Needs the
  // lock, as does its end.
  explicit PythonMonitor(py::object callback = py::none());

  // Takes the lock for a moment and runs the pending signal handlers. If one raised
  // (KeyboardInterrupt), the error stays set in this thread for `run_without_lock` to hand on.
  // Python runs them in its main thread only; others need not ask.
  bool stop_requested() override;
  // An exception in the callback stays set in the same way, and ends the operation by Interrupted.
  void report(const Iteration& iteration) override;

private:
  py::object callback_;
  bool in_main_thread_;
};

// The interpreter lock let go, and taken again at the end. If the interpreter is shutting down by
// then, it ends a daemon thread that asks for the lock by unwinding its stack; that would free
// Python objects without the lock, and destructors may not be left that way. Such a thread sleeps
// until the process ends, as Python itself lets it from 3.14 on.
class WithoutLock {
public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

private:
  PyThreadState* state_;
};

// Runs `operation` with the interpreter lock released. Interrupted becomes the Python error
// that caused it.
template <class Operation>
auto run_without_lock(Operation&& operation) {
  try {
    const WithoutLock released;
    return operation();
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

} // namespace drr::bindings
