"""Rows on disk that need not fit in memory: passes, private memory, and bandwidth against a plain read.

    python -m benchmarks.scale.disk [--rows 20000000] [--folder /tmp] [--passes 3] [--fit] [--in-memory]

Passes are timed uncached (the file is dropped from the page cache before each) and cached, in turns with a plain
sequential read of the same file. With ``--fit`` a whole fit follows, and with ``--in-memory`` the same fit of the array
in memory, one after the other in this run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import drr
from benchmarks.scale.memory import MEGABYTE, PeakMemory, forget, read_plainly
from benchmarks.scale.rows import make_target, write_rows
from drr._runner import LocalRunner
from drr.passes import TiltSums

BOUND = 1.5e9


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--in-memory", action="store_true")
    parser.add_argument("--uncached-fit", action="store_true")
    arguments = parser.parse_args()
    path = arguments.folder / f"rows-{arguments.rows}.npy"
    write_rows(path, arguments.rows)
    size = path.stat().st_size
    target = make_target()
    print(f"{path}: {size / 1e9:.2f} GB, {arguments.rows} rows of {len(target)} float32")

    for state in ("uncached", "cached") if arguments.passes else ():
        plain, ours = time_passes(path, target, arguments.passes, uncached=state == "uncached")
        share = plain / ours
        print(
            f"{state:<9} plain read {size / plain / 1e9:.2f} GB/s, a pass {size / ours / 1e9:.2f} GB/s: "
            f"{share:.0%} of it"
        )
    if arguments.fit:
        fit(path, target, uncached=arguments.uncached_fit)
    if arguments.in_memory:
        rows = np.load(path)
        began = time.perf_counter()
        raking = drr.rake(rows, target)
        print(
            f"in memory: {time.perf_counter() - began:.1f} s, {raking.dual.method}, ess {raking.dual.ess:.6g}"
        )


def time_passes(path: Path, target: np.ndarray, n_passes: int, *, uncached: bool) -> tuple[float, float]:
    """The best seconds of a plain read and of a pass of the dual, in turns."""
    runner = LocalRunner(drr.open_rows(path))
    request = TiltSums(target, np.full(len(target), 0.01))
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


def fit(path: Path, target: np.ndarray, *, uncached: bool) -> None:
    passes = []

    def listen(figures: dict) -> None:
        if uncached:
            forget(path)
        passes.append((figures["stage"], figures["passes"]))

    if uncached:
        forget(path)
    began = time.perf_counter()
    with PeakMemory() as memory:
        raking = drr.rake(path, target, callback=listen)
    seconds = time.perf_counter() - began
    n_passes = passes[-1][1]
    print(
        f"fit {'uncached' if uncached else 'as cached as it is'}: {seconds:.1f} s, floor "
        f"{raking.floor.n_passes} passes "
        f"({raking.floor.status.value}), dual {n_passes - raking.floor.n_passes} ({raking.dual.status.value}), "
        f"{n_passes * path.stat().st_size / seconds / 1e9:.2f} GB/s over all; peak private memory "
        f"{memory.peak / MEGABYTE:.0f} MB ({(memory.peak - memory.before) / MEGABYTE:.0f} MB above the start), ess "
        f"{raking.dual.ess:.6g}, gap {raking.dual.gap:.2g}"
    )
    if memory.peak > BOUND:
        raise SystemExit(f"private memory exceeded {BOUND / 1e9} GB")


if __name__ == "__main__":
    main()
