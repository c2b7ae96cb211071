"""Who competes on one problem, and the rows of the table that come of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import drr
from benchmarks.speed.measure import Contestant, Measurement, measure
from benchmarks.speed.peers import clarabel, empirical_calibration, limits, logistic_regression, numpy_paper, ours
from benchmarks.speed.shapes import Problem

MOST_ROWS_IN_FULL = 10_000  # above that a NumPy Frank–Wolfe takes minutes, and only some of its steps are timed
TIMED_STEPS = 20
CLARABEL_ROWS = 4000


@dataclass(frozen=True)
class Row:
    """One contestant on one problem. `gap` is relative for floors and in nats for duals."""

    problem: str
    n_rows: int
    n_columns: int
    task: str
    contestant: str
    seconds: float
    memory_bytes: float
    gap: float
    passes: float
    iterations: float
    detail: str


def run_contest(problem: Problem, *, repeats: int, time_limit: float) -> list[Row]:
    """Measure everybody on the problem; the floor of the first run sets the tolerance of the duals."""
    floor = drr.find_floor(problem.features, problem.target, n_threads=1)
    tolerance = drr.choose_tolerance(floor, floor.base_discrepancy)
    best = drr.solve_dual(problem.features, problem.target, tolerance, floor=floor).weights
    rows: list[Row] = []
    for task, contestants in (
        ("limit", _limits(problem)),
        ("floor", _floors(problem)),
        ("dual", _duals(problem, floor, tolerance)),
        ("whole", _wholes(problem)),
    ):
        quick = {name: c for name, c in contestants.items() if not name.startswith("slow ")}
        slow = {name.removeprefix("slow "): c for name, c in contestants.items() if name.startswith("slow ")}
        measured = measure(quick, repeats=repeats, time_limit=time_limit)
        measured |= measure(slow, repeats=1, time_limit=time_limit)
        rows += [_row(problem, task, name, measurement, best) for name, measurement in measured.items()]
    return rows


def _limits(problem: Problem) -> dict[str, Contestant]:
    return {"one pass": lambda: limits.one_pass(problem), "one dsyrk": lambda: limits.dsyrk(problem)}


def _floors(problem: Problem) -> dict[str, Contestant]:
    contestants: dict[str, Contestant] = {"drr": lambda: ours.floor(problem)}
    if len(problem.features) <= MOST_ROWS_IN_FULL:
        contestants["slow drr, paper's method"] = lambda: ours.floor(problem, "paper")
        contestants["slow NumPy, paper's method"] = lambda: numpy_paper.floor(problem)
    else:
        contestants[f"slow NumPy, {TIMED_STEPS} steps only"] = lambda: numpy_paper.floor(problem, TIMED_STEPS)
    return contestants


def _duals(problem: Problem, floor: drr.Floor, tolerance: float) -> dict[str, Contestant]:
    contestants: dict[str, Contestant] = {
        "drr": lambda: ours.dual(problem, floor, tolerance),
        "drr, 2 threads": lambda: ours.dual(problem, floor, tolerance, n_threads=2),
    }
    for inner in ours.INNER_SOLVES:
        contestants[f"drr, {inner}"] = lambda inner=inner: ours.dual(problem, floor, tolerance, inner)
    contestants["slow drr, paper's method"] = lambda: ours.dual(problem, floor, tolerance, "paper")
    contestants["slow NumPy, paper's method"] = lambda: numpy_paper.dual(problem, tolerance)
    contestants["slow empirical_calibration"] = lambda: empirical_calibration.dual(problem, tolerance)
    if len(problem.features) <= CLARABEL_ROWS and problem.features.shape[1] <= 200:
        contestants["slow cvxpy with Clarabel"] = lambda: clarabel.dual(problem, tolerance)
    return contestants


def _wholes(problem: Problem) -> dict[str, Contestant]:
    contestants: dict[str, Contestant] = {
        "drr": lambda: ours.rake(problem),
        "LogisticRegression, newton-cholesky": lambda: logistic_regression.fit(problem),
    }
    if problem.features.shape[1] > 2000:  # one fit takes many seconds
        contestants["slow LogisticRegression, newton-cholesky"] = contestants.pop("LogisticRegression, newton-cholesky")
    if len(problem.features) <= MOST_ROWS_IN_FULL:
        contestants["slow drr, paper's method"] = lambda: ours.rake(problem, "paper")
        contestants["slow NumPy, paper's method"] = lambda: numpy_paper.rake(problem)
    return contestants


def _row(problem: Problem, task: str, name: str, measured: Measurement, best: np.ndarray) -> Row:
    figures: dict[str, Any] = measured.figures
    details = [str(figures[key]) for key in ("method", "status") if key in figures]
    if figures.get("weights") is not None:
        # Where a peer reports no certificate of its own, this tells how far its weights are from the certified ones.
        details.append(f"weights within {np.abs(figures['weights'] - best).max() / best.max():.0e}")
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
        figures.get("passes", math.nan),
        figures.get("iterations", math.nan),
        ", ".join(details),
    )
