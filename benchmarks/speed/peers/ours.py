"""drr itself: the whole, its stages, and the inner solves of the dual one by one."""

from __future__ import annotations

import math
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

import drr
from benchmarks.speed.shapes import Problem
from drr._native import core

LARGEST_HESSIAN = 3000  # columns


def applicable_inner_solves(problem: Problem) -> list[str]:
    """All that fit in memory: K² numbers for a Hessian, n0² for the span of the rows."""
    n_rows, n_columns = problem.features.shape
    hessians = ["newton", "pcg-sampled"] if n_columns <= LARGEST_HESSIAN else []
    return [*hessians, "pcg-woodbury", *(["wide"] if n_columns > n_rows else [])]


def floor(problem: Problem, method: str = "auto", n_threads: int = 1) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap and the status are in the table
        found = drr.find_floor(problem.features, problem.target, method=method, n_threads=n_threads)
    return {
        "value": found.value,
        "gap": (found.value - found.lower_bound) / found.value if found.value else 0.0,
        "passes": found.n_passes,
        "iterations": found.n_iter,
        "status": found.status.value,
    }


def dual(
    problem: Problem, floor: drr.Floor, tolerance: float, method: str = "auto", n_threads: int = 1
) -> dict[str, Any]:
    """`method` is public ("auto", "paper") or one of the inner solves, forced on the compiled core."""
    if method in ("auto", "paper"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = drr.solve_dual(
                problem.features, problem.target, tolerance, floor=floor, method=method, n_threads=n_threads
            )
        result = vars(found)
        status = found.status.value
    else:
        result = core.solve_dual(
            problem.features,
            problem.target,
            tolerance,
            None,
            floor.support,
            floor.support_weights,
            floor.lower_bound,
            -floor.residual,
            f"auto:{method}",
            0,
            n_threads,
            None,
        )
        status = result["status"]
    return {
        "gap": abs(result["gap"]),
        "gradient": result["gradient_norm"] / (tolerance or math.nan),
        "iterations": result["n_iter"],
        "method": result["method"],
        "status": status,
        "weights": result["weights"],
    }


def other_dual(problem: Problem, floor: drr.Floor, tolerance: float) -> dict[str, Any]:
    """Full Newton at another tolerance, whose weights are not those of the other contestants."""
    figures = dual(problem, floor, tolerance, "newton")
    del figures["weights"]
    return figures


def rake(problem: Problem, method: str = "auto") -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = drr.rake(problem.features, problem.target, method=method, n_threads=1)
    return {"gap": abs(found.dual.gap), "method": found.dual.method, "status": found.dual.status.value}
