"""Every inner solve of the dual on every shape, in units of one dsyrk on the same rows, one thread, one run.

    python benchmarks/speed/dual_regimes.py [--shapes mammography,isolet] [--etas 0.5,0.05,0.005] [--repeats 5] [--peers]

The dual that ``auto`` chooses is marked; its time should be within 1.2 of the best. Where a Gram matrix of the columns is
out of proportion (more columns than rows), the unit is the dsyrk of the rows.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: the unit is one thread's dsyrk

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy_dual import solve_reference_dual
from scipy.linalg.blas import dsyrk
from shapes import SHAPES, make_problem

import drr
from drr._dispatch import core

REGIMES = ("newton", "pcg-sampled", "pcg-woodbury", "wide")


def is_applicable(regime: str, n_rows: int, n_columns: int) -> bool:
    """Leaves out what would need a Hessian of many columns, or a Gram matrix of many rows."""
    return n_rows <= 6000 if regime == "wide" else n_columns <= 2000 or regime == "pcg-woodbury"


def best_of(repeats: int, *functions: Callable[[], Any]) -> list[tuple[float, Any]]:
    """The best time and the last result of each, in alternation: load on the machine meets all of them."""
    best, results = [math.inf] * len(functions), [None] * len(functions)
    for _ in range(repeats):
        for number, function in enumerate(functions):
            start = time.perf_counter()
            results[number] = function()
            best[number] = min(best[number], time.perf_counter() - start)
    return list(zip(best, results, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--etas", default="0.5,0.05,0.005")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="also the NumPy and SciPy version of the paper's dual")
    arguments = parser.parse_args()

    print(f"{'shape':<12}{'eta':>7}  {'inner solve':<14}{'ms':>9}{'dsyrk':>8}{'iterations':>11}{'passes':>7}  certificate")
    for name in arguments.shapes.split(","):
        problem = make_problem(name)
        n_rows, n_columns = problem.features.shape
        floor = drr.find_floor(problem.features, problem.target, n_threads=1)
        smaller = problem.features.T if n_columns <= n_rows else problem.features
        for eta in map(float, arguments.etas.split(",")):
            delta = drr.choose_tolerance(floor, floor.base_discrepancy, eta=eta)
            passes: dict[str, int] = {}

            def solve(method: str, delta: float = delta, passes: dict[str, int] = passes) -> dict[str, Any]:
                return core.solve_dual(
                    problem.features, problem.target, delta, None, floor.weights, floor.residual, floor.lower_bound, method,
                    callback=lambda figures: passes.update({method: figures["passes"]}),
                )  # fmt: skip

            methods = ["auto", *(f"auto:{r}" for r in REGIMES if is_applicable(r, n_rows, n_columns))]
            functions: list[Callable[[], Any]] = [lambda: dsyrk(1.0, smaller, lower=1)]
            functions += [lambda method=method: solve(method) for method in methods]  # type: ignore[misc]
            if arguments.peers:
                functions.append(lambda delta=delta: solve_reference_dual(problem.features, problem.target, delta))
            (unit, _), *timed = best_of(arguments.repeats, *functions)
            if arguments.peers:
                seconds, peer = timed.pop()
                print(f"{name:<12}{eta:>7g}  {'numpy paper':<14}{1e3 * seconds:>9.2f}{seconds / unit:>8.2f}{peer.n_iter:>11}"
                      f"{'':>7}  |g| {peer.gradient_norm:.1e}")  # fmt: skip
            for method, (seconds, dual) in zip(methods, timed, strict=True):
                label = f"auto={dual['method']}"[:20] if method == "auto" else dual["method"]
                print(f"{name:<12}{eta:>7g}  {label:<17}{1e3 * seconds:>9.2f}{seconds / unit:>8.2f}{dual['n_iter']:>6}"
                      f"{passes[method]:>7}  {dual['status']}, gap {dual['gap']:.0e}, |g|/δ {dual['gradient_norm'] / delta:.0e}, "
                      f"ess {dual['ess']:.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
