"""What a Dask cluster costs per pass: LocalCluster with one and two workers against this process.

python -m benchmarks.scale.cluster [--rows 400000] [--partitions 8]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import drr
from benchmarks.scale.rows import make_rows, make_targets


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--partitions", type=int, default=8)
    arguments = parser.parse_args()
    import dask
    import distributed

    size = arguments.rows // arguments.partitions
    target = make_targets()["outside the hull"]
    blocks = [make_rows(size, seed) for seed in range(arguments.partitions)]
    local, passes = timed(drr.open_rows(blocks), target, n_threads=1)
    print(f"in this process, one thread: {local:.3f} s a pass, {passes} passes")
    for n_workers in (1, 2):
        options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
            kept = client.persist(
                [dask.delayed(make_rows)(size, seed) for seed in range(arguments.partitions)]
            )
            distributed.wait(kept)
            each, passes = timed(kept, target)
            print(
                f"{n_workers} worker{'s' * (n_workers > 1)}: {each:.3f} s a pass, {passes} passes: "
                f"{1000 * (each - local / n_workers):.0f} ms above an even share of the work"
            )


def timed(rows: object, target: np.ndarray, **options: int) -> tuple[float, int]:
    passes: list[int] = []
    began = time.perf_counter()
    drr.rake(rows, target, callback=lambda values: passes.append(values["passes"]), **options)
    return (time.perf_counter() - began) / passes[-1], passes[-1]


if __name__ == "__main__":
    main()
