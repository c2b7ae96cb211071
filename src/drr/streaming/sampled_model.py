"""A model of the dual's objective from a sample of rows: what it proposes, and how far it can be trusted.

Row i of the sample was drawn with probability pᵢ, so Λ_S(θ) = log Σ (dᵢ/pᵢ) exp(aᵢᵀθ) estimates Λ. A linear term brings
its gradient at a point to the one that all rows have there; it is no more than a shift of the target, so the compiled
dual minimises the model.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.special import logsumexp

from drr._native import core
from drr.raking.results import Status
from drr.streaming.passes import PickedRows, Sample, Vector

if TYPE_CHECKING:
    from drr.streaming.dual import Point

_NEAR = 0.01  # squared Newton decrement, in nats, below which the Hessian of the sample is all that is needed
_MAX_NOISE = 0.25  # K·Σ wᵢ²(1 − pᵢ): the largest squared relative error of a sampled Hessian
_LADDER = 7  # tolerances to try, each halfway between the last and what the point has reached
_MAX_FACTOR_COLUMNS = 2000  # columns; beyond, systems are solved by conjugate gradients on the sample
_MAX_CG_STEPS = 500


class SampledModel:
    """Rows of a sample with the logarithms of dᵢ/pᵢ."""

    def __init__(
        self,
        rows: Any,
        log_weights: Vector,
        probabilities: Vector,
        target: Vector,
        n_threads: int,
        is_complete: bool,
    ) -> None:
        self.rows, self.log_weights, self.probabilities = rows, log_weights, probabilities
        self.target, self.n_threads = target, n_threads
        self.is_complete = is_complete
        """the sample is all rows"""
        self._log_total = float(logsumexp(log_weights))
        self._normalised = log_weights - self._log_total

    @classmethod
    def of(cls, sample: Sample, support: PickedRows | None, target: Vector, n_threads: int) -> SampledModel:
        """Build the model from a sample and the rows that carry the floor, with which it has a minimum if they do."""
        picked = sample.picked
        if support is not None and math.isfinite(sample.limit):
            picked = picked.take(np.flatnonzero(~picked.among(support)))
        log_p = np.minimum(0.0, picked.scores + sample.limit)
        weights, rows = picked.weights, picked.rows
        if support is not None and math.isfinite(sample.limit):
            log_p = np.concatenate([log_p, np.zeros(len(support))])
            weights = np.concatenate([weights, support.weights])
            rows = picked.merge(support).rows
        if not scipy.sparse.issparse(rows):
            rows = np.ascontiguousarray(rows)
        with np.errstate(divide="ignore"):
            log_weights = np.log(weights) - log_p
        return cls(rows, log_weights, np.exp(log_p), target, n_threads, math.isinf(sample.limit))

    def __len__(self) -> int:
        return len(self.log_weights)

    def log_sum(self, theta: Vector) -> float:
        """Return the estimate of log Σ dᵢ exp(aᵢᵀθ)."""
        tilted = core.tilt(self.rows, theta, self._normalised, self.target, self.n_threads)
        return self._log_total + float(tilted[0])

    def column_scales(self, theta: Vector) -> Vector:
        """Return the estimate of (Σ wᵢaᵢₖ²)^½ for every column k."""
        weights = core.tilt(self.rows, theta, self._normalised, self.target, self.n_threads)[1]
        rows = self.rows.toarray() if scipy.sparse.issparse(self.rows) else self.rows
        return np.asarray(np.sqrt(weights @ (rows - self.target) ** 2))

    def propose(
        self, point: Point, history: list[Point], tolerance: float, *, give_up: bool = True
    ) -> tuple[Vector | None, float, bool]:
        """Return the next θ, the decrease of the objective to expect, and whether the minimum is near.

        None, with `give_up`, if the model has no minimum at any tolerance that was tried.
        """
        if point.norm > 0:
            step = self._newton(point, history, tolerance)
            if step is not None:
                return step
        return self._minimum(point, tolerance, give_up)

    def _minimum(self, point: Point, tolerance: float, give_up: bool) -> tuple[Vector | None, float, bool]:
        mean = core.tilt(self.rows, point.theta, self._normalised, self.target, self.n_threads)[2]
        target = self.target - (point.mean - mean)
        reached = float(np.linalg.norm(point.mean))
        start = point.theta if point.theta.any() else None
        last: Vector | None = None
        for level in range(_LADDER):
            delta = tolerance + (max(reached, tolerance) - tolerance) * (1 - 0.5**level)
            values = core.solve_dual(
                self.rows,
                target,
                delta,
                self._normalised,
                start_direction=start,
                n_threads=self.n_threads,
            )
            status = Status(values["status"])
            if status is Status.INFEASIBLE or not np.isfinite(values["theta"]).all():
                continue
            last = values["theta"]
            if self._noise(values["weights"]) <= _MAX_NOISE:
                break
        if last is None:
            if give_up:
                return None, math.inf, False
            last = point.theta - point.mean / max(reached**2, 1e-300)
        return last, math.inf, False

    def _newton(
        self, point: Point, history: list[Point], tolerance: float
    ) -> tuple[Vector, float, bool] | None:
        """Return a Newton step if the minimum is near; None otherwise."""
        _, weights, mean = core.tilt(self.rows, point.theta, self._normalised, self.target, self.n_threads)
        if self._noise(weights) > _MAX_NOISE:
            return None
        solve = self._hessian(weights, mean, point, tolerance)
        if solve is None:
            return None
        decrement = float(point.gradient @ solve(point.gradient))
        if not 0 <= decrement <= _NEAR:
            return None
        theta, gradient = _best_combination(point, history)
        return theta - solve(gradient), decrement / 2, True

    def _hessian(self, weights: Vector, mean: Vector, point: Point, tolerance: float) -> Any:
        """Return v ↦ H⁻¹v for the model's Hessian at a point, or None if it is not positive."""
        n_columns = len(self.target)
        c = tolerance / point.norm
        unit = point.theta / point.norm
        centre = self.target + mean
        if n_columns <= _MAX_FACTOR_COLUMNS:
            hessian = core.covariance(self.rows, centre, weights, self.n_threads)
            hessian -= c * np.outer(unit, unit)
            hessian[np.diag_indices(n_columns)] += c + 1e-13 * hessian.diagonal().max()
            try:
                factor = scipy.linalg.cho_factor(hessian, lower=True, check_finite=False)
            except np.linalg.LinAlgError:
                return None
            return lambda v: scipy.linalg.cho_solve(factor, v, check_finite=False)

        def product(v: Vector) -> Vector:
            scores = np.asarray(self.rows @ v).ravel() - centre @ v
            weighted = weights * scores
            pulled = np.asarray(self.rows.T @ weighted).ravel() - centre * weighted.sum()
            return np.asarray(pulled + c * (v - unit * (unit @ v)))

        return lambda v: _conjugate_gradients(product, v)

    def _noise(self, weights: Vector) -> float:
        """Return the squared relative error of a sampled Hessian under these weights; zero if all rows are certain."""
        return max(len(self.target), 64) * float(np.sum(weights**2 * (1 - self.probabilities)))


def _best_combination(point: Point, history: list[Point]) -> tuple[Vector, Vector]:
    """Return (θ, g) of the affine combination of points with the smallest gradient, taking it as linear."""
    theta, gradient = point.theta, point.gradient
    if not history:
        return theta, gradient
    moves = np.stack([each.theta - theta for each in history], axis=1)
    changes = np.stack([each.gradient - gradient for each in history], axis=1)
    scale = np.linalg.norm(changes, axis=0)
    scale[scale == 0] = 1.0
    share, *_ = np.linalg.lstsq(changes / scale, -gradient, rcond=1e-8)
    return theta + moves @ (share / scale), gradient + changes @ (share / scale)


def _conjugate_gradients(product: Any, v: Vector) -> Vector:
    x, residual = np.zeros_like(v), v.copy()
    search, square = residual.copy(), float(residual @ residual)
    goal = 1e-8 * square  # four digits: the model itself has fewer
    for _ in range(_MAX_CG_STEPS):
        if square <= goal:
            break
        image = product(search)
        length = square / float(search @ image)
        x += length * search
        residual -= length * image
        last, square = square, float(residual @ residual)
        search = residual + (square / last) * search
    return x
