"""Rows on disk that need not fit in memory: passes, private memory, and bandwidth against a plain read.

    python -m benchmarks.scale.disk [--rows 20000000] [--folder /tmp] [--passes 2] [--fit inside outside]

Passes are timed uncached (the file is dropped from the page cache before each) and cached, in turns with a plain
sequential read of the same file. Then follow whole fits, of targets inside and outside the hull of the rows; one whose
private memory exceeds 1.5 GB ends the run with an error.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import drr
from benchmarks.scale.memory import MEGABYTE, PeakMemory, cached_share, forget, read_plainly
from benchmarks.scale.rows import make_targets, write_rows
from drr.streaming.dataset import LocalDataset
from drr.streaming.passes import TiltSums

BOUND = 1.5e9


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--states", nargs="*", default=["uncached", "cached"])
    parser.add_argument("--fit", nargs="*", default=["inside", "outside"])
    parser.add_argument("--write-only", action="store_true", help="make the file and end")
    arguments = parser.parse_args()
    path = arguments.folder / f"rows-{arguments.rows}.npy"
    write_rows(path, arguments.rows)
    if arguments.write_only:
        return
    size = path.stat().st_size
    targets = make_targets()
    print(f"{size / 1e9:.2f} GB, {arguments.rows} rows of {len(targets['inside the hull'])} float32")
    for state in arguments.states if arguments.passes else ():
        plain, ours = time_passes(path, targets["inside the hull"], arguments.passes, state == "uncached")
        print(
            f"{state:<9} plain read {size / plain / 1e9:.2f} GB/s, a pass {size / ours / 1e9:.2f} GB/s: "
            f"{plain / ours:.0%} of it",
            flush=True,
        )
    for place in arguments.fit:
        fit(path, targets[f"{place} the hull"], place)


def time_passes(path: Path, target: np.ndarray, n_passes: int, uncached: bool) -> tuple[float, float]:
    """The best seconds of a plain read and of a pass of the dual, in turns."""
    runner = LocalDataset(drr.open_rows(path))
    request = TiltSums(target, np.full(len(target), 0.01))
    if not uncached:
        read_plainly(path)
    plain, ours = [], []
    for _ in range(n_passes):
        if uncached:
            forget(path)
        plain.append(read_plainly(path))
        if uncached:
            forget(path)
        began = time.perf_counter()
        runner.run_pass(request)
        ours.append(time.perf_counter() - began)
    return min(plain), min(ours)


def fit(path: Path, target: np.ndarray, place: str) -> None:
    passes: list[int] = []
    cached = cached_share(path)
    began = time.perf_counter()
    with PeakMemory() as memory:
        raking = drr.rake(path, target, callback=lambda values: passes.append(values["passes"]))
    seconds = time.perf_counter() - began
    floor, dual = raking.floor, raking.dual
    print(
        f"fit {place} the hull, {cached:.0%} of the file cached: {seconds:.1f} s, "
        f"{passes[-1] * path.stat().st_size / seconds / 1e9:.2f} GB/s over all\n"
        f"  floor {floor.value:.6g} (bounds {floor.value - floor.lower_bound:.1e} apart) in {floor.n_passes} passes "
        f"({floor.status.value}), dual in {passes[-1] - floor.n_passes} ({dual.status.value}), gap {dual.gap:.1e}, ess "
        f"{dual.ess:.6g}\n"
        f"  private memory {memory.peak / MEGABYTE:.0f} MB at the peak, {(memory.peak - memory.before) / MEGABYTE:.0f} "
        "MB above the start",
        flush=True,
    )
    if memory.peak > BOUND:
        raise SystemExit(f"private memory exceeded {BOUND / 1e9} GB")


if __name__ == "__main__":
    main()
