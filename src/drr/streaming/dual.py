"""The raking dual in passes: a sample of rows in memory proposes, a pass over all rows disposes.

A pass at θ returns Λ(θ), its gradient, and a sample of rows drawn in proportion to their tilted weights. The sample
gives a model of Λ whose gradient is put right by a linear term, so that the minimum of the model is the minimum of f
wherever model and f agree. Far from the minimum the whole model is minimised, as far as the sample carries it; near it
a Newton step with the model's Hessian suffices, started from the combination of the last points whose gradient is
smallest (the gradients are nearly linear there). Each pass then gains about a digit, and every certificate comes from
all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from drr._native.progress import Callback, report
from drr._native.threads import resolve_n_threads
from drr.raking.results import Dual, Status
from drr.streaming.floor import Passes, find_floor_in_passes, rows_to_sample
from drr.streaming.passes import PickedRows, SurveyAnswer, TiltAnswer, TiltSums, Vector
from drr.streaming.sampled_model import SampledModel

EPSILON = float(np.finfo(float).eps)
DEFAULT_MAX_ITER = 100
_NEAR = 0.01  # squared Newton decrement, in nats, below which the Hessian of the sample is all that is needed
_STALE = 0.02  # a sample serves until the objective has moved this far, in nats
_PATIENCE = 3
_MOST_POLISHING = 2
_MOST_HALVINGS = 30
_HISTORY = 10


@dataclass(frozen=True, eq=False)
class Point:
    """θ with what a pass over all rows says of it."""

    theta: Vector
    answer: TiltAnswer
    log_partition: float
    """Λ(θ) of the shifted rows under normalised base weights"""
    tolerance: float

    @property
    def norm(self) -> float:
        return float(np.linalg.norm(self.theta))

    @property
    def mean(self) -> Vector:
        return self.answer.mean

    @property
    def objective(self) -> float:
        return self.log_partition + self.tolerance * self.norm

    @property
    def gradient(self) -> Vector:
        norm = self.norm
        return self.mean + (self.tolerance / norm) * self.theta if norm > 0 else self.mean

    @property
    def gradient_norm(self) -> float:
        return float(np.linalg.norm(self.gradient))

    @property
    def slope(self) -> float:
        """θᵀg, the primal–dual gap of feasible weights."""
        return float(self.theta @ self.gradient)

    @property
    def round_off(self) -> float:
        """of the objective"""
        return 64 * EPSILON * (1 + abs(self.log_partition) + self.tolerance * self.norm)


@dataclass(frozen=True)
class Solution:
    """A dual without weights per row, with what a warning or an error needs."""

    dual: Dual
    floor_lower_bound: float
    """what proves that there is no solution; NaN otherwise"""


class DualPasses:
    """The dual of one problem: evaluates points, keeps the sample."""

    def __init__(
        self, passes: Passes, survey: SurveyAnswer, tolerance: float, support: PickedRows | None
    ) -> None:
        self.passes, self.survey, self.tolerance = passes, survey, tolerance
        self.log_weight = math.log(survey.weight)
        self.support = support
        self.size = rows_to_sample(len(passes.target))
        self.model = SampledModel.of(
            survey.sample, support, passes.target, resolve_n_threads(passes.n_threads)
        )

    def base_point(self) -> Point:
        """θ = 0, from the survey: no pass."""
        zero = np.zeros(len(self.passes.target))
        figures = (self.log_weight, math.log(self.survey.square_weight), 0.0, 0.0, self.survey.mean, None)
        return Point(zero, TiltAnswer(self.survey.n_rows, *figures), 0.0, self.tolerance)

    def evaluate(self, theta: Vector, *, redraw: bool) -> Point:
        """One pass; with `redraw` it also brings a sample at θ."""
        if redraw and not self.model.is_complete:
            limit = math.log(1.2 * self.size) - self.model.log_sum(theta)
            answer = self.passes.run(TiltSums, theta, int(1.5 * self.size), limit)
            self.model = SampledModel.of(
                answer.sample, self.support, self.passes.target, self.model.n_threads
            )
        else:
            answer = self.passes.run(TiltSums, theta)
        return Point(theta, answer, answer.log_sum - self.log_weight, self.tolerance)

    def proof_of_infeasibility(self, point: Point) -> float:
        """−maxᵢ aᵢᵀθ/‖θ‖ where it exceeds the tolerance by more than round-off; NaN otherwise."""
        if point.norm == 0:
            return math.nan
        bound = -point.answer.largest_score / point.norm
        slack = 64 * EPSILON * point.answer.largest_absolute / point.norm
        return bound if bound > self.tolerance + slack else math.nan


def solve_dual_in_passes(
    passes: Passes,
    survey: SurveyAnswer,
    tolerance: float,
    *,
    floor_lower_bound: float,
    support: PickedRows | None,
    support_weights: Vector | None,
    start: Vector | None,
    max_iter: int,
    callback: Callback | None,
) -> Solution:
    """θ with the certificate of the compiled dual; `max_iter` 0 stands for 100 passes."""
    problem = DualPasses(passes, survey, tolerance, support)
    point = problem.base_point()
    gamma = point.gradient_norm

    def end(best: Point, status: Status, n_iter: int, method: str, proof: float = math.nan) -> Solution:
        return Solution(_certified(problem, best, support, support_weights, status, n_iter, method), proof)

    # 1. The base weights may do already, or nothing may.
    if gamma <= tolerance:
        return end(point, Status.ZERO_DUAL, 0, "zero")
    if floor_lower_bound > tolerance:
        return end(point, Status.INFEASIBLE, 0, "floor", floor_lower_bound)
    if start is not None and start.any():
        point = problem.evaluate(start, redraw=True)

    goal = 1e-9 * (tolerance if tolerance > 0 else gamma)
    progress = _Progress()
    history: list[Point] = []
    best_accepted: Point | None = None
    n_polished = 0
    for iteration in range(max_iter or DEFAULT_MAX_ITER):
        report(
            callback,
            "dual",
            iteration,
            passes.count,
            value=point.objective,
            gap=point.slope,
            gradient_norm=point.gradient_norm,
            active=len(problem.model),
        )
        # 2. A minimum by the rule. What remains of the accuracy of double precision costs a pass or two more.
        if _is_minimum(point, goal):
            if best_accepted is None or point.gradient_norm < best_accepted.gradient_norm:
                best_accepted = point
            if best_accepted.gradient_norm <= 0.01 * goal or n_polished == _MOST_POLISHING:
                return end(best_accepted, Status.CONVERGED, iteration, "passes")
            n_polished += 1
        elif best_accepted is not None:
            return end(best_accepted, Status.CONVERGED, iteration, "passes")

        # 3. Is there a minimum at all, and any progress left to make?
        proof = problem.proof_of_infeasibility(point)
        if not math.isnan(proof):
            return end(point, Status.INFEASIBLE, iteration, "passes", proof)
        if progress.stalled(point):
            return end(point, Status.ROUND_OFF, iteration, "passes")

        # 4. The model's proposal, tried by a pass.
        history = [each for each in history if each.objective - point.objective < _STALE][-_HISTORY:]
        theta, decrease, is_near = problem.model.propose(point, history, tolerance)
        if theta is None:
            # The sample has no point within the tolerance; whether the rows have one, the floor knows.
            found = find_floor_in_passes(passes, survey, 0, None)
            if found.floor.lower_bound > tolerance:
                return end(point, Status.INFEASIBLE, iteration, "floor", found.floor.lower_bound)
            problem.support = found.support
            problem.model = SampledModel.of(
                survey.sample, found.support, passes.target, problem.model.n_threads
            )
            theta, decrease, is_near = problem.model.propose(point, [], tolerance, give_up=False)
            assert theta is not None
        trial = problem.evaluate(theta, redraw=not is_near or decrease > _STALE)
        n_halvings = 0
        while not _improves(trial, point) and n_halvings < _MOST_HALVINGS:
            if best_accepted is not None or (
                is_near and abs(trial.objective - point.objective) <= point.round_off
            ):
                break  # round-off decides; there is nothing to gain by a shorter step
            n_halvings += 1
            history = []
            theta = point.theta + (theta - point.theta) / (4 if trial.objective > point.objective + 1 else 2)
            trial = problem.evaluate(theta, redraw=True)
        history.append(point)
        if _improves(trial, point) or best_accepted is None:
            point = trial
        else:
            return end(best_accepted, Status.CONVERGED, iteration + 1, "passes")
    return end(point, Status.ITERATION_LIMIT, max_iter or DEFAULT_MAX_ITER, "passes")


class _Progress:
    """Watches for the end of progress: neither the gradient nor the objective falls any more."""

    def __init__(self) -> None:
        self._gradient = self._objective = math.inf
        self._waited = 0

    def stalled(self, point: Point) -> bool:
        falls = (
            point.gradient_norm < 0.5 * self._gradient or point.objective < self._objective - point.round_off
        )
        self._waited = 0 if falls else self._waited + 1
        self._gradient = min(self._gradient, point.gradient_norm)
        self._objective = min(self._objective, point.objective)
        return self._waited >= _PATIENCE


def _improves(trial: Point, point: Point) -> bool:
    if trial.objective < point.objective - point.round_off:
        return True
    return trial.objective <= point.objective + point.round_off and trial.gradient_norm < point.gradient_norm


def _is_minimum(point: Point, goal: float) -> bool:
    slack = max(1e-11, 64 * EPSILON * point.answer.largest_absolute)
    return point.norm > 0 and point.gradient_norm <= goal and abs(point.slope) <= slack


def _certified(
    problem: DualPasses,
    point: Point,
    support: PickedRows | None,
    support_weights: Vector | None,
    status: Status,
    n_iter: int,
    method: str,
) -> Dual:
    gap = point.slope
    discrepancy = float(np.linalg.norm(point.mean))
    if discrepancy > problem.tolerance and support is not None and support_weights is not None:
        gap = _mixed_gap(problem, point, support, support_weights)
    answer = point.answer
    return Dual(
        theta=point.theta,
        weights=None,  # one number per row would not fit into memory either
        mean=point.mean + problem.passes.target,
        log_partition=point.log_partition + float(point.theta @ problem.passes.target),
        discrepancy=discrepancy,
        gap=gap,
        gradient_norm=point.gradient_norm,
        kl=max(0.0, float(point.theta @ point.mean) - point.log_partition),
        ess=math.exp(2 * answer.log_sum - answer.log_square_sum),
        n_iter=n_iter,
        method=method,
        status=status,
    )


def _mixed_gap(problem: DualPasses, point: Point, support: PickedRows, v: Vector) -> float:
    """KL(w′‖w) + θᵀ(Aᵀw′) + δ‖θ‖ for w′ = (1 − t)w + t·v, with v the floor's weights and w′ just feasible."""
    target, tolerance = problem.passes.target, problem.tolerance
    x = np.asarray(support.rows.T @ v).ravel() - target * v.sum()
    if np.linalg.norm(x) > tolerance:
        return point.slope
    m = point.mean
    across = x - m
    b, excess = float(m @ across), float(m @ m) - tolerance**2
    root = math.sqrt(max(0.0, b * b - float(across @ across) * excess))
    t = min(1.0, excess / (-b + root))
    scores = np.asarray(support.rows @ point.theta).ravel() - target @ point.theta
    log_w = np.log(support.weights) + scores - point.answer.log_sum
    w = np.exp(log_w)
    mixed = (1 - t) * w + t * v
    divergence = float(mixed @ (np.log(mixed) - log_w))
    divergence += (1 - t) * max(0.0, 1.0 - float(w.sum())) * math.log1p(-t) if t < 1 else 0.0
    return divergence + float(point.theta @ ((1 - t) * m + t * x)) + tolerance * point.norm
