#include "bindings/python_monitor.hpp"

#include <chrono>
#include <thread>
#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace drr::bindings {

namespace {

// Calls what may take the lock; if that ends the thread, it sleeps instead.
template <class TakeLock>
auto or_sleep(TakeLock&& take_lock) {
#if defined(__GLIBCXX__)
  try {
    return take_lock();
  } catch (abi::__forced_unwind&) {
    for (;;)
      std::this_thread::sleep_for(std::chrono::hours(1));
  }
#else
  return take_lock();
#endif
}

// The lock for a moment, in a thread that has let it go.
class WithLock {
public:
  WithLock() : state_(or_sleep(PyGILState_Ensure)) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;

private:
  PyGILState_STATE state_;
};

bool is_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

} // namespace

WithoutLock::~WithoutLock() {
  or_sleep([this] { PyEval_RestoreThread(state_); });
}

PythonMonitor::PythonMonitor(py::object callback)
    : callback_(std::move(callback)), in_main_thread_(is_main_thread()) {}

bool PythonMonitor::stop_requested() {
  if (!in_main_thread_)
    return false;
  const WithLock lock;
  return PyErr_CheckSignals() != 0;
}

void PythonMonitor::report(const Iteration& iteration) {
  // Compared without the lock: the pointers of this object and of None do not change
  // during a solve.
  if (callback_.is_none())
    return;
  const WithLock lock;
  try {
    py::dict values;
    values["stage"] = py::str(iteration.stage.data(), iteration.stage.size());
    values["iteration"] = iteration.iteration;
    values["passes"] = iteration.passes;
    values["value"] = iteration.value;
    values["lower_bound"] = iteration.lower_bound;
    values["gap"] = iteration.gap;
    values["gradient_norm"] = iteration.gradient_norm;
    values["step"] = iteration.step;
    values["active"] = iteration.active;
    callback_(values);
  } catch (py::error_already_set& error) {
    error.restore();
    throw Interrupted();
  }
}

} // namespace drr::bindings
