"""Every inner solve of the dual on every shape, in units of one dsyrk on the same rows, one thread, one run.

    python benchmarks/speed/dual_regimes.py [--shapes mammography,isolet] [--etas 0.5,0.05] [--repeats 5] [--peers]

The first line of a block is what ``auto`` chooses; its time should be within 1.2 of the best. Where a Gram matrix of
the columns is out of proportion (more columns than rows), the unit is the dsyrk of the rows.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: the unit is one thread's dsyrk

import argparse
import functools
import math
import time
from collections.abc import Callable
from typing import Any

from numpy_dual import solve_reference_dual
from scipy.linalg.blas import dsyrk
from shapes import SHAPES, Problem, make_problem

import drr
from drr._dispatch import core

REGIMES = ("newton", "pcg-sampled", "pcg-woodbury", "wide")


def is_applicable(regime: str, n_rows: int, n_columns: int) -> bool:
    """Leaves out what would need a Hessian of many columns, or a Gram matrix of many rows."""
    return n_rows <= 3000 if regime == "wide" else n_columns <= 2000 or regime == "pcg-woodbury"


def best_of(repeats: int, functions: list[Callable[[], Any]]) -> list[tuple[float, Any]]:
    """The best time and the last result of each, in alternation: load on the machine meets all of them.

    All of it runs on one thread, so processor time is wall time on an idle machine, and steadier on a busy one.
    """
    best, results = [math.inf] * len(functions), [None] * len(functions)
    for _ in range(repeats):
        for number, function in enumerate(functions):
            start = time.process_time()
            results[number] = function()
            best[number] = min(best[number], time.process_time() - start)
    return list(zip(best, results, strict=True))


def solve(problem: Problem, floor: drr.Floor, tolerance: float, method: str) -> dict[str, Any]:
    """The figures of core.solve_dual, and the passes it made."""
    last: dict[str, Any] = {}
    figures = core.solve_dual(
        problem.features,
        problem.target,
        tolerance,
        None,
        floor.weights,
        floor.residual,
        floor.lower_bound,
        method,
        callback=last.update,
    )
    return figures | {"passes": last["passes"]}


def compare(problem: Problem, floor: drr.Floor, eta: float, repeats: int, with_peer: bool) -> None:
    """Time every applicable inner solve at one tolerance, and print a line for each."""
    n_rows, n_columns = problem.features.shape
    tolerance = drr.choose_tolerance(floor, floor.base_discrepancy, eta=eta)
    smaller = problem.features.T if n_columns <= n_rows else problem.features
    methods = ["auto", *(f"auto:{regime}" for regime in REGIMES if is_applicable(regime, n_rows, n_columns))]
    functions = [functools.partial(dsyrk, 1.0, smaller, lower=1)]
    functions += [functools.partial(solve, problem, floor, tolerance, method) for method in methods]
    if with_peer:
        functions.append(functools.partial(solve_reference_dual, problem.features, problem.target, tolerance))
    (unit, _), *timed = best_of(repeats, functions)

    def line(label: str, seconds: float, n_iter: int, passes: object, certificate: str) -> None:
        cells = f"{1e3 * seconds:>9.2f}{seconds / unit:>8.2f}{n_iter:>6}{passes:>8}"
        print(f"{problem.name:<13}{eta:<7g}{label:<20}{cells}  {certificate}", flush=True)

    for method, (seconds, dual) in zip(methods, timed, strict=False):
        certificate = (
            f"{dual['status']}, gap {dual['gap']:.0e}, |g|/δ {dual['gradient_norm'] / tolerance:.0e}"
        )
        label = f"auto = {dual['method']}" if method == "auto" else dual["method"]
        line(label, seconds, dual["n_iter"], dual["passes"], f"{certificate}, ess {dual['ess']:.0f}")
    if with_peer:
        seconds, peer = timed[-1]
        line("numpy paper", seconds, peer.n_iter, "", f"|g|/δ {peer.gradient_norm / tolerance:.0e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--etas", default="0.5,0.05,0.005")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--peers", action="store_true", help="also the NumPy and SciPy version of the paper's dual"
    )
    arguments = parser.parse_args()
    print(
        f"{'shape':<13}{'eta':<7}{'inner solve':<20}{'ms':>9}{'dsyrk':>8}{'iter':>6}{'passes':>8}  certificate"
    )
    for name in arguments.shapes.split(","):
        problem = make_problem(name)
        floor = drr.find_floor(problem.features, problem.target, n_threads=1)
        for eta in map(float, arguments.etas.split(",")):
            compare(problem, floor, eta, arguments.repeats, arguments.peers)


if __name__ == "__main__":
    main()
