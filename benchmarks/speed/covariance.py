"""The covariance of weighted rows against NumPy: ``python -m benchmarks.speed.covariance``.

One thread for all, in turns in one run. NumPy forms the centred rows and their weighted copy, each as large as the
rows; the kernel forms a tile at a time. The last column shows what two threads gain.
"""

from __future__ import annotations

import argparse
import os

# One thread for BLAS; must be set before NumPy loads it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import drr
from benchmarks.speed.timing import best_times

SHAPES = [(100_000, 20), (100_000, 150), (5000, 600)]


def measure(shape: tuple[int, int], repeats: int) -> dict[str, float]:
    """Seconds by contestant."""
    rng = np.random.default_rng(0)
    rows, weights = rng.standard_normal(shape), rng.exponential(size=shape[0])
    weights /= weights.sum()

    def by_numpy() -> np.ndarray:
        centred = rows - weights @ rows
        return (centred.T * weights) @ centred

    return best_times(
        {
            "ours": lambda: drr.weighted_covariance(rows, weights, n_threads=1),
            "ours, 2 threads": lambda: drr.weighted_covariance(rows, weights, n_threads=2),
            "numpy": by_numpy,
        },
        repeats,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"{'rows':>10} {'columns':>8} | ours, ms | NumPy over ours | 1 over 2 threads")
    for shape in SHAPES:
        times = measure(shape, repeats)
        ratio, gain = times["numpy"] / times["ours"], times["ours"] / times["ours, 2 threads"]
        print(f"{shape[0]:>10} {shape[1]:>8} | {1e3 * times['ours']:8.1f} | {ratio:15.2f} | {gain:.2f}")


if __name__ == "__main__":
    main()
