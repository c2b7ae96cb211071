"""A cached file against the same rows in memory: time of the same fit, in turns.

    python -m benchmarks.scale.cached [--rows 2000000] [--folder /tmp] [--repeats 3]

In memory means an array of the same rows given to `drr.rake`, which then has solvers of its own. The file is dropped
after the run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import drr
from benchmarks.scale.rows import make_targets, write_rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dtypes", nargs="*", default=["float32", "float64"])
    parser.add_argument("--write-only", action="store_true", help="make the files and end")
    arguments = parser.parse_args()
    for dtype in map(np.dtype, arguments.dtypes):
        path = arguments.folder / f"cached-{arguments.rows}-{dtype}.npy"
        write_rows(path, arguments.rows, dtype=dtype)
        if arguments.write_only:
            continue
        rows = np.load(path)
        for place, target in make_targets().items():
            compare(rows, path, target, f"{rows.nbytes / 1e9:.1f} GB of {dtype}, {place}", arguments.repeats)
        path.unlink()


def compare(rows: np.ndarray, path: Path, target: np.ndarray, what: str, repeats: int) -> None:
    best = {"memory": np.inf, "file": np.inf}
    results, passes = {}, []
    for _ in range(repeats):
        for name, features in (("memory", rows), ("file", path)):
            passes.clear()
            began = time.perf_counter()
            results[name] = drr.rake(
                features, target, callback=lambda values: passes.append(values["passes"])
            )
            best[name] = min(best[name], time.perf_counter() - began)
    theta = results["memory"].dual.theta
    error = np.linalg.norm(results["file"].dual.theta - theta) / np.linalg.norm(theta)
    print(
        f"{what}: memory {best['memory']:.2f} s, file {best['file']:.2f} s in {passes[-1]} passes: "
        f"{best['file'] / best['memory']:.2f} times; theta differs by {error:.1e}",
        flush=True,
    )


if __name__ == "__main__":
    main()
