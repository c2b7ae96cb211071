"""The arguments that the floor and the dual share, beside rows and weights."""

from __future__ import annotations

import math
import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._validation import check_vector
from drr.results import Dual, Floor


def check_target(target: ArrayLike, n_columns: int) -> NDArray[np.float64]:
    if np.ndim(target) == 2:
        raise ValueError(
            f"target must be one mean of shape ({n_columns},), got shape {np.shape(target)}; if these are the rows of "
            "the rare class in the feature map, pass their mean over rows: target.mean(axis=0)"
        )
    return check_vector(target, n_columns, "target", "column of features")


def check_number(value: object, name: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be finite and not negative, got {number}")
    return number


def check_max_iter(max_iter: int | None) -> int:
    """The limit for the core, where 0 stands for the method's own."""
    if max_iter is None:
        return 0
    try:
        number = operator.index(max_iter)
    except TypeError:
        raise TypeError(f"max_iter must be None or a whole number, got {max_iter!r}") from None
    if number < 1:
        raise ValueError(f"max_iter must be None or at least 1, got {number}")
    return number


def check_floor(floor: Floor, n_rows: int, n_columns: int) -> None:
    if not isinstance(floor, Floor):
        raise TypeError(f"floor must be None or the Floor that find_floor returned, got {floor!r}")
    if floor.n_rows != n_rows or floor.residual.shape != (n_columns,):
        raise ValueError(
            f"floor was found for {floor.n_rows} rows and {floor.residual.size} columns, but features has {n_rows} and "
            f"{n_columns}; call find_floor with the same features"
        )


def start_direction(floor: Floor | None, start: Dual | None, n_columns: int) -> NDArray[np.float64] | None:
    """What the core takes for a floor residual, only to start from its opposite: at the optimum Aᵀw = −δθ/‖θ‖."""
    if start is None or not start.theta.any():
        return None if floor is None else floor.residual
    if start.theta.shape != (n_columns,):
        raise ValueError(f"start has {start.theta.size} columns, but features has {n_columns}")
    return np.asarray(-start.theta)
