"""The rows of a generated problem in other places than memory: blocks, files, the workers of a cluster."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import drr
from tools.attack.problems import Problem

N_BLOCKS = 3


@dataclass(frozen=True)
class Place:
    """Where rows are, and the share of the problems that are solved from there."""

    name: str
    every: int
    """one problem in that many"""
    put: Callable[[Problem], Any]
    """the rows there"""
    put_weights: Callable[[Problem], Any] = lambda problem: problem.base_weights

    def has(self, case: int) -> bool:
        return self.every > 0 and case % self.every == 0


def _block_rows(problem: Problem) -> int:
    return -(-len(problem.rows) // N_BLOCKS)


def in_blocks(problem: Problem) -> Any:
    return drr.open_rows(problem.features, block_rows=_block_rows(problem))


def in_a_file(folder: Path) -> Callable[[Problem], Any]:
    """Write every problem over the one before: a .npy file, or an .npz file of a sparse matrix."""

    def put(problem: Problem) -> Any:
        if scipy.sparse.issparse(problem.features):
            scipy.sparse.save_npz(folder / "rows.npz", scipy.sparse.csr_array(problem.features))
            return drr.open_rows(folder / "rows.npz", block_rows=_block_rows(problem))
        np.save(folder / "rows.npy", np.ascontiguousarray(problem.features))
        return drr.open_rows(folder / "rows.npy", block_rows=_block_rows(problem))

    return put


def in_parquet(folder: Path) -> Callable[[Problem], Any]:
    """Write the same numbers as row groups of a Parquet file."""
    import pyarrow
    import pyarrow.parquet

    def put(problem: Problem) -> Any:
        columns = {f"c{k}": pyarrow.array(column) for k, column in enumerate(problem.rows.T)}
        path, n_rows = folder / "rows.parquet", _block_rows(problem)
        pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=n_rows)
        return drr.open_rows(path, block_rows=n_rows)

    return put


def on_a_cluster(problem: Problem) -> Any:
    """Hand the blocks over to the workers of the current client."""
    import dask

    parts = range(0, len(problem.rows), _block_rows(problem))
    rows = problem.features
    return [dask.delayed(rows[begin : begin + _block_rows(problem)]) for begin in parts]


def weights_on_a_cluster(problem: Problem) -> Any:
    """The base weights in the same blocks."""
    import dask.array

    weights = problem.base_weights
    return None if weights is None else dask.array.from_array(weights, chunks=_block_rows(problem))


@contextlib.contextmanager
def two_workers() -> Iterator[None]:
    """A Dask cluster on this machine: two processes of one thread each."""
    import distributed

    options = {
        "n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL,
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
            yield
