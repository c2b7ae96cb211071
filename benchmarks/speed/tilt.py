"""The tilted log-sum-exp against the memory bus: ``python -m benchmarks.speed.tilt``.

A pass must read every row once, so its limit is a plain read of the same rows; here NumPy's sum, BLAS's matrix-vector
product and BLAS's dot product of the array with itself, which is the fastest; on one thread, in turns in one run.
The last column shows what two threads gain.
"""

from __future__ import annotations

import argparse
import os

# One thread for BLAS; must be set before NumPy loads it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.speed.timing import best_times
from drr._native import core

IN_MEMORY = (1_000_000, 150)
IN_CACHE = (25_000, 100)
PLAIN_READS = ("sum", "matrix-vector", "dot")


def random_rows(shape: tuple[int, int], dtype: type) -> np.ndarray:
    generator = np.random.default_rng(0)
    rows = np.empty(shape, dtype=dtype)
    for block in np.array_split(rows, max(1, len(rows) // 10_000)):
        block[:] = generator.standard_normal(block.shape, dtype=dtype)
    return rows


def measure(shape: tuple[int, int], dtype: type, repeats: int) -> dict[str, float]:
    """Gigabytes of rows per second."""
    rows = random_rows(shape, dtype)
    theta = np.random.default_rng(1).standard_normal(shape[1]) / 10
    narrow, flat = theta.astype(dtype), rows.ravel()
    times = best_times(
        {
            "tilt": lambda: core.tilt(rows, theta, n_threads=1),
            "tilt, 2 threads": lambda: core.tilt(rows, theta, n_threads=2),
            "sum": lambda: rows.sum(),
            "matrix-vector": lambda: rows @ narrow,
            "dot": lambda: flat @ flat,
        },
        repeats,
    )
    return {name: rows.nbytes / seconds / 1e9 for name, seconds in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    print(
        f"{'rows':>10} {'columns':>8} {'dtype':>8} | GB/s: tilt (sum, matrix-vector, dot) | of plain read | 2 threads"
    )
    for shape in (IN_MEMORY, IN_CACHE):
        for dtype in (np.float64, np.float32):
            rate = measure(shape, dtype, repeats if shape == IN_MEMORY else 40 * repeats)
            plain = max(rate[name] for name in PLAIN_READS)
            print(
                f"{shape[0]:>10} {shape[1]:>8} {np.dtype(dtype).name:>8} | {rate['tilt']:>6.1f} "
                f"({', '.join(f'{rate[name]:.1f}' for name in PLAIN_READS)})  | {rate['tilt'] / plain:>5.0%} "
                f"| {rate['tilt, 2 threads'] / rate['tilt']:.2f}x"
            )


if __name__ == "__main__":
    main()
