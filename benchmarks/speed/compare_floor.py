"""The floor in this package against the paper's algorithm in NumPy, shape by shape, one thread.

Run ``python benchmarks/speed/compare_floor.py [shape ...]``. Times are processor seconds, so that a busy
machine disturbs the ratios little; ours is the best of several runs, NumPy's a single one because it is long.
"""

from __future__ import annotations

import sys
import time
import warnings

from numpy_reference import pairwise_frank_wolfe
from shapes import SHAPES, make_problem
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import drr

# On these NumPy needs minutes: a few steps give the time of one.
FEW_STEPS = {"tall": 20, "huge": 10}
N_REPEATS = 5


def main(names: list[str]) -> None:
    print(
        f"{'shape':<12}{'n0 x K':>14}{'numpy s':>9}{'steps':>7}{'ours ms':>9}{'passes':>7}{'ratio':>8}",
        end="",
    )
    print(f"{'numpy value':>13}{'value':>12}{'relative gap':>14}  status")
    for name in names:
        problem = make_problem(name)
        best = float("inf")
        for _ in range(N_REPEATS):
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                floor = drr.find_floor(problem.features, problem.target, n_threads=1)
            best = min(best, time.process_time() - start)
        start = time.process_time()
        max_iter = FEW_STEPS.get(name, 20_000)
        reference = pairwise_frank_wolfe(problem.features, problem.target, max_iter=max_iter)
        seconds = time.process_time() - start
        shape = "{} x {}".format(*problem.features.shape)
        ratio = f"{seconds / best:.0f}" if name not in FEW_STEPS else "-"
        print(f"{name:<12}{shape:>14}{seconds:>9.2f}{reference.n_iter:>7}{1e3 * best:>9.1f}", end="")
        print(f"{floor.n_passes:>7}{ratio:>8}{reference.value:>13.6g}{floor.value:>12.6g}", end="")
        print(f"{floor.gap / floor.value:>14.1e}  {floor.status.value}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:] or list(SHAPES))
