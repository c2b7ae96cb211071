"""The same rows in memory, as a .npy file and as Parquet: time of a fit, in turns.

    python -m benchmarks.scale.formats [--copies 4]

Rows are those of large/cover.npz under DRR_DATA, standardised and tiled with a little noise.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import drr


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=4)
    arguments = parser.parse_args()
    rows, target = cover(arguments.copies)
    print(f"{rows.shape[0]} rows of {rows.shape[1]} {rows.dtype}, {rows.nbytes / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        contestants = {
            "in memory": rows,
            ".npy file": write_npy(Path(folder), rows),
            "Parquet": write_parquet(Path(folder), rows),
        }
        best = dict.fromkeys(contestants, float("inf"))
        results = {}
        for _ in range(3):
            for name, features in contestants.items():
                began = time.perf_counter()
                results[name] = drr.rake(features, target)
                best[name] = min(best[name], time.perf_counter() - began)
    reference = results["in memory"].dual.theta
    for name, seconds in best.items():
        error = np.linalg.norm(results[name].dual.theta - reference) / np.linalg.norm(reference)
        print(
            f"{name:<10} {seconds:7.2f} s, {seconds / best['in memory']:.2f} of memory; theta differs by {error:.1e}"
        )


def cover(copies: int) -> tuple[np.ndarray, np.ndarray]:
    folder = os.environ.get("DRR_DATA")
    if folder is None:
        raise SystemExit("DRR_DATA must name the folder of the data sets")
    with np.load(Path(folder) / "large" / "cover.npz") as data:
        X, y = data["X"].astype(np.float64), data["target"].ravel()
    rare = y == min(np.unique(y), key=lambda label: (y == label).sum())
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12) / np.sqrt(X.shape[1])
    rng = np.random.default_rng(0)
    majority = np.concatenate([X[~rare] + 0.01 * rng.standard_normal(X[~rare].shape) for _ in range(copies)])
    return majority.astype(np.float32), X[rare].mean(axis=0)


def write_npy(folder: Path, rows: np.ndarray) -> Path:
    np.save(folder / "rows.npy", rows)
    return folder / "rows.npy"


def write_parquet(folder: Path, rows: np.ndarray) -> Path:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({f"x{k}": rows[:, k] for k in range(rows.shape[1])})
    pyarrow.parquet.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


if __name__ == "__main__":
    main()
