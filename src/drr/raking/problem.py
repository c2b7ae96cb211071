"""The one door to the solvers: rows, target and base weights, checked once.

`open_problem` returns an `ArrayProblem`, whose solves are one call of the compiled core each, or for rows in files or
on a cluster a `StreamProblem`, whose solves are passes over the rows. Both know the base mean Φᵀd and the base
discrepancy γ = ‖Φᵀd − μ₁‖, which are computed once, and both end in the certificate of the core.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.arrays import Features, check_base_weights, check_features, log_base_weights
from drr._checks.rows import reads_in_passes
from drr._native import core
from drr._native.progress import Callback
from drr._native.threads import resolve_n_threads
from drr.exceptions import InfeasibleToleranceError
from drr.raking.arguments import (
    Checkpoint,
    align_target,
    check_floor_holds,
    check_floor_shape,
    check_start,
    check_support_present,
    check_target,
    start_direction,
)
from drr.raking.paper_lbfgs import solve_by_lbfgs
from drr.raking.results import Dual, Floor, Status

Vector = NDArray[np.float64]

FLOOR_METHODS = {"auto": "min_norm_point", "paper": "pairwise_frank_wolfe"}
_MAX_NEWTON_COLUMNS_OF_PAPER = 600  # the published algorithm turns to L-BFGS-B above


class RakingProblem(Protocol):
    """Majority rows, the target μ₁ and base weights d, all checked."""

    target: Vector

    @property
    def base_mean(self) -> Vector:
        """Φᵀd, the mean of the rows under the base weights."""

    @property
    def base_discrepancy(self) -> float:
        """γ = ‖Φᵀd − μ₁‖."""

    def find_floor(self, method: str, max_iter: int, callback: Callback | None) -> Floor:
        """Find the feasibility floor; `max_iter` 0 means the limit of the method."""

    def solve_dual(
        self,
        tolerance: float,
        floor: Floor | None,
        start: Dual | None,
        method: str,
        max_iter: int,
        callback: Callback | None,
    ) -> Dual:
        """Solve the dual, or raise InfeasibleToleranceError if a floor proves that there is none."""


def open_problem(
    features: Any,
    target: ArrayLike,
    base_weights: Any = None,
    *,
    n_threads: int | None = None,
    checkpoint: Checkpoint = None,
    asked: Mapping[str, float] | None = None,
) -> RakingProblem:
    """Check rows, target and base weights, and return the problem that they pose.

    `asked` is what tells two problems on the same rows and target apart (η or a tolerance); a checkpoint keeps it.
    """
    target = align_target(features, target)
    if reads_in_passes(features):
        from drr.streaming.problem import StreamProblem

        return StreamProblem(features, target, base_weights, n_threads, checkpoint, asked or {})
    if checkpoint is not None:
        raise ValueError(
            "checkpoint is for rows that are read in passes; pass a path or a source of drr.open_rows as features"
        )
    rows = check_features(features)
    goal = check_target(target, rows.shape[1])
    return ArrayProblem(
        rows, goal, check_base_weights(base_weights, rows.shape[0]), resolve_n_threads(n_threads)
    )


class ArrayProblem:
    """Rows in memory. The arguments are those that `open_problem` has checked."""

    def __init__(self, rows: Features, target: Vector, weights: Vector | None, n_threads: int) -> None:
        self.rows, self.target, self.weights, self.n_threads = rows, target, weights, n_threads
        self._log_weights = log_base_weights(weights)
        self._base_mean: Vector | None = None
        self._base_discrepancy = math.nan
        self._floor: Floor | None = None  # found here: its bounds hold for these rows

    @property
    def base_mean(self) -> Vector:
        if self._base_mean is None:
            self._base_mean = mean_of_rows(self.rows, self.weights, self.n_threads)
        return self._base_mean

    @property
    def base_discrepancy(self) -> float:
        if math.isnan(self._base_discrepancy):
            self._base_discrepancy = float(np.linalg.norm(self.base_mean - self.target))
        return self._base_discrepancy

    def find_floor(self, method: str, max_iter: int, callback: Callback | None) -> Floor:
        values = core.find_floor(
            self.rows, self.target, self.weights, FLOOR_METHODS[method], max_iter, self.n_threads, callback
        )
        values["status"] = Status(values["status"])
        floor = Floor(n_rows=self.rows.shape[0], method=FLOOR_METHODS[method], **values)
        self._base_mean, self._base_discrepancy, self._floor = floor.base_mean, floor.base_discrepancy, floor
        return floor

    def solve_dual(
        self,
        tolerance: float,
        floor: Floor | None,
        start: Dual | None,
        method: str,
        max_iter: int,
        callback: Callback | None,
    ) -> Dual:
        foreign = None if floor is self._floor else floor
        if foreign is not None:
            self._check_floor(foreign)
        if start is not None:
            check_start(start, self.rows.shape[1])
        if method == "paper" and self.rows.shape[1] > _MAX_NEWTON_COLUMNS_OF_PAPER:
            values = solve_by_lbfgs(
                self.rows,
                self.target,
                tolerance,
                self._log_weights,
                floor,
                max_iter,
                self.n_threads,
                callback,
                self._base_discrepancy,
            )
        else:
            values = core.solve_dual(
                self.rows,
                self.target,
                tolerance,
                self._log_weights,
                None if floor is None else floor.support,
                None if floor is None else floor.support_weights,
                math.nan if floor is None else floor.lower_bound,
                start_direction(floor, start),
                method,
                max_iter,
                self.n_threads,
                callback,
                self._base_discrepancy,
            )
        proof = values.pop("floor_lower_bound")
        values["status"] = Status(values["status"])
        self._base_mean = values.pop("base_mean", self._base_mean)
        if values["status"] is Status.INFEASIBLE:
            if foreign is not None:
                check_floor_holds(foreign, self.rows[foreign.support], self.target, self._lowest_score)
            raise InfeasibleToleranceError(tolerance, proof, math.nan if floor is None else floor.value)
        return Dual(**values)

    def _check_floor(self, floor: Floor) -> None:
        check_floor_shape(floor, *self.rows.shape)
        if self.weights is not None:
            check_support_present(floor, self.weights[floor.support])

    def _lowest_score(self, x: Vector) -> float:
        return float(
            core.price_block(self.rows, self.target, self.weights, x, -math.inf, 0, self.n_threads)[0]
        )


def mean_of_rows(rows: Features, weights: Vector | None, n_threads: int) -> Vector:
    """Return the weighted mean of dense or sparse rows of either precision, in one pass without a temporary."""
    return core.survey_block(rows, np.zeros(rows.shape[1]), weights, n_threads)[0]
