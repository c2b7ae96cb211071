"""Side-by-side timing on a noisy machine: contestants take turns, the best of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def best_times(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds of the fastest of `repeats` runs, for each contestant; turns alternate so that noise hits all alike."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(repeats):
        for name, run in contestants.items():
            started = clock()
            run()
            best[name] = min(best[name], clock() - started)
    return best
