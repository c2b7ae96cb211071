"""
Passes on Ray
=============

Each actor holds one part of the rows in its memory and answers the requests of the solver; :func:`drr.merge_passes`
merges the answers in the order of the parts. Nothing else is needed: an object with ``n_columns`` and
``run_pass(request)`` takes the place of the rows. Needs ``pip install ray``. On a cluster, start with
``ray.init(address="auto")``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/own_map_reduce.png"

import numpy as np
import ray

import drr

N_COLUMNS = 10


@ray.remote
class Part:
    """One part of the rows, in the memory of a worker. Here they are generated; yours would be read from a file."""

    def __init__(self, number):
        self.number = number
        self.rows = np.random.default_rng(number).standard_normal((50_000, N_COLUMNS))

    def answer(self, request):
        return request(self.rows, self.number)

    def all_rows(self):
        return self.rows


class OnRay:
    """All that the solvers ask of an engine: the number of columns, and a merged answer."""

    n_columns = N_COLUMNS

    def __init__(self, parts):
        self.parts = parts

    def run_pass(self, request):
        shared = ray.put(request)  # sent to every machine once
        return drr.merge_passes(ray.get([part.answer.remote(shared) for part in self.parts]))


def main():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        parts = [Part.options(num_cpus=0.5).remote(number) for number in range(4)]
        target = np.full(N_COLUMNS, 0.3)
        raking = drr.rake(OnRay(parts), target)
        print(f"floor {raking.floor.value:.6g} after {raking.floor.n_passes} passes")
        print(f"effective rows {raking.dual.ess:.1f}, gap {raking.dual.gap:.1e} nats")

        in_memory = drr.rake(np.concatenate(ray.get([part.all_rows.remote() for part in parts])), target)
        difference = np.linalg.norm(raking.dual.theta - in_memory.dual.theta)
        print(
            f"theta differs from the one in memory by {difference / np.linalg.norm(in_memory.dual.theta):.1e}"
        )
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
