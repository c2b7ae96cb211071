// A module of its own, compiled for the baseline: it must load on any processor to say what the
// processor can do. Written against Python's own interface, because one function is not worth
// reading pybind11 for.

#define PY_SSIZE_T_CLEAN
#include "core/runtime/cpu_features.hpp"

#include <Python.h>

namespace {

PyObject* supports_x86_64_level(PyObject*, PyObject* level) {
  const long number = PyLong_AsLong(level);
  if (number == -1 && PyErr_Occurred())
    return nullptr;
  return PyBool_FromLong(drr::supports_x86_64_level(static_cast<int>(number)));
}

PyMethodDef functions[] = {
    {"supports_x86_64_level", supports_x86_64_level, METH_O,
     "supports_x86_64_level($module, level, /)\n--\n\n"
     "True if every feature of x86-64-v`level` is present and saved by the operating system."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef_Slot slots[] = {
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_cpu",
    "Which instruction sets this machine runs.",
    0,
    functions,
    slots,
    nullptr,
    nullptr,
    nullptr,
};

} // namespace

PyMODINIT_FUNC PyInit__cpu() {
  return PyModuleDef_Init(&definition);
}
