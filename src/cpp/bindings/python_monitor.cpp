#include "bindings/python_monitor.hpp"

namespace drr::bindings {

bool PythonMonitor::stop_requested() {
  py::gil_scoped_acquire acquired;
  return PyErr_CheckSignals() != 0;
}

void PythonMonitor::report(const Iteration& iteration) {
  // Compared without the lock: the pointers of this object and of None do not change during a solve.
  if (callback_.is_none())
    return;
  py::gil_scoped_acquire acquired;
  try {
    py::dict figures;
    figures["stage"] = py::str(iteration.stage.data(), iteration.stage.size());
    figures["iteration"] = iteration.iteration;
    figures["passes"] = iteration.passes;
    figures["value"] = iteration.value;
    figures["lower_bound"] = iteration.lower_bound;
    figures["gap"] = iteration.gap;
    figures["gradient_norm"] = iteration.gradient_norm;
    figures["step"] = iteration.step;
    figures["active"] = iteration.active;
    callback_(figures);
  } catch (py::error_already_set& error) {
    error.restore();
    throw Interrupted();
  }
}

} // namespace drr::bindings
