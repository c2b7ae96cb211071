#include "bindings/python_monitor.hpp"

namespace drr::bindings {

bool PythonMonitor::stop_requested() {
  py::gil_scoped_acquire acquired;
  return PyErr_CheckSignals() != 0;
}

} // namespace drr::bindings
