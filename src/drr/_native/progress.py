"""What a caller sees of a solve while it runs: printed lines, a callback, or both."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

IterationFigures = Mapping[str, Any]
Callback = Callable[[IterationFigures], object]

# In the order of printing; a figure that the solver does not have is NaN and left out.
_FIGURES = ("value", "lower_bound", "gap", "gradient_norm", "step")


def make_callback(verbose: int, callback: Callback | None) -> Callback | None:
    """The one callable that the core calls after every iteration, or None where nobody listens.

    With ``verbose >= 1`` it prints one line per iteration; the user's `callback` is called after that.
    """
    try:
        level = operator.index(verbose)
    except TypeError:
        raise TypeError(f"verbose must be a whole number, got {verbose!r}") from None
    if level < 0:
        raise ValueError(f"verbose must be 0 (silent) or more, got {level}")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be None or callable with a dict of figures, got {callback!r}")
    if level == 0:
        return callback
    if callback is None:
        return _print_iteration

    def print_then_call(figures: IterationFigures) -> None:
        _print_iteration(figures)
        callback(figures)

    return print_then_call


def format_iteration(figures: IterationFigures) -> str:
    """One line for one iteration."""
    parts = [f"{figures['stage']:<5} iteration {figures['iteration']:>5}", f"passes {figures['passes']:>5}"]
    parts += [f"{name} {figures[name]:.6g}" for name in _FIGURES if not math.isnan(figures[name])]
    if figures["active"]:
        parts.append(f"active {figures['active']}")
    return "  ".join(parts)


def _print_iteration(figures: IterationFigures) -> None:
    print(format_iteration(figures), flush=True)


def report(
    callback: Callback | None, stage: str, iteration: int, passes: int, *, active: int = 0, **figures: float
) -> None:
    """Tell a callback of one iteration of a solver in Python, with every figure that the compiled ones have."""
    if callback is not None:
        known = dict.fromkeys(_FIGURES, math.nan) | figures
        callback({"stage": stage, "iteration": iteration, "passes": passes, "active": active, **known})
