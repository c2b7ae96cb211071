"""What Python adds to small problems: ``python -m benchmarks.speed.small``.

The whole `rake` beside the two calls of the core that it makes, and one row scored by a fitted classifier beside its
base, and by a dual. One thread and processor time, the contestants taking turns, the best of each counting.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import time

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.speed.timing import best_times
from drr import DRRClassifier, RakingDual, choose_tolerance, find_floor, rake
from drr._native import core

SHAPES = {"645 × 228": (645, 228), "2000 × 140": (2000, 140)}


def rake_times(n_rows: int, n_columns: int, repeats: int) -> dict[str, float]:
    """Seconds of the whole call, and of its floor and dual in the core."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, n_columns)) / np.sqrt(n_columns)
    target = rng.normal(size=(40, n_columns)).mean(axis=0) / np.sqrt(n_columns) + 0.5 / n_columns
    floor = find_floor(rows, target, n_threads=1)
    tolerance = choose_tolerance(floor, floor.base_discrepancy)

    def core_calls() -> None:
        core.find_floor(rows, target, None, "min_norm_point", 0, 1, None)
        core.solve_dual(
            rows, target, tolerance, None, floor.support, floor.support_weights, floor.lower_bound, floor.residual,
            base_discrepancy=floor.base_discrepancy,
        )  # fmt: skip

    return best_times(
        {"rake": lambda: rake(rows, target, n_threads=1), "core": core_calls}, repeats, time.process_time
    )


def row_times(repeats: int) -> dict[str, float]:
    """Seconds to score one row: by the base, by the classifier around it, by a dual alone."""
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 20 == 0
    X = rng.normal(size=(2000, 12)) + 0.5 * y[:, None]
    model = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    dual = RakingDual(random_state=0).fit(X, y)
    row = X[:1]
    contestants = {
        "base": lambda: model.estimator_.predict_proba(row),
        "predict": lambda: model.predict(row),
        "predict_proba": lambda: model.predict_proba(row),
        "dual": lambda: dual.score_samples(row),
    }
    return best_times(contestants, 20 * repeats, time.process_time)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    for name, (n_rows, n_columns) in SHAPES.items():
        seconds = rake_times(n_rows, n_columns, options.repeats)
        share = seconds["rake"] / seconds["core"]
        print(f"rake {name:11s} {1e3 * seconds['rake']:6.2f} ms, {share:.2f} of its core calls")
    seconds = row_times(options.repeats)
    print(f"one row: base {1e3 * seconds['base']:.3f} ms, dual alone {1e3 * seconds['dual']:.3f} ms")
    for name in ("predict", "predict_proba"):
        print(f"  {name:14s} {1e3 * (seconds[name] - seconds['base']):.3f} ms beyond the base")


if __name__ == "__main__":
    main()
