"""How time grows with the rows, the columns and the tolerance: ``python -m benchmarks.speed.scaling``.

Prints the fitted exponents and draws three panels. One thread, best of several.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import drr
from benchmarks.speed.picture import PICTURES
from benchmarks.speed.shapes import Problem, numeric_problem
from benchmarks.speed.timing import best_times

ROWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
COLUMNS = (34, 64, 100, 150, 200, 300, 450, 600, 900)
ETAS = (0.5, 0.2, 0.05, 0.02, 0.005, 0.002, 5e-4, 1e-4)


def measure(problem: Problem, eta: float, repeats: int) -> tuple[float, float, drr.Raking]:
    """Seconds of the floor and of the dual, and the raking itself."""
    raking = drr.rake(problem.features, problem.target, eta=eta, n_threads=1)
    times = best_times(
        {
            "floor": lambda: drr.find_floor(problem.features, problem.target, n_threads=1),
            "dual": lambda: drr.solve_dual(
                problem.features, problem.target, raking.tolerance, floor=raking.floor, n_threads=1
            ),
        },
        repeats,
    )
    return times["floor"], times["dual"], raking


def sweep(name: str, values: tuple[float, ...], make, repeats: int) -> np.ndarray:
    """Times of floor and dual at each value; prints a line each and the fitted exponents of the upper half."""
    print(f"\n{name:>10} {'floor':>10} {'dual':>10}  passes  iterations  inner solve    ESS")
    times = []
    for value in values:
        problem, eta = make(value)
        floor, dual, raking = measure(problem, eta, repeats)
        times.append((floor, dual))
        print(
            f"{value:>10g} {1e3 * floor:>8.1f}ms {1e3 * dual:>8.1f}ms {raking.floor.n_passes:>7}"
            f" {raking.dual.n_iter:>11}  {raking.dual.method:12} {raking.dual.ess:>7.0f}"
        )
    half = len(values) // 2
    slopes = np.polyfit(np.log(values[half:]), np.log(np.array(times[half:])), 1)[0]
    print(
        f"  exponents over the last {len(values) - half} points: floor {slopes[0]:.2f}, dual {slopes[1]:.2f}"
    )
    return np.array(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pictures", type=Path, default=PICTURES)
    arguments = parser.parse_args()

    def of_rows(n_rows: float) -> tuple[Problem, float]:
        return numeric_problem("rows", int(n_rows), max(20, int(n_rows) // 50), 22, 128, 1.5, 11), 0.05

    def of_columns(n_columns: float) -> tuple[Problem, float]:
        return numeric_problem("columns", 4000, 100, 22, int(n_columns) - 22, 1.5, 12), 0.05

    same = numeric_problem("eta", 4000, 100, 22, 128, 1.5, 13)
    panels = (
        ("rows", ROWS, of_rows, "majority rows, 150 columns"),
        ("columns", COLUMNS, of_columns, "columns, 4000 rows"),
        ("eta", ETAS, lambda eta: (same, eta), "η, 4000 rows × 150 columns"),
    )
    results = [
        (values, sweep(name, values, make, arguments.repeats), title) for name, values, make, title in panels
    ]
    draw(results, arguments.pictures)


def draw(results: list[tuple[tuple[float, ...], np.ndarray, str]], directory: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for axes, (values, times, title) in zip(panels, results, strict=True):
        for column, name in enumerate(("floor", "dual")):
            axes.plot(values, times[:, column], marker="o", label=name)
        axes.set(xscale="log", yscale="log", xlabel=title, ylabel="seconds, one thread")
        axes.grid(alpha=0.3)
        if times.max() < 10 * times.min():  # else a flat curve fills the panel with noise
            axes.set_ylim(times.min() / 4, times.max() * 4)
    panels[0].legend(frameon=False)
    directory.mkdir(parents=True, exist_ok=True)
    figure.savefig(directory / "scaling.png", dpi=120)


if __name__ == "__main__":
    main()
