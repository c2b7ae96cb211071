"""Embedding and scoring against NumPy's `np.cos(Z @ W + b)` alone, as ratios in one run, one thread each.

    python benchmarks/speed/embedding.py [n_rows] [n_columns] [n_random_features]

NumPy gets the standardised rows for free and does the Fourier block only; ours starts from the raw rows, checks them,
and does all blocks. Ratios above one mean that ours is faster. The best of several runs counts.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import resource
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np

from drr import RakingFeatureMap

N_REPEATS = 5


def best_seconds(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The best time of each, the runs taken in turn so that a busy moment of the machine meets all alike."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(N_REPEATS):
        for name, run in runs.items():
            start = perf_counter()
            run()
            best[name] = min(best[name], perf_counter() - start)
    return best


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(n_rows: int = 1_000_000, n_columns: int = 20, n_random_features: int = 128) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    X *= 3  # in place: no temporary blurs the peak memory below
    X += 1
    feature_map = RakingFeatureMap(n_random_features, random_state=0).fit(X[:10_000])
    theta = rng.normal(size=n_columns + n_random_features)

    before = peak_megabytes()
    output = feature_map.transform(X)
    beyond = peak_megabytes() - before - output.nbytes / 2**20
    print(f"{n_rows} rows, {n_columns} columns, {n_random_features} random features")
    print(f"embedding: output {output.nbytes / 2**20:.0f} MB, peak memory beyond it {beyond:.1f} MB")
    del output

    Z = (X - feature_map.mean_) / feature_map.scale_
    W, b = feature_map.random_weights_, feature_map.random_offset_
    seconds = best_seconds(
        {
            "numpy": lambda: np.cos(Z @ W + b),
            "transform": lambda: feature_map.transform(X),
            "project": lambda: feature_map.project(X, theta),
        }
    )
    for name, value in seconds.items():
        print(f"{name:<10}{value:8.3f} s   numpy/this = {seconds['numpy'] / value:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
