"""The published dual above 600 columns: L-BFGS-B on the smoothed objective, around the compiled pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from drr._checks.arrays import Features
from drr._native import core
from drr._native.progress import Callback, report
from drr.raking.results import Floor, Status

SMOOTHING = 1e-10  # ε in δ√(‖θ‖² + ε²)
GRADIENT_GOAL = 1e-9
FALLBACK_GOAL = 1e-6


def solve_by_lbfgs(
    features: Features,
    target: NDArray[np.float64],
    tolerance: float,
    log_weights: NDArray[np.float64] | None,
    floor: Floor | None,
    max_iter: int,
    n_threads: int,
    callback: Callback | None,
    base_discrepancy: float,
) -> dict[str, Any]:
    """Return the values of core.solve_dual, with θ from L-BFGS-B and the certificate from the core."""
    support = None if floor is None else floor.support
    support_weights = None if floor is None else floor.support_weights

    def certify(theta: NDArray[np.float64]) -> dict[str, Any]:
        return core.certify_dual(
            features,
            target,
            tolerance,
            theta,
            log_weights,
            support,
            support_weights,
            n_threads,
            base_discrepancy,
        )

    values = certify(np.zeros(features.shape[1]))
    if values["status"] == Status.ZERO_DUAL.value:
        return values
    if floor is not None and floor.lower_bound > tolerance:
        return values | {"status": Status.INFEASIBLE.value, "floor_lower_bound": floor.lower_bound}
    theta, n_iter, status = _minimise(features, target, tolerance, log_weights, max_iter, n_threads, callback)
    values = certify(theta)
    if values["status"] != Status.INFEASIBLE.value:
        values["status"] = status.value
    return values | {"n_iter": n_iter, "method": "paper-lbfgs"}


def _minimise(
    features: Features,
    target: NDArray[np.float64],
    tolerance: float,
    log_base_weights: NDArray[np.float64] | None,
    max_iter: int,
    n_threads: int,
    callback: Callback | None,
) -> tuple[NDArray[np.float64], int, Status]:
    """Minimise Λ(θ) + δ√(‖θ‖² + ε²) from θ = 0; θ, the iterations, and the status by the published rule.

    The paper names the algorithm but not its settings: the goals are those of its Newton method, memory and limits
    SciPy's. Without bounds on θ, L-BFGS-B is L-BFGS.
    """
    last: dict[str, float] = {}
    n_passes = n_iterations = 0

    def objective(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        nonlocal n_passes
        log_partition, _, mean = core.tilt(features, theta, log_base_weights, target, n_threads)
        norm = math.sqrt(float(theta @ theta) + SMOOTHING**2)
        gradient = mean + (tolerance / norm) * theta
        n_passes += 1
        last.update(value=log_partition + tolerance * norm, gradient_norm=float(np.linalg.norm(gradient)))
        return last["value"], gradient

    def after_iteration(_: NDArray[np.float64]) -> None:
        nonlocal n_iterations
        n_iterations += 1
        report(callback, "dual", n_iterations, n_passes, active=0, **last)

    options: dict[str, Any] = {"ftol": 0.0, "gtol": GRADIENT_GOAL}
    if max_iter:
        options["maxiter"] = max_iter
    start = np.zeros(features.shape[1])
    end = minimize(objective, start, jac=True, method="L-BFGS-B", callback=after_iteration, options=options)
    if np.linalg.norm(end.jac) <= FALLBACK_GOAL:
        status = Status.CONVERGED
    else:  # SciPy's code 1 is the limit of iterations or evaluations, 2 a line search without progress
        status = Status.ITERATION_LIMIT if end.status == 1 else Status.ROUND_OFF
    return np.asarray(end.x), int(end.nit), status
