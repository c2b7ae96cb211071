"""
Passes on your own engine
=========================

A fit on rows that are not in one place is a sequence of passes. Each pass puts one small request to every block of
rows and merges the answers with :func:`drr.merge_passes`. Anything that can map and reduce can do that: Spark, Ray, a
queue of jobs. Here it is a pool of processes, each of which opens its own file; no row leaves its process except the
few that the solver asks for.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/own_map_reduce.png"

import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import drr

N_COLUMNS = 10


def write_part(path, seed):
    """What a database export or a Spark job would leave behind: one file per part."""
    rows = np.random.default_rng(seed).standard_normal((50_000, N_COLUMNS))
    np.save(path, rows)


def answer(request, path, number):
    """Runs in a worker. The number of the part fixes the order of the merges and the draws of samples."""
    return request(np.load(path, mmap_mode="r"), number)


class PoolOfProcesses:
    """All that the solvers ask of an engine: the number of columns, and a merged answer."""

    n_columns = N_COLUMNS

    def __init__(self, pool, paths):
        self.pool, self.paths = pool, paths

    def run_pass(self, request):
        numbers = range(len(self.paths))
        answers = self.pool.map(answer, [request] * len(self.paths), self.paths, numbers)
        return drr.merge_passes(answers)  # in the order of the parts, however they finish


def main():
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        paths = [Path(folder) / f"part-{k}.npy" for k in range(4)]
        for seed, path in enumerate(paths):
            write_part(path, seed)
        target = np.full(N_COLUMNS, 0.3)
        raking = drr.rake(PoolOfProcesses(pool, paths), target)
        print(f"floor {raking.floor.value:.6g} after {raking.floor.n_passes} passes")
        print(f"effective rows {raking.dual.ess:.1f}, gap {raking.dual.gap:.1e} nats")

        in_memory = drr.rake(np.concatenate([np.load(path) for path in paths]), target)
        difference = np.linalg.norm(raking.dual.theta - in_memory.dual.theta) / np.linalg.norm(
            in_memory.dual.theta
        )
        print(f"theta differs from the one in memory by {difference:.1e}")


if __name__ == "__main__":
    main()
