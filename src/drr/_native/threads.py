"""How many threads a kernel may use."""

from __future__ import annotations

import functools
import operator
import os

import joblib

# Rows are divided into at most so many chunks. Other tasks may be more, but more threads than processors only wait.
_MAX_CHUNKS = 64


def resolve_n_threads(n_threads: int | None) -> int:
    """Return the number of threads to use: `n_threads`, or for None the limits that the user has already set.

    Those are the CPU affinity, the control group's quota and ``LOKY_MAX_CPU_COUNT`` (all three through joblib), and
    ``OMP_NUM_THREADS``, which joblib also sets in its worker processes. Results do not depend on the number.
    """
    if n_threads is None:
        processors = _processors()
        return min(processors, _omp_num_threads() or processors)
    try:
        number = operator.index(n_threads)
    except TypeError:
        raise TypeError(f"n_threads must be None or a whole number, got {n_threads!r}") from None
    if number < 1:
        raise ValueError(f"n_threads must be None or at least 1, got {number}")
    return min(number, max(_MAX_CHUNKS, os.cpu_count() or 1))


def _processors() -> int:
    """Return joblib's count, remembered while the affinity and the user's limit stay the same."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return _count_processors(affinity, os.environ.get("LOKY_MAX_CPU_COUNT"))


@functools.lru_cache(maxsize=4)
def _count_processors(affinity: int | None, limit: str | None) -> int:
    try:
        return int(joblib.cpu_count())
    except ValueError:
        raise ValueError(
            f"LOKY_MAX_CPU_COUNT must be a whole number, got {limit!r}; unset or correct this environment variable"
        ) from None


def _omp_num_threads() -> int | None:
    # The variable may be a list, one number per nesting level; a value OpenMP would ignore is ignored here as well.
    outermost = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    # int() raises for thousands of digits.
    if not outermost.isdecimal() or len(outermost) > 18:
        return None
    return int(outermost) or None
