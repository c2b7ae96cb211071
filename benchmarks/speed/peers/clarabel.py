"""A conic solver on the primal: minimise KL(w‖d) over the simplex with ‖Aᵀw‖ ≤ δ (cvxpy and Clarabel)."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.shapes import Problem


def dual(problem: Problem, tolerance: float) -> dict[str, Any]:
    import cvxpy

    rows = problem.features - problem.target
    weights = cvxpy.Variable(len(rows))
    entropy = cvxpy.sum(cvxpy.rel_entr(weights, np.full(len(rows), 1 / len(rows))))
    constraints = [cvxpy.sum(weights) == 1, cvxpy.norm(rows.T @ weights) <= tolerance]
    model = cvxpy.Problem(cvxpy.Minimize(entropy), constraints)
    model.solve(solver=cvxpy.CLARABEL)
    return {"status": model.status, "weights": weights.value}
