"""What a caller sees of a solve while it runs: printed lines, a callback, or both."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from drr._native.tasks import IterationValues, watch_passes, watchers

Callback = Callable[[IterationValues], object]

# In the order of printing; a value that the solver does not have is NaN and left out.
_NAMES = ("value", "lower_bound", "gap", "gradient_norm", "step")


def make_callback(verbose: int, callback: Callback | None) -> Callback | None:
    """Return the one callable that the core calls after every iteration, or None if there is neither.

    With ``verbose >= 1`` it prints one line per iteration; the user's `callback` is called after that, and then those
    who watch the fit.
    """
    try:
        level = operator.index(verbose)
    except TypeError:
        raise TypeError(f"verbose must be a whole number, got {verbose!r}") from None
    if level < 0:
        raise ValueError(f"verbose must be 0 (silent) or more, got {level}")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be None or callable with a dict of values, got {callback!r}")
    if not level and not watchers.get():
        return callback
    listeners = [
        each for each in (_print_iteration if level else None, callback, watch_passes()) if each is not None
    ]

    def call_all(values: IterationValues) -> None:
        for listener in listeners:
            listener(values)

    return call_all


def format_iteration(values: IterationValues) -> str:
    """Return one line for one iteration."""
    parts = [f"{values['stage']:<5} iteration {values['iteration']:>5}", f"passes {values['passes']:>5}"]
    parts += [f"{name} {values[name]:.6g}" for name in _NAMES if not math.isnan(values[name])]
    if values["active"]:
        parts.append(f"active {values['active']}")
    return "  ".join(parts)


def _print_iteration(values: IterationValues) -> None:
    print(format_iteration(values), flush=True)


def report(
    callback: Callback | None, stage: str, iteration: int, passes: int, *, active: int = 0, **values: float
) -> None:
    """Report one iteration of a solver in Python to a callback, with all values that the compiled ones report."""
    if callback is not None:
        known = dict.fromkeys(_NAMES, math.nan) | values
        callback({"stage": stage, "iteration": iteration, "passes": passes, "active": active, **known})
