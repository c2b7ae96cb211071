"""The raking dual in passes: a sample of rows in memory proposes each step, a pass over all rows decides.

A pass at θ returns Λ(θ), its gradient, and a sample of rows drawn in proportion to their tilted weights. The sample
gives a model of Λ whose gradient is corrected by a linear term, which makes the minimum of the model that of f
wherever model and f agree. Far from the minimum the whole model is minimised, as far as the sample allows; near it
a Newton step with the model's Hessian is enough, started from the combination of the last points whose gradient is
smallest (the gradients are nearly linear there). Each pass then gains about a digit, and every certificate comes from
all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from drr._native import core
from drr._native.progress import Callback, report
from drr._native.threads import resolve_n_threads
from drr.raking.results import Dual, Status
from drr.streaming.block import aligned
from drr.streaming.floor import Passes, find_floor_in_passes, rows_to_sample
from drr.streaming.passes import PickedRows, SurveyAnswer, TiltAnswer, TiltSums, Vector
from drr.streaming.sampled_model import SampledModel

DEFAULT_MAX_ITER = 100
_STALE = 0.02  # a sample serves until the objective has moved this far, in nats
_MAX_POLISHING = 2
_MAX_HALVINGS = 30
_HISTORY = 10


@dataclass(frozen=True, eq=False)
class Point:
    """θ with what a pass over all rows says of it."""

    theta: Vector
    answer: TiltAnswer
    log_partition: float
    """Λ(θ) of the shifted rows under normalised base weights"""
    tolerance: float

    @cached_property
    def norm(self) -> float:
        return float(np.linalg.norm(self.theta))

    @property
    def mean(self) -> Vector:
        return self.answer.mean

    @property
    def objective(self) -> float:
        return self.log_partition + self.tolerance * self.norm

    @cached_property
    def gradient(self) -> Vector:
        norm = self.norm
        return self.mean + (self.tolerance / norm) * self.theta if norm > 0 else self.mean

    @cached_property
    def gradient_norm(self) -> float:
        return float(np.linalg.norm(self.gradient))

    @property
    def round_off(self) -> float:
        """of the objective"""
        return 64 * float(np.finfo(float).eps) * (1 + abs(self.log_partition) + self.tolerance * self.norm)

    @property
    def sums(self) -> tuple[Vector, Vector, float, float, float, float]:
        """What the judge and the certificate of the core ask of a point."""
        answer = self.answer
        square_sum = math.exp(answer.log_square_sum - 2 * answer.log_sum)
        extremes = answer.largest_score, answer.largest_absolute
        return aligned(self.theta), aligned(self.mean), self.log_partition, square_sum, *extremes

    def improves_on(self, other: Point) -> bool:
        """Return whether the objective is lower, or equal within rounding with a smaller gradient."""
        if self.objective < other.objective - other.round_off:
            return True
        within = self.objective <= other.objective + other.round_off
        return within and self.gradient_norm < other.gradient_norm


@dataclass(frozen=True)
class Solution:
    """A dual without weights per row, with what a warning or an error needs."""

    dual: Dual
    floor_lower_bound: float
    """what proves that there is no solution; NaN otherwise"""


class DualPasses:
    """The dual of one problem: evaluates points, keeps the sample."""

    def __init__(
        self,
        passes: Passes,
        survey: SurveyAnswer,
        tolerance: float,
        support: PickedRows | None,
        support_weights: Vector | None,
    ) -> None:
        self.passes, self.survey, self.tolerance = passes, survey, tolerance
        self.log_weight = math.log(survey.weight)
        self._floor = None if support is None or support_weights is None else (support, support_weights)
        self.size = rows_to_sample(len(passes.target))
        self.n_threads = resolve_n_threads(passes.n_threads)
        self.keep_certain(support)

    def keep_certain(self, support: PickedRows | None) -> None:
        """Start from the sample of the survey again, with these rows and the outliers in every later sample.

        A single row far beyond the others can hold most of the curvature, and a sample without it learns nothing of it.
        """
        outliers = self.survey.outliers
        if support is not None:
            outliers = support.merge(outliers.take(np.flatnonzero(~outliers.among(support))))
        self._certain = outliers if len(outliers) else None
        self.model = SampledModel.of(self.survey.sample, self._certain, self.passes.target, self.n_threads)

    def base_point(self) -> Point:
        """Return θ = 0, from the survey: no pass."""
        zero = np.zeros(len(self.passes.target))
        squares = math.log(self.survey.square_weight)
        sums = (self.log_weight, 1.0, squares, 0.0, 0.0, self.survey.mean, None)
        return Point(zero, TiltAnswer(self.survey.n_rows, *sums), 0.0, self.tolerance)

    def evaluate(self, theta: Vector, *, redraw: bool) -> Point:
        """Make a pass at θ; with `redraw` it also brings a sample at θ."""
        if redraw and not self.model.is_complete:
            limit = math.log(1.2 * self.size) - self.model.log_sum(theta)
            answer = self.passes.run(TiltSums, theta, int(1.5 * self.size), limit)
            self.model = SampledModel.of(answer.sample, self._certain, self.passes.target, self.n_threads)
        else:
            answer = self.passes.run(TiltSums, theta)
        return Point(theta, answer, answer.log_sum - self.log_weight, self.tolerance)

    def certify(self, point: Point, status: Status, n_iter: int, method: str) -> Dual:
        """Return the dual with the certificate of the core."""
        target = self.passes.target
        floor: dict[str, Any] = {}
        if self._floor is not None:
            support, weights = self._floor
            scores = np.asarray(support.rows @ point.theta).ravel() - target @ point.theta
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # weights of the caller's; the core judges them
                mean = np.asarray(support.rows.T @ weights).ravel() - target * weights.sum()
            floor = {
                "floor_weights": weights,
                "floor_log_weights": np.log(support.weights) + scores - point.answer.log_sum,
                "floor_mean": mean,
            }
        values = core.certify_sums(*point.sums, target, self.tolerance, **floor)
        return Dual(
            theta=point.theta,
            weights=None,  # one number per row would not fit into memory either
            mean=point.mean + target,
            n_iter=n_iter,
            method="zero" if status is Status.ZERO_DUAL else method,
            status=status,
            **values,
        )


def solve_dual_in_passes(
    passes: Passes,
    survey: SurveyAnswer,
    tolerance: float,
    *,
    base_discrepancy: float,
    floor_lower_bound: float,
    support: PickedRows | None,
    support_weights: Vector | None,
    start: Vector | None,
    max_iter: int,
    callback: Callback | None,
) -> Solution:
    """Return θ with the certificate of the core; `max_iter` 0 means 100 passes."""
    problem = DualPasses(passes, survey, tolerance, support, support_weights)
    point = problem.base_point()

    # 1. The base weights may do already, or nothing may.
    if base_discrepancy <= tolerance:
        return Solution(problem.certify(point, Status.ZERO_DUAL, 0, "zero"), math.nan)
    if floor_lower_bound > tolerance:
        return Solution(problem.certify(point, Status.INFEASIBLE, 0, "floor"), floor_lower_bound)
    if start is not None and start.any() and _gives_finite_scores(start, survey):
        point = problem.evaluate(start, redraw=True)

    search = _Search(problem, point, core.DualJudge(tolerance, base_discrepancy))
    limit = max_iter or DEFAULT_MAX_ITER
    for iteration in range(limit):
        point = search.point
        report(
            callback,
            "dual",
            iteration,
            passes.count,
            value=point.objective,
            gap=float(point.theta @ point.gradient),
            gradient_norm=point.gradient_norm,
            active=len(problem.model),
        )
        end = search.end() or search.advance()
        if end is not None:
            return Solution(problem.certify(end.point, end.status, iteration, end.method), end.proof)
    return Solution(problem.certify(search.point, Status.ITERATION_LIMIT, limit, "passes"), math.nan)


@dataclass(frozen=True)
class _End:
    point: Point
    status: Status
    method: str = "passes"
    proof: float = math.nan


class _Search:
    """The moving state of one solve."""

    def __init__(self, problem: DualPasses, point: Point, judge: core.DualJudge) -> None:
        self.problem, self.point, self._judge = problem, point, judge
        self._best = point
        self._accepted: Point | None = None
        self._n_polished = 0
        self._history: list[Point] = []

    def end(self) -> _End | None:
        """Judge the point at which the last pass was made; None if the search continues."""
        point, judge = self.point, self._judge
        # A minimum by the rule. What remains of the accuracy of double precision costs a pass or two more.
        if judge.is_minimum(*point.sums):
            if self._accepted is None or point.gradient_norm < self._accepted.gradient_norm:
                self._accepted = point
            is_polished = self._accepted.gradient_norm <= 0.01 * judge.gradient_goal
            if is_polished or self._n_polished == _MAX_POLISHING:
                return _End(self._accepted, Status.CONVERGED)
            self._n_polished += 1
        elif self._accepted is not None:
            return _End(self._accepted, Status.CONVERGED)

        # Is there a minimum at all, and any progress left to make?
        proof = judge.proof_of_infeasibility(*point.sums)
        if not math.isnan(proof):
            return _End(point, Status.INFEASIBLE, proof=proof)
        stalled = judge.stalled(*point.sums)
        if judge.is_best():
            self._best = point
        if not stalled:
            return None
        best = self._best
        scales = aligned(self.problem.model.column_scales(best.theta))
        return _End(best, Status(judge.status_of_stall(*best.sums, scales)))

    def advance(self) -> _End | None:
        """Try what the model of the sample proposes, by a pass, and move there."""
        point, problem = self.point, self.problem
        self._history = [each for each in self._history if each.objective - point.objective < _STALE][
            -_HISTORY:
        ]
        theta, decrease, is_near = problem.model.propose(point, self._history, problem.tolerance)
        if theta is None:
            # The sample has no point within the tolerance; whether the rows have one, the floor knows.
            found = find_floor_in_passes(problem.passes, problem.survey, 0, None)
            if found.floor.lower_bound > problem.tolerance:
                return _End(point, Status.INFEASIBLE, "floor", found.floor.lower_bound)
            problem.keep_certain(found.support)
            theta, decrease, is_near = problem.model.propose(point, [], problem.tolerance, give_up=False)
            assert theta is not None
        trial = problem.evaluate(theta, redraw=not is_near or decrease > _STALE)
        n_halvings = 0
        while not trial.improves_on(point) and n_halvings < _MAX_HALVINGS:
            if self._accepted is not None or (
                is_near and abs(trial.objective - point.objective) <= point.round_off
            ):
                break  # round-off decides; there is nothing to gain by a shorter step
            n_halvings += 1
            self._history = []
            theta = point.theta + (theta - point.theta) / (4 if trial.objective > point.objective + 1 else 2)
            trial = problem.evaluate(theta, redraw=True)
        self._history.append(point)
        if self._accepted is not None and not trial.improves_on(point):
            return _End(self._accepted, Status.CONVERGED)
        self.point = trial
        return None


def _gives_finite_scores(theta: Vector, survey: SurveyAnswer) -> bool:
    """Return whether no score of a row can overflow; a start that fails this is left out, as it is in memory."""
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.linalg.norm(theta) * survey.largest_norm))
