"""What two threads gain, or lose: ``python -m benchmarks.speed.threads``.

Floor and dual of problems that one thread solves in milliseconds, where a second one must at least not hurt, and of one
whose rows (25000 × 100, 20 MB) stay in the last cache: many passes of a third of a millisecond each, with the threads
kept between them. One and two threads take turns; the best of each counts.
"""

from __future__ import annotations

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import drr
from benchmarks.speed.shapes import SHAPES, Problem, numeric_problem
from benchmarks.speed.timing import best_times

SMALL = ("mammography", "isolet", "genes")


def compare(problem: Problem, repeats: int) -> None:
    raking = drr.rake(problem.features, problem.target, eta=0.05, n_threads=1)

    def floor(n_threads: int) -> drr.Floor:
        return drr.find_floor(problem.features, problem.target, n_threads=n_threads)

    def dual(n_threads: int) -> drr.Dual:
        return drr.solve_dual(
            problem.features,
            problem.target,
            raking.tolerance,
            floor=raking.floor,
            n_threads=n_threads,
        )

    times = best_times(
        {
            "floor": lambda: floor(1),
            "floor, 2": lambda: floor(2),
            "dual": lambda: dual(1),
            "dual, 2": lambda: dual(2),
        },
        repeats,
    )
    rows, columns = problem.features.shape
    print(
        f"{problem.name:>12} {rows:>6} x {columns:<6} {dual(1).method:>12}"
        f" | {1e3 * times['floor']:>7.1f} ms {times['floor'] / times['floor, 2']:>5.2f}x"
        f" | {1e3 * times['dual']:>7.1f} ms {times['dual'] / times['dual, 2']:>5.2f}x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    print(f"{'problem':>12} {'rows x columns':>15} {'inner solve':>12} | floor, 2 threads | dual, 2 threads")
    for name in SMALL:
        compare(SHAPES[name](), repeats)
    compare(numeric_problem("resident", 25_000, 500, 22, 78, 1.5, 11), repeats)


if __name__ == "__main__":
    main()
