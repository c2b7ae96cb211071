"""The same rows in memory, as a memory map, as a .npy file and as Parquet: time of a fit, in turns.

    python -m benchmarks.scale.formats [--copies 40] [--folder /tmp] [--repeats 2]

Rows are those of large/cover.npz under DRR_DATA, standardised and tiled with a little noise. A memory map given as an
array is solved as one in memory; the path of the same file is read in passes. Both files are dropped after the run.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

import drr


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--write-only", action="store_true", help="make the files and end")
    arguments = parser.parse_args()
    npy, parquet, target_file = (
        arguments.folder / f"cover-{arguments.copies}.{suffix}" for suffix in ("npy", "parquet", "target.npy")
    )
    if not target_file.exists():
        target = write_cover(npy, arguments.copies)
        write_parquet(npy, parquet)
        np.save(target_file, target)
    if arguments.write_only:
        return
    rows, target = np.load(npy), np.load(target_file)
    print(f"{rows.shape[0]} rows of {rows.shape[1]} {rows.dtype}, {rows.nbytes / 1e6:.0f} MB")
    contestants = {
        "in memory": rows,
        "memory map": np.load(npy, mmap_mode="r"),
        ".npy file": npy,
        "Parquet": parquet,
    }
    best = dict.fromkeys(contestants, float("inf"))
    results, passes = {}, {}
    for _ in range(arguments.repeats):
        for name, features in contestants.items():
            counted: list[int] = []
            began = time.perf_counter()
            results[name] = drr.rake(
                features, target, callback=lambda values, counted=counted: counted.append(values["passes"])
            )
            best[name] = min(best[name], time.perf_counter() - began)
            passes[name] = counted[-1]
    reference = results["in memory"].dual.theta
    print(f"floor {results['in memory'].floor.value:.4g}, ess {results['in memory'].dual.ess:.6g}")
    for name, seconds in best.items():
        error = np.linalg.norm(results[name].dual.theta - reference) / np.linalg.norm(reference)
        counted_passes = f", {passes[name]} passes" if isinstance(contestants[name], Path) else ""
        print(
            f"{name:<10} {seconds:6.2f} s, {seconds / best['in memory']:.2f} of memory{counted_passes}; theta differs "
            f"by {error:.1e}"
        )
    for path in (npy, parquet, target_file):
        path.unlink()


def write_cover(path: Path, copies: int) -> np.ndarray:
    """The tiled rows of the majority as float32; returns the mean of the rare class."""
    folder = os.environ.get("DRR_DATA")
    if folder is None:
        raise SystemExit("DRR_DATA must name the folder of the data sets")
    with np.load(Path(folder) / "large" / "cover.npz") as data:
        X, y = data["X"].astype(np.float64), data["target"].ravel()
    rare = y == min(np.unique(y), key=lambda label: (y == label).sum())
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12) / np.sqrt(X.shape[1])
    majority = X[~rare]
    rows = np.lib.format.open_memmap(path, "w+", np.float32, (copies * len(majority), X.shape[1]))
    rng = np.random.default_rng(0)
    for copy in range(copies):
        part = slice(copy * len(majority), (copy + 1) * len(majority))
        rows[part] = majority + 0.01 * rng.standard_normal(majority.shape)
    rows.flush()
    return X[rare].mean(axis=0)


def write_parquet(npy: Path, path: Path) -> None:
    """The same rows, one row group at a time."""
    import pyarrow
    import pyarrow.parquet

    rows = np.load(npy, mmap_mode="r")
    names = [f"x{k}" for k in range(rows.shape[1])]
    schema = pyarrow.schema([(name, pyarrow.float32()) for name in names])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for begin in range(0, len(rows), 200_000):
            part = np.ascontiguousarray(rows[begin : begin + 200_000].T)
            writer.write_table(pyarrow.table(list(part), schema=schema))


if __name__ == "__main__":
    main()
