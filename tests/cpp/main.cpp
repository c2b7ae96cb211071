#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if defined(__GLIBC__)
#include <malloc.h>

// New memory is full of small positive numbers and of indices far outside: what is read beyond an
// array, or before it is written, is seldom the zero that would do no harm.
static const int filled_memory = mallopt(M_PERTURB, static_cast<unsigned char>(~0x3f));
#endif
