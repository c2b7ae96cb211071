"""The paper's algorithm in plain NumPy and SciPy: what a user without compiled kernels runs today."""

from __future__ import annotations

from typing import Any

from benchmarks.speed.numpy_dual import solve_dual
from benchmarks.speed.numpy_reference import pairwise_frank_wolfe
from benchmarks.speed.shapes import Problem
from drr import choose_tolerance


def floor(problem: Problem, max_iter: int = 20_000) -> dict[str, Any]:
    found = pairwise_frank_wolfe(problem.features, problem.target, max_iter=max_iter)
    return {
        "value": found.value,
        "gap": (found.value - found.lower_bound) / found.value if found.value else 0.0,
        "iterations": found.n_iter,
    }
