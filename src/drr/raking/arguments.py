"""Check the arguments that the floor and the dual share, other than rows and weights."""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.arrays import Features, check_vector
from drr.raking.results import Dual, Floor

_MAX_ITERATIONS = 2**31 - 1  # what the core can count, and more than any solve takes
_ROUND_OFF = 1e-9  # of a floor's bounds, in units of the numbers that they are sums of


Checkpoint = str | os.PathLike[str] | None


def check_target(target: ArrayLike, n_columns: int) -> NDArray[np.float64]:
    if np.ndim(target) == 2:
        raise ValueError(
            f"target must be one mean of shape ({n_columns},), got shape {np.shape(target)}; if these are the rows of "
            "the rare class in the feature map, pass their mean over rows: target.mean(axis=0)"
        )
    return check_vector(target, n_columns, "target", "column of features")


def align_target(features: object, target: ArrayLike) -> ArrayLike:
    """Return the target in the order of the columns if both have names; raise if the names differ.

    A series without names of its own, numbered from 0 on, goes by position as an array does.
    """
    columns, names = getattr(features, "columns", None), getattr(target, "index", None)
    if columns is None or names is None or callable(names) or not hasattr(target, "to_numpy"):
        return target
    columns, names = list(columns), list(names)
    if names == columns or names == list(range(len(names))):
        return target
    absent = [name for name in columns if name not in set(names)]
    if absent or len(names) != len(columns):
        shown = ", ".join(map(repr, (absent or [name for name in names if name not in set(columns)])[:5]))
        side = (
            "target has no entry for" if absent else "target has entries that features lack or repeats some:"
        )
        raise ValueError(
            f"the names of target and the columns of features must be the same, but {side} {shown}; pass "
            "target.to_numpy() to match them by position"
        )
    place_of = {name: place for place, name in enumerate(names)}
    return np.asarray(target)[[place_of[name] for name in columns]]


def check_number(value: object, name: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    except OverflowError:  # the digits of such a whole number would fill the message
        largest = f"{sys.float_info.max:.3g}"
        raise ValueError(f"{name} must be finite and not negative, got a number beyond {largest}") from None
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be finite and not negative, got {number}")
    return number


def check_method(method: object, methods: tuple[str, ...] = ("auto", "paper")) -> None:
    if not (isinstance(method, str) and method in methods):
        listed = ", ".join(map(repr, methods[:-1])) + f" or {methods[-1]!r}"
        raise ValueError(f"method must be {listed}, got {method!r}")


def check_max_iter(max_iter: int | None) -> int:
    """Return the limit for the core; 0 means the limit of the method."""
    if max_iter is None:
        return 0
    try:
        number = operator.index(max_iter)
    except TypeError:
        raise TypeError(f"max_iter must be None or a whole number, got {max_iter!r}") from None
    if number < 1:
        raise ValueError(f"max_iter must be None or at least 1, got {number}")
    return min(number, _MAX_ITERATIONS)


def check_results(floor: object, start: object) -> None:
    if not (floor is None or isinstance(floor, Floor)):
        raise TypeError(f"floor must be None or the Floor that find_floor returned, got {floor!r}")
    if not (start is None or isinstance(start, Dual)):
        raise TypeError(f"start must be None or a Dual that solve_dual returned, got {start!r}")


def check_floor_shape(floor: Floor, n_rows: int, n_columns: int) -> None:
    if floor.n_rows != n_rows or floor.residual.shape != (n_columns,):
        raise ValueError(
            f"floor was found for {floor.n_rows} rows and {floor.residual.size} columns, but features has {n_rows} and "
            f"{n_columns}; call find_floor with the same features"
        )
    outside = (floor.support < 0) | (floor.support >= n_rows)
    if outside.any():
        row = floor.support[np.argmax(outside)]
        raise ValueError(f"floor has weight on row {row} of {n_rows}; call find_floor with the same features")


def check_support_present(floor: Floor, base_weights: NDArray[np.float64]) -> None:
    """Raise if a floor has weight on rows that are absent; `base_weights` are those of its support."""
    if len(base_weights) != len(floor.support) or not base_weights.all():
        raise ValueError(
            "floor belongs to other base_weights: it has weight on rows whose base weight is zero; call find_floor "
            "with the same base_weights"
        )


def check_floor_holds(
    floor: Floor,
    support: Features,
    target: NDArray[np.float64],
    lowest_score: Callable[[NDArray[np.float64]], float],
) -> None:
    """Raise if the bounds of a floor do not hold for this problem, before one of them is taken for a proof.

    Both are computed again: ‖x‖ from the rows of the floor's support, and minᵢ aᵢᵀu along the direction u of its
    residual by `lowest_score`, a pass over all rows.
    """
    weights = floor.support_weights
    x = np.asarray(support.T @ weights).ravel() - target * weights.sum()
    slack = _ROUND_OFF * (np.linalg.norm(abs(support).T @ weights) + np.linalg.norm(target))
    holds = np.linalg.norm(x) <= floor.value + slack
    if holds and floor.lower_bound > 0:
        length = np.linalg.norm(floor.residual)
        holds = length > 0 and lowest_score(floor.residual / length) >= floor.lower_bound - slack
    if not holds:
        raise ValueError(
            "floor belongs to other features, another target or other base_weights: its bounds "
            f"{floor.lower_bound:.10g} and {floor.value:.10g} do not hold for these; call find_floor with the same "
            "arguments"
        )


def check_start(start: Dual, n_columns: int) -> None:
    if start.theta.shape != (n_columns,):
        raise ValueError(
            f"start has {start.theta.size} columns, but features has {n_columns}; pass a dual of the same columns"
        )


def start_direction(floor: Floor | None, start: Dual | None) -> NDArray[np.float64] | None:
    """Return a direction in which θ may lie; at the optimum it is opposite to the residual, Aᵀw = −δθ/‖θ‖."""
    if start is None or not start.theta.any():
        return None if floor is None else np.asarray(-floor.residual)
    return start.theta
