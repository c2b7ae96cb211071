"""Run contestants in turns, each in a process of its own: best time, extra memory, and a limit for the slow ones."""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any


@dataclass
class Measurement:
    """What one contestant needed, and the figures it reported of its result."""

    seconds: float = math.inf
    memory_bytes: float = math.nan
    figures: dict[str, Any] = field(default_factory=dict)
    failure: str = ""


Contestant = Callable[[], dict[str, Any]]


def measure(
    contestants: Mapping[str, Contestant], *, repeats: int, time_limit: float
) -> dict[str, Measurement]:
    """Let the contestants take turns; one that exceeds the limit or fails does not get another turn.

    A forked process shares the problem's arrays and owns what it allocates, so its peak of resident memory above the
    start is the contestant's own; a slow one can be ended.
    """
    results = {name: Measurement() for name in contestants}
    for _ in range(repeats):
        for name, contestant in contestants.items():
            if not results[name].failure:
                _take_turn(contestant, results[name], time_limit)
    return results


def _take_turn(contestant: Contestant, result: Measurement, time_limit: float) -> None:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(contestant, sender))
    process.start()
    sender.close()
    if receiver.poll(time_limit):
        try:
            outcome = receiver.recv()
        except EOFError:
            outcome = "ended without a result"
    else:
        outcome = f"stopped after {time_limit:.0f} s"
        result.seconds = time_limit  # at least
        process.kill()
    process.join()
    if isinstance(outcome, str):
        result.failure = outcome
        return
    seconds, memory, figures = outcome
    result.seconds = min(result.seconds, seconds)
    result.memory_bytes = memory
    result.figures = figures


def _run(contestant: Contestant, sender: Connection) -> None:
    try:
        before = _reset_peak_memory()
        started = time.perf_counter()
        figures = contestant()
        seconds = time.perf_counter() - started
        sender.send((seconds, _peak_memory() - before, figures))
    except Exception as error:  # a peer may fail in any way; the table says how
        sender.send(f"{type(error).__name__}: {error}".splitlines()[0][:80])


def _reset_peak_memory() -> float:
    """Bytes in memory now; from here on the peak is counted anew. NaN where the system does not tell."""
    try:
        # Pages that the parent had freed would otherwise be used again, and not be counted.
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except (AttributeError, OSError):
        return math.nan
    return _status("VmRSS")


def _peak_memory() -> float:
    return _status("VmHWM")


def _status(name: str) -> float:
    try:
        with open("/proc/self/status") as file:
            return next(1024.0 * int(line.split()[1]) for line in file if line.startswith(name))
    except OSError:
        return math.nan
