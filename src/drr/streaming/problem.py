"""Floor, tolerance and dual of rows that are read in passes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.rows import is_dask
from drr._native.progress import Callback
from drr.raking.arguments import (
    Checkpoint,
    check_floor,
    check_start,
    refuse_absent_support,
    refuse_foreign_floor,
)
from drr.raking.results import Dual, Floor, Status
from drr.streaming.checkpoint import RecordingRunner
from drr.streaming.dual import Solution, solve_dual_in_passes
from drr.streaming.floor import FloorFound, Passes, fetch_support, find_floor_in_passes
from drr.streaming.passes import Price
from drr.streaming.runner import LocalRunner
from drr.streaming.sources import open_rows


def make_runner(features: Any, base_weights: Any) -> Any:
    """Whatever makes passes over the features."""
    if callable(getattr(features, "run_pass", None)):
        if base_weights is not None:
            raise ValueError(
                "base_weights cannot be given beside an object that runs its own passes; let it hand them "
                "to the request"
            )
        return features
    if is_dask(features):
        from drr.streaming.dask import DaskRunner

        return DaskRunner(features, base_weights)
    if is_dask(base_weights):
        raise TypeError("base_weights is a Dask collection, but the rows are not; pass an array")
    return LocalRunner(open_rows(features), _check_weights(base_weights))


class SourceRaking:
    """One problem on rows that are read in passes: target, runner, and the passes made so far."""

    def __init__(
        self,
        features: Any,
        target: NDArray[np.float64],
        base_weights: ArrayLike | None,
        n_threads: int | None,
        checkpoint: Checkpoint,
        **options: float,
    ) -> None:
        runner = make_runner(features, base_weights)
        if checkpoint is not None:
            runner = RecordingRunner(runner, checkpoint, target, **options)
        self.passes = Passes(runner, target, n_threads)

    def find_floor(self, max_iter: int, callback: Callback | None) -> FloorFound:
        """The floor, with the rows that carry it."""
        return find_floor_in_passes(self.passes, max_iter, callback)

    def solve_dual(
        self,
        tolerance: float,
        floor: Floor | FloorFound | None,
        start: Dual | None,
        max_iter: int,
        callback: Callback | None,
    ) -> Solution:
        """The dual; a floor that was found elsewhere costs one more pass, for its rows."""
        if start is not None:
            check_start(start, len(self.passes.target))
        found = self._fetched(floor) if isinstance(floor, Floor) else floor
        solution = solve_dual_in_passes(
            self.passes,
            self.passes.survey() if found is None else found.survey,
            tolerance,
            floor_lower_bound=math.nan if found is None else found.floor.lower_bound,
            support=None if found is None else found.support,
            support_weights=None if found is None else found.floor.support_weights,
            start=None if start is None else start.theta,
            max_iter=max_iter,
            callback=callback,
        )
        if found is not None and found is not floor and solution.dual.status is Status.INFEASIBLE:
            refuse_foreign_floor(
                found.floor,
                found.support.rows,
                self.passes.target,
                lambda x: float(self.passes.run(Price, x, -math.inf, 1).lowest),
            )
        return solution

    def _fetched(self, floor: Floor) -> FloorFound:
        survey = self.passes.survey()
        check_floor(floor, survey.n_rows, len(self.passes.target))
        support = fetch_support(self.passes, floor, survey)
        refuse_absent_support(floor, support.weights)
        return FloorFound(floor, support, survey)


def columns_of(features: Any) -> int:
    """How many columns the rows have."""
    if callable(getattr(features, "run_pass", None)):
        return int(features.n_columns)
    if is_dask(features):
        from drr.streaming.dask import dask_columns

        return int(dask_columns(features))
    return int(open_rows(features).n_columns)


def _check_weights(base_weights: Any) -> Any:
    """Base weights as an array that is read block by block; a memory map stays one."""
    if base_weights is None:
        return None
    weights = base_weights if isinstance(base_weights, np.ndarray) else np.asarray(base_weights)
    if weights.ndim != 1 or weights.dtype.kind not in "fiub":
        raise ValueError(
            f"base_weights must be one number per row, got {weights.dtype} of shape {weights.shape}"
        )
    return weights
