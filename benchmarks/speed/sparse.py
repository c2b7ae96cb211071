"""Memory and time of a dual on sparse counts: ``python -m benchmarks.speed.sparse --rows 50000 --columns 20000``.

Counts of cells of 20 types, of which one is rare (one cell in 200), are drawn from generated expressions and passed
as a CSR matrix of their logarithms. Fit and scores run in a process of their own. Printed are its peak memory, with
the matrix itself, as a multiple of the matrix; the same without the rows of the floor, which are held as dense
vectors; and processor seconds of one thread.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import multiprocessing
import resource
import time
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr import RakingDual, RakingFeatureMap

N_TYPES, RARE_SHARE = 20, 1 / 200


def cells(n_rows: int, n_columns: int, density: float) -> tuple[Any, NDArray[np.bool_]]:
    """Return log(1 + counts) of cells, and which of them are of the rare type."""
    rng = np.random.default_rng(0)
    common = np.exp(rng.normal(scale=1.5, size=n_columns))
    shares = np.r_[RARE_SHARE, np.full(N_TYPES - 1, (1 - RARE_SHARE) / (N_TYPES - 1))]
    types = rng.choice(N_TYPES, n_rows, p=shares)
    drawn = rng.poisson(1.35 * density * n_columns, n_rows)  # several fall on one gene
    genes = np.empty(drawn.sum(), dtype=np.int32)
    rows = np.repeat(np.arange(n_rows, dtype=np.int32), drawn)
    for each in range(N_TYPES):
        changed = rng.random(n_columns) < 0.1
        cumulated = np.cumsum(common * np.exp(changed * rng.normal(scale=1.5, size=n_columns)))
        own = np.repeat(types == each, drawn)
        draws = cumulated[-1] * rng.random(int(own.sum()))
        genes[own] = np.searchsorted(cumulated, draws).clip(max=n_columns - 1)
    counts = scipy.sparse.csr_array((np.ones(len(genes)), (rows, genes)), shape=(n_rows, n_columns))
    return np.log1p(counts), types == 0


def fit(X: Any, y: NDArray[np.bool_]) -> dict[str, float]:
    """Fit a dual and score all rows; report seconds, support and peak."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    started = time.process_time()
    dual = RakingDual(RakingFeatureMap(0), n_threads=1).fit(X, y)
    fitted = time.process_time()
    dual.score_samples(X)
    scored = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    support = len(dual.floor_.support)
    return {
        "fit": fitted - started, "score": scored - fitted, "bytes": peak - before, "support": support
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--density", type=float, default=0.01)
    options = parser.parse_args()
    X, y = cells(options.rows, options.columns, options.density)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: sending.send(fit(X, y)))
    process.start()
    found = receiving.recv()
    process.join()
    of_support = found["support"] * X.shape[1] * 8
    print(
        f"{X.shape[0]} × {X.shape[1]}, {X.nnz / X.shape[0] / X.shape[1]:.2%} stored, {size / 1e6:.0f} MB; dense in "
        f"double precision {X.shape[0] * X.shape[1] * 8 / size:.0f} times as much"
    )
    print(f"fit {found['fit']:.2f} s, scores of all rows {found['score']:.2f} s")
    print(
        f"peak {1 + found['bytes'] / size:.2f} times the matrix; without the {found['support']:.0f} rows of the floor "
        f"{1 + (found['bytes'] - of_support) / size:.2f} times"
    )


if __name__ == "__main__":
    main()
