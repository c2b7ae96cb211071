// The only source that is compiled once per instruction set: the name under which Python finds the
// module. The module itself (module.cpp) is named by where it was found.

#include <Python.h>

#define DRR_JOIN_(left, right) left##right
#define DRR_JOIN(left, right) DRR_JOIN_(left, right)

PyMODINIT_FUNC PyInit__core();

PyMODINIT_FUNC DRR_JOIN(PyInit_, DRR_MODULE)() {
  return PyInit__core();
}
