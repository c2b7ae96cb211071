"""The paper's floor in plain NumPy: what a user without compiled kernels runs today."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReferenceFloor:
    """The achieved upper bound, the certified lower bound, the weights, and how many iterations they took."""

    value: float
    lower_bound: float
    weights: Array
    n_iter: int


def pairwise_frank_wolfe(
    features: Array, target: Array, *, max_iter: int = 20_000, relative: float = 1e-8, absolute: float = 1e-12
) -> ReferenceFloor:
    """Minimise ‖Aᵀw‖ over the simplex, A = Φ − 1μ₁ᵀ, one full product A x per iteration.

    Every step moves mass from the worst active row to the best row, as far as the line search or the mass
    allows. The shifted copy of the features is part of the cost, as it is for anyone who writes this.
    """
    rows = features - target
    start = int(np.argmin(np.einsum("ij,ij->i", rows, rows)))
    weights = np.zeros(len(rows))
    weights[start] = 1.0
    x = rows[start].copy()
    for n_iter in range(max_iter + 1):
        scores = rows @ x
        best = int(np.argmin(scores))
        squared = float(x @ x)
        if n_iter == max_iter or squared - scores[best] <= max(relative * squared, absolute):
            break
        active = np.flatnonzero(weights)
        worst = int(active[np.argmax(scores[active])])
        direction = rows[best] - rows[worst]
        step = min(float(scores[worst] - scores[best]) / float(direction @ direction), float(weights[worst]))
        weights[best] += step
        weights[worst] = 0.0 if step == weights[worst] else weights[worst] - step
        x += step * direction
    x = rows.T @ weights
    value = float(np.linalg.norm(x))
    lower_bound = max(0.0, float((rows @ x).min()) / value) if value > 0 else 0.0
    return ReferenceFloor(value, lower_bound, weights, n_iter)
