"""The modules of several instruction sets side by side: ``python -m benchmarks.speed.instruction_sets``.

On the shapes of the paper's maps, one thread, processor seconds, the modules taking turns and the best of each
counting: the floor, the dual, the weighted Gram matrix and one pass. The last two columns are shares of the machine:
BLAS's dsyrk of the same rows as a share of the time of our Gram matrix, and a plain read (BLAS's dot product of the
rows with themselves) as a share of the time of our pass. The BLAS is SciPy's.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import blas

from benchmarks.speed.shapes import SHAPES, Problem
from benchmarks.speed.timing import best_times
from drr import choose_tolerance, find_floor
from drr._native import available_instruction_sets


def contestants(problem: Problem) -> dict[str, Callable[[], Any]]:
    """Every call of every module, and the two limits of the machine."""
    rows, target = problem.features, problem.target
    floor = find_floor(rows, target, n_threads=1)
    tolerance = choose_tolerance(floor, floor.base_discrepancy)
    weights = np.full(len(rows), 1 / len(rows))
    calls: dict[str, Callable[[], Any]] = {
        "dsyrk": lambda: blas.dsyrk(1.0, rows.T),
        "read": lambda: np.dot(rows.ravel(), rows.ravel()),
    }
    for name in available_instruction_sets():
        core = importlib.import_module(f"drr._native._core_{name}")

        def solve_floor(core: Any = core) -> object:
            return core.find_floor(rows, target, None, "min_norm_point", 0, 1, None)

        def solve_dual(core: Any = core) -> object:
            return core.solve_dual(
                rows, target, tolerance, None, floor.support, floor.support_weights, floor.lower_bound, floor.residual
            )  # fmt: skip

        calls[f"{name} floor"] = solve_floor
        calls[f"{name} dual"] = solve_dual
        calls[f"{name} pass"] = lambda core=core: core.tilt(rows, np.zeros(rows.shape[1]))
        if rows.shape[1] <= 2000:  # the wide dual makes no matrix of the columns
            calls[f"{name} gram"] = lambda core=core: core.covariance(rows, target, weights)
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"{'problem':12s} {'set':10s} {'floor':>9s} {'dual':>9s} {'of dsyrk':>9s} {'of a read':>9s}")
    for problem_name in options.problems:
        seconds = best_times(contestants(SHAPES[problem_name]()), options.repeats, time.process_time)
        for name in available_instruction_sets():
            gram = seconds.get(f"{name} gram", float("nan"))
            print(
                f"{problem_name:12s} {name:10s} {1e3 * seconds[f'{name} floor']:6.2f} ms"
                f" {1e3 * seconds[f'{name} dual']:6.2f} ms {seconds['dsyrk'] / gram:9.0%}"
                f" {seconds['read'] / seconds[f'{name} pass']:9.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
