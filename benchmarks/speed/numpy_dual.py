"""The paper's dual in plain NumPy and SciPy: what a user without compiled kernels runs today."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

Array = NDArray[np.float64]

SMOOTHING = 1e-10
RIDGE = 1e-10
GRADIENT_GOAL = 1e-9
FALLBACK_GOAL = 1e-6


@dataclass(frozen=True)
class ReferenceDual:
    """θ, the weights, the norm of the smoothed gradient, whether the paper's rule calls it converged, iterations."""

    theta: Array
    weights: Array
    gradient_norm: float
    converged: bool
    n_iter: int


def solve_reference_dual(features: Array, target: Array, tolerance: float) -> ReferenceDual:
    """Newton up to 600 columns, L-BFGS-B above, as published; uniform base weights."""
    rows = features - target
    mean = rows.mean(axis=0)
    if np.linalg.norm(mean) <= tolerance:
        return ReferenceDual(np.zeros_like(target), np.full(len(rows), 1 / len(rows)), 0.0, True, 0)
    return _newton(rows, tolerance) if rows.shape[1] <= 600 else _lbfgs(rows, tolerance)


def _tilt(rows: Array, theta: Array) -> tuple[float, Array]:
    """Λ(θ) and the weights."""
    scores = rows @ theta
    largest = scores.max()
    exponentials = np.exp(scores - largest)
    total = exponentials.sum()
    return float(largest + np.log(total / len(rows))), exponentials / total


def _newton(rows: Array, tolerance: float, max_iter: int = 200) -> ReferenceDual:
    theta = np.zeros(rows.shape[1])
    log_partition, weights = _tilt(rows, theta)
    for iteration in range(max_iter + 1):
        smoothed = np.sqrt(theta @ theta + SMOOTHING**2)
        mean = rows.T @ weights
        gradient = mean + tolerance * theta / smoothed
        gradient_norm = float(np.linalg.norm(gradient))
        if gradient_norm <= GRADIENT_GOAL or iteration == max_iter:
            break
        hessian = (rows.T * weights) @ rows - np.outer(mean, mean)
        hessian -= tolerance / smoothed**3 * np.outer(theta, theta)
        hessian[np.diag_indices_from(hessian)] += tolerance / smoothed + RIDGE
        step = -cho_solve(cho_factor(hessian), gradient)
        before, slope, length = log_partition + tolerance * smoothed, gradient @ step, 1.0
        while length >= 1e-10:
            trial = theta + length * step
            log_partition, weights = _tilt(rows, trial)
            if (
                log_partition + tolerance * np.sqrt(trial @ trial + SMOOTHING**2)
                <= before + 1e-4 * length * slope
            ):
                break
            length /= 2
        else:
            weights = _tilt(rows, theta)[1]
            break
        theta = trial
    return ReferenceDual(theta, weights, gradient_norm, gradient_norm <= FALLBACK_GOAL, iteration)


def _lbfgs(rows: Array, tolerance: float) -> ReferenceDual:
    def objective(theta: Array) -> tuple[float, Array]:
        log_partition, weights = _tilt(rows, theta)
        smoothed = np.sqrt(theta @ theta + SMOOTHING**2)
        return log_partition + tolerance * smoothed, rows.T @ weights + tolerance * theta / smoothed

    start = np.zeros(rows.shape[1])
    end = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"ftol": 0.0, "gtol": GRADIENT_GOAL}
    )
    gradient_norm = float(np.linalg.norm(end.jac))
    return ReferenceDual(
        end.x, _tilt(rows, end.x)[1], gradient_norm, gradient_norm <= FALLBACK_GOAL, int(end.nit)
    )
