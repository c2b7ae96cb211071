"""Who competes on one problem, and the rows of the table that come of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import drr
from benchmarks.speed.measure import Contestant, Measurement, measure
from benchmarks.speed.peers import (
    clarabel,
    empirical_calibration,
    limits,
    logistic_regression,
    numpy_paper,
    ours,
)
from benchmarks.speed.shapes import Problem

ETAS = (0.5, 0.005)  # beside the default of 0.05, for full Newton
MOST_ROWS_IN_FULL = (
    10_000  # above that a NumPy Frank–Wolfe takes minutes, and only some of its steps are timed
)
TIMED_STEPS = 20
CLARABEL_NUMBERS = 600_000
PATIENCE = 60  # a slow peer may always take this many times as long as we do


@dataclass(frozen=True)
class Row:
    """One contestant on one problem. `gap` is relative for floors and in nats for duals, `gradient` relative to δ.

    `weights_error` is the largest difference from the certified weights.
    """

    problem: str
    n_rows: int
    n_columns: int
    task: str
    contestant: str
    seconds: float
    memory_bytes: float
    gap: float
    gradient: float
    weights_error: float
    passes: float
    iterations: float
    detail: str


@dataclass(frozen=True)
class Field:
    """The contestants of one task: those that take several turns, and those that are slow enough for one."""

    quick: dict[str, Contestant]
    slow: dict[str, Contestant]


def run_contest(problem: Problem, *, repeats: int, time_limit: float) -> list[Row]:
    """Measure everybody on the problem; the floor of the first run sets the tolerance of the duals."""
    floor = drr.find_floor(problem.features, problem.target, n_threads=1)
    tolerance = drr.choose_tolerance(floor, floor.base_discrepancy)
    best = drr.solve_dual(problem.features, problem.target, tolerance, floor=floor).weights
    rows: list[Row] = []
    for task, field in (
        ("limit", _limits(problem)),
        ("floor", _floors(problem)),
        ("dual", _duals(problem, floor, tolerance)),
        ("whole", _wholes(problem)),
    ):
        measured = measure(field.quick, repeats=repeats, time_limit=time_limit)
        ours_took = measured["drr"].seconds if "drr" in measured else 0.0
        measured |= measure(field.slow, repeats=1, time_limit=max(time_limit, PATIENCE * ours_took))
        rows += [_row(problem, task, name, measurement, best) for name, measurement in measured.items()]
    return rows


def _limits(problem: Problem) -> Field:
    return Field(
        {
            "one pass": lambda: limits.one_pass(problem),
            "one dsyrk": lambda: limits.dsyrk(problem),
            "a tiny problem": lambda: limits.tiny_problem(),
        },
        {},
    )


def _floors(problem: Problem) -> Field:
    quick: dict[str, Contestant] = {
        "drr": lambda: ours.floor(problem),
        "drr, 2 threads": lambda: ours.floor(problem, n_threads=2),
    }
    if len(problem.features) > MOST_ROWS_IN_FULL:
        return Field(
            quick, {f"NumPy, {TIMED_STEPS} steps only": lambda: numpy_paper.floor(problem, TIMED_STEPS)}
        )
    return Field(
        quick,
        {
            "drr, paper's method": lambda: ours.floor(problem, "paper"),
            "NumPy, paper's method": lambda: numpy_paper.floor(problem),
        },
    )


def _duals(problem: Problem, floor: drr.Floor, tolerance: float) -> Field:
    quick: dict[str, Contestant] = {
        "drr": lambda: ours.dual(problem, floor, tolerance),
        "drr, 2 threads": lambda: ours.dual(problem, floor, tolerance, n_threads=2),
    }
    inner_solves = ours.applicable_inner_solves(problem)
    for inner in inner_solves:
        quick[f"drr, {inner}"] = lambda inner=inner: ours.dual(problem, floor, tolerance, inner)
    if "newton" in inner_solves:
        quick["drr, newton, 2 threads"] = lambda: ours.dual(problem, floor, tolerance, "newton", n_threads=2)
        for eta in ETAS:
            # Without the buffer, which would make small η alike.
            other = drr.choose_tolerance(floor, floor.base_discrepancy, eta=eta, buffer=1.0)
            quick[f"drr, newton, η = {eta:g}"] = lambda other=other: ours.other_dual(problem, floor, other)
    slow: dict[str, Contestant] = {
        "drr, paper's method": lambda: ours.dual(problem, floor, tolerance, "paper"),
        "NumPy, paper's method": lambda: numpy_paper.dual(problem, tolerance),
        "empirical_calibration": lambda: empirical_calibration.dual(problem, tolerance),
    }
    if problem.features.size <= CLARABEL_NUMBERS:
        slow["cvxpy with Clarabel"] = lambda: clarabel.dual(problem, tolerance)
    return Field(quick, slow)


def _wholes(problem: Problem) -> Field:
    quick: dict[str, Contestant] = {"drr": lambda: ours.rake(problem)}
    slow: dict[str, Contestant] = {
        "LogisticRegression, newton-cholesky": lambda: logistic_regression.fit(problem)
    }
    if problem.features.size <= 5_000_000 and problem.features.shape[1] <= 2000:  # a fit takes a second or so
        quick, slow = quick | slow, {}
    if len(problem.features) <= MOST_ROWS_IN_FULL:
        slow["drr, paper's method"] = lambda: ours.rake(problem, "paper")
        slow["NumPy, paper's method"] = lambda: numpy_paper.rake(problem)
    return Field(quick, slow)


def _row(problem: Problem, task: str, name: str, measured: Measurement, best: np.ndarray) -> Row:
    figures: dict[str, Any] = measured.figures
    details = [str(figures[key]) for key in ("method", "status") if key in figures]
    weights = figures.get("weights")
    if measured.failure:
        details.append(measured.failure)
    return Row(
        problem.name,
        *problem.features.shape,
        task,
        name,
        measured.seconds,
        measured.memory_bytes,
        figures.get("gap", math.nan),
        figures.get("gradient", math.nan),
        math.nan if weights is None else float(np.abs(weights - best).max()),
        figures.get("passes", math.nan),
        figures.get("iterations", math.nan),
        ", ".join(details),
    )
