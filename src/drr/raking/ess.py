"""The smallest tolerance that keeps a wanted effective sample size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._native.progress import make_callback
from drr.raking.convergence import warn_of_dual, warn_of_floor
from drr.raking.problem import RakingProblem
from drr.raking.results import Raking
from drr.raking.tolerance import choose_tolerance

# η is searched between these, on a logarithmic scale, down to steps of 0.1 %.
SMALLEST_ETA = 1e-4
_LOG_ETA_STEP = 1e-3


def wanted_ess(min_ess: Any, base_ess: float) -> float:
    """Return `min_ess` as a number of rows; below 1 it is a share of the effective rows before raking."""
    is_number = isinstance(min_ess, int | float | np.integer | np.floating) and not isinstance(min_ess, bool)
    if not is_number or not 0 < min_ess < math.inf:
        raise ValueError(
            f"min_ess must be a positive number (of rows, or below 1 a share of them), got {min_ess!r}"
        )
    wanted = float(min_ess) if min_ess >= 1 else float(min_ess) * base_ess
    if wanted > base_ess * (1 + 1e-12):
        raise ValueError(
            f"min_ess={min_ess!r} asks for more effective rows than the majority has before raking, {base_ess:.6g}"
        )
    return wanted


def rake_to_ess(
    problem: RakingProblem, min_ess: float, base_weights: NDArray[np.float64] | None, method: str
) -> tuple[Raking, float]:
    """Rake at the smallest η in [1e-4, 1] whose effective sample size is at least `min_ess`; also return η.

    The effective sample size grows with the tolerance, from the few rows nearest to the target to the base weights at
    η = 1. Bisection on log η; every solve starts from the last one that kept the size, with one floor for all.
    """
    listener = make_callback(0, None)
    floor = warn_of_floor(problem.find_floor(method, 0, listener))

    def rake_at(eta: float, start: Raking | None) -> Raking:
        tolerance = choose_tolerance(floor, floor.base_discrepancy, eta=eta)
        known = None if start is None else start.dual
        dual = warn_of_dual(problem.solve_dual(tolerance, floor, known, method, 0, listener))
        return Raking(floor, tolerance, floor.base_discrepancy, dual)

    # 1. The ends: the base weights always keep the size; the smallest tolerance may.
    wanted = wanted_ess(min_ess, effective_size(base_weights, floor.n_rows))
    enough = rake_at(1.0, None)
    smallest = rake_at(SMALLEST_ETA, None)
    if smallest.dual.ess >= wanted:
        return smallest, SMALLEST_ETA

    # 2. Halve the interval between an η that is too small and one that is large enough.
    too_small, large_enough = math.log(SMALLEST_ETA), 0.0
    while large_enough - too_small > _LOG_ETA_STEP:
        middle = (too_small + large_enough) / 2
        raking = rake_at(math.exp(middle), enough)
        if raking.dual.ess >= wanted:
            large_enough, enough = middle, raking
        else:
            too_small = middle
    return enough, math.exp(large_enough)


def effective_size(base_weights: NDArray[np.float64] | None, n_rows: int) -> float:
    """Return 1/Σd² of normalised base weights."""
    if base_weights is None:
        return float(n_rows)
    return float(base_weights.sum() ** 2 / (base_weights @ base_weights))
