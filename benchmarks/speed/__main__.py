"""Solvers side by side: ``python -m benchmarks.speed``.

For every problem, on one thread and in turns: our floor and dual, the published algorithm in our C++ and in plain
NumPy, other packages, and the hardware's limits (one pass over the rows, one dsyrk). Prints a table for each problem
and the targets, and writes results.csv, targets.csv and a picture.

``--problems mammography genes`` runs these and puts them in the place of their former rows in results.csv, so that the
whole can be run in parts; ``--problems`` without a name only prints and draws what is stored.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

# One thread for BLAS; must be set before NumPy loads it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from benchmarks.speed import stored, tables, targets
from benchmarks.speed.contest import run_contest
from benchmarks.speed.picture import PICTURES, draw
from benchmarks.speed.real_maps import REAL, real_problems
from benchmarks.speed.shapes import SHAPES


def main() -> None:
    makers = SHAPES | real_problems()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="*", choices=list(makers), default=list(makers), metavar="NAME")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--time-limit", type=float, default=60, help="seconds that one run of a slow peer may always take"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--pictures", type=Path, default=PICTURES)
    arguments = parser.parse_args()

    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = stored.read(arguments.out / "results.csv")
    for name in arguments.problems:
        found = run_contest(makers[name](), repeats=arguments.repeats, time_limit=arguments.time_limit)
        tables.print_problem(found)
        rows = stored.replace(rows, found, order=[*SHAPES, *REAL])
        stored.write(rows, arguments.out / "results.csv")
    if not arguments.problems:
        for name in dict.fromkeys(row.problem for row in rows):
            tables.print_problem([row for row in rows if row.problem == name])
    tables.print_summary(rows)
    reached = targets.check(rows)
    tables.print_targets(reached)
    stored.write(reached, arguments.out / "targets.csv")
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    draw(rows, arguments.pictures / "results.png")


if __name__ == "__main__":
    main()
