"""The raking problem of rows that are read in passes: the counterpart of `drr.raking.problem.ArrayProblem`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._native.progress import Callback
from drr._native.threads import resolve_n_threads
from drr.exceptions import InfeasibleToleranceError
from drr.raking.arguments import (
    Checkpoint,
    check_floor_holds,
    check_floor_shape,
    check_start,
    check_support_present,
    check_target,
)
from drr.raking.results import Dual, Floor, Status
from drr.streaming.checkpoint import RecordingRunner
from drr.streaming.dataset import open_dataset
from drr.streaming.dual import solve_dual_in_passes
from drr.streaming.floor import FloorFound, Passes, fetch_support, find_floor_in_passes
from drr.streaming.passes import Price, SurveyAnswer


class StreamProblem:
    """Rows in files, in blocks or on a cluster: the solves are passes over them."""

    def __init__(
        self,
        features: Any,
        target: ArrayLike,
        base_weights: Any,
        n_threads: int | None,
        checkpoint: Checkpoint,
        asked: Mapping[str, float],
    ) -> None:
        resolve_n_threads(n_threads)  # raises if it is not a number
        runner = make_runner(features, base_weights)
        self.target = check_target(target, runner.n_columns)
        if checkpoint is not None:
            runner = RecordingRunner(runner, checkpoint, self.target, **asked)
        self._passes = Passes(runner, self.target, n_threads)
        self._survey: SurveyAnswer | None = None
        self._found: FloorFound | None = None

    @property
    def survey(self) -> SurveyAnswer:
        """What the first pass learned."""
        if self._survey is None:
            self._survey = self._passes.survey()
        return self._survey

    @property
    def base_mean(self) -> NDArray[np.float64]:
        return self.survey.mean + self.target

    @property
    def base_discrepancy(self) -> float:
        return float(np.linalg.norm(self.survey.mean))

    def find_floor(self, method: str, max_iter: int, callback: Callback | None) -> Floor:
        _check_method(method)
        self._found = find_floor_in_passes(self._passes, self.survey, max_iter, callback)
        return self._found.floor

    def solve_dual(
        self,
        tolerance: float,
        floor: Floor | None,
        start: Dual | None,
        method: str,
        max_iter: int,
        callback: Callback | None,
    ) -> Dual:
        _check_method(method)
        if start is not None:
            check_start(start, len(self.target))
        own = self._found if self._found is not None and self._found.floor is floor else None
        foreign = self._fetch(floor) if floor is not None and own is None else None
        found = own or foreign
        solution = solve_dual_in_passes(
            self._passes,
            self.survey,
            tolerance,
            base_discrepancy=self.base_discrepancy,
            floor_lower_bound=math.nan if found is None else found.floor.lower_bound,
            support=None if found is None else found.support,
            support_weights=None if found is None else found.floor.support_weights,
            start=None if start is None else start.theta,
            max_iter=max_iter,
            callback=callback,
        )
        if solution.dual.status is Status.INFEASIBLE:
            if foreign is not None:
                check_floor_holds(foreign.floor, foreign.support.rows, self.target, self._lowest_score)
            upper_bound = math.nan if floor is None else floor.value
            raise InfeasibleToleranceError(tolerance, solution.floor_lower_bound, upper_bound)
        return solution.dual

    def _fetch(self, floor: Floor) -> FloorFound:
        """Fetch the rows that carry a floor found elsewhere, by one pass."""
        check_floor_shape(floor, self.survey.n_rows, len(self.target))
        support = fetch_support(self._passes, floor, self.survey)
        check_support_present(floor, support.weights)
        return FloorFound(floor, support)

    def _lowest_score(self, x: NDArray[np.float64]) -> float:
        return float(self._passes.run(Price, x, -math.inf, 1).lowest)


def make_runner(features: Any, base_weights: Any) -> Any:
    """Return whatever makes passes over the features."""
    if callable(getattr(features, "run_pass", None)):
        if base_weights is not None:
            raise ValueError(
                "base_weights cannot be given with an object that runs its own passes; let it pass them "
                "to the request"
            )
        return features
    return open_dataset(features, weights=base_weights, weights_name="base_weights")


def _check_method(method: str) -> None:
    if method != "auto":
        raise ValueError(
            f"method={method!r} needs all rows in memory; rows that are read in passes are raked by method='auto'"
        )
