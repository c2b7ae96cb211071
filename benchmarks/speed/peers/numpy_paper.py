"""The paper's algorithm in plain NumPy and SciPy: what a user without compiled kernels runs today."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.numpy_dual import solve_reference_dual
from benchmarks.speed.numpy_floor import pairwise_frank_wolfe
from benchmarks.speed.shapes import Problem
from drr import choose_tolerance


def floor(problem: Problem, max_iter: int = 20_000) -> dict[str, Any]:
    found = pairwise_frank_wolfe(problem.features, problem.target, max_iter=max_iter)
    return {
        "value": found.value,
        "gap": (found.value - found.lower_bound) / found.value if found.value else 0.0,
        "iterations": found.n_iter,
    }


def dual(problem: Problem, tolerance: float) -> dict[str, Any]:
    found = solve_reference_dual(problem.features, problem.target, tolerance)
    return {
        "status": "converged" if found.converged else "not converged",
        "gradient": found.gradient_norm / tolerance,
        "iterations": found.n_iter,
        "weights": found.weights,
    }


def rake(problem: Problem) -> dict[str, Any]:
    found = pairwise_frank_wolfe(problem.features, problem.target)
    discrepancy = float(np.linalg.norm(problem.features.mean(axis=0) - problem.target))
    return dual(problem, choose_tolerance(found.value, discrepancy))
