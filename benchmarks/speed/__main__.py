"""Solvers side by side: ``python -m benchmarks.speed``.

For every problem, on one thread and in turns: our floor and dual, the published algorithm in our C++ and in plain NumPy,
other packages, and the hardware's limits (one pass over the rows, one dsyrk). Writes results.csv, targets.csv and a
picture, and prints both tables. ``--problems mammography genes`` and ``--repeats`` make it shorter.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

# One thread for BLAS; must be set before NumPy loads it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from benchmarks.speed import tables, targets
from benchmarks.speed.contest import run_contest
from benchmarks.speed.real_maps import real_problems
from benchmarks.speed.shapes import SHAPES


def main() -> None:
    makers = SHAPES | real_problems()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="*", choices=list(makers), default=list(makers), metavar="NAME")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for one run of a slow peer")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()

    rows = []
    for name in arguments.problems:
        rows += run_contest(makers[name](), repeats=arguments.repeats, time_limit=arguments.time_limit)
        tables.print_problem(rows, name)
    reached = targets.check(rows)
    tables.print_targets(reached)
    arguments.out.mkdir(parents=True, exist_ok=True)
    tables.write(rows, reached, arguments.out)


if __name__ == "__main__":
    main()
