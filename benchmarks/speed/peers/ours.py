"""drr itself, on one thread: the whole, its stages, and the inner solves of the dual one by one."""

from __future__ import annotations

import math
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

import drr
from benchmarks.speed.shapes import Problem
from drr._dispatch import core

INNER_SOLVES = ("newton", "pcg-sampled", "pcg-woodbury", "wide")


def floor(problem: Problem, method: str = "auto") -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap and the status are in the table
        found = drr.find_floor(problem.features, problem.target, method=method, n_threads=1)
    return {
        "value": found.value,
        "gap": (found.value - found.lower_bound) / found.value if found.value else 0.0,
        "passes": found.n_passes,
        "iterations": found.n_iter,
        "status": found.status.value,
    }


def dual(problem: Problem, floor: drr.Floor, tolerance: float, method: str = "auto", n_threads: int = 1) -> dict[str, Any]:
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
            floor.weights,
            floor.residual,
            floor.lower_bound,
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


def rake(problem: Problem, method: str = "auto") -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = drr.rake(problem.features, problem.target, method=method, n_threads=1)
    return {"gap": abs(found.dual.gap), "method": found.dual.method, "status": found.dual.status.value}
