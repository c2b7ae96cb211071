"""The figures the solvers should reach, as ratios within one run; each is reported as met or not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.speed.contest import Row

FOUR = ("mammography", "isolet", "compustat", "phoss")
INNER = ("drr, newton", "drr, pcg-sampled", "drr, pcg-woodbury", "drr, wide")


@dataclass(frozen=True)
class Target:
    problem: str
    statement: str
    measured: float
    met: bool


def check(rows: list[Row]) -> list[Target]:
    """All targets of the problems that were run."""
    return [target for problem in dict.fromkeys(row.problem for row in rows) for target in _of(problem, rows)]


def _of(problem: str, rows: list[Row]) -> Iterator[Target]:
    table = {(row.task, row.contestant): row for row in rows if row.problem == problem}
    K = next(iter(table.values())).n_columns

    def seconds(task: str, contestant: str) -> float:
        row = table.get((task, contestant))
        return row.seconds if row and math.isfinite(row.seconds) else math.nan

    def at_least(statement: str, measured: float, bound: float) -> Iterator[Target]:
        if not math.isnan(measured):
            yield Target(problem, f"{statement} ≥ {bound:g}×", measured, measured >= bound)

    def at_most(statement: str, measured: float, bound: float) -> Iterator[Target]:
        if not math.isnan(measured):
            yield Target(problem, f"{statement} ≤ {bound:g}", measured, measured <= bound)

    floor, dual = table[("floor", "drr")], table[("dual", "drr")]
    numpy = "NumPy, paper's method"
    yield from at_most("floor: certified relative gap", floor.gap, 1e-10)
    yield from at_most("floor: passes over the rows", floor.passes, 40)
    if problem in (*FOUR, "genes"):
        faster = 20 if problem == "genes" else 100
        yield from at_least("floor: NumPy Frank–Wolfe / drr", seconds("floor", numpy) / floor.seconds, faster)
        whole = 5 if problem == "genes" else 50
        yield from at_least("whole: NumPy / drr", seconds("whole", numpy) / seconds("whole", "drr"), whole)
    yield from at_least(
        "dual: NumPy / drr", seconds("dual", numpy) / dual.seconds, 5 if K <= 600 else 2
    )
    yield from at_least(
        "dual: empirical_calibration / drr",
        seconds("dual", "empirical_calibration") / dual.seconds,
        15 if problem == "mammography" else 50,
    )
    dsyrk = seconds("limit", "one dsyrk")
    newton = table.get(("dual", "drr, newton"))
    if newton and math.isfinite(newton.seconds):
        yield from at_most("full Newton: iterations", newton.iterations, 7)
        yield from at_most("full Newton: dsyrk per iteration", newton.seconds / dsyrk / max(1, newton.iterations), 1.5)
    if K >= 100:
        yield from at_most("dual: dsyrk in total", dual.seconds / dsyrk, 3.5)
    yield from at_most("dual: certified gap in nats", dual.gap, 1e-11)
    best = min((seconds("dual", name) for name in INNER if not math.isnan(seconds("dual", name))), default=math.nan)
    yield from at_most("dual: chosen inner solve / best one", dual.seconds / best, 1.2)
    yield from at_least(
        "whole: LogisticRegression / drr",
        seconds("whole", "LogisticRegression, newton-cholesky") / seconds("whole", "drr"),
        1,
    )
    if problem == "tall":
        yield from at_least("dual: two threads", dual.seconds / seconds("dual", "drr, 2 threads"), 1.6)
