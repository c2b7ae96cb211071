"""The second pass over raw rows: norms of standardised rows, and the rows that distances are taken between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from drr._native import core
from drr._native.threads import resolve_n_threads
from drr.features.columns import read_columns
from drr.features.scaling import as_dense_rows
from drr.streaming.block import Block, aligned
from drr.streaming.queries.query import Query, Vector


@dataclass(frozen=True, eq=False)
class RowNorms:
    """The largest norm of standardised rows, and the raw rows that distances are taken between."""

    largest: float
    sample: NDArray[Any]

    def merge(self, other: RowNorms) -> RowNorms:
        """Return the answer of the rows of both."""
        return RowNorms(max(self.largest, other.largest), np.concatenate([self.sample, other.sample]))


@dataclass(frozen=True, eq=False)
class MeasureNorms(Query):
    """Ask for the norms of rows that are standardised by these means and scales."""

    feature_map: Any
    numeric: list[int]
    mean: Vector
    scale: Vector
    indicated: NDArray[np.int32]
    sampled: dict[int, NDArray[np.int64]]
    """by block, the rows that distances are taken between"""

    def answer(self, block: Block) -> RowNorms:
        if not len(block):
            return RowNorms(0.0, np.zeros((0, len(self.numeric))))
        probe = clone(self.feature_map)
        rows = read_columns(probe, block.rows, reset=True)
        chosen = self.sampled.get(block.number, np.zeros(0, dtype=np.int64))
        standardisation = aligned(self.mean), aligned(self.scale), aligned(self.indicated, np.int32)
        largest, sample = 0.0, []
        for begin, end, part in rows.numeric_blocks(self.numeric, allow_nan=probe.missing == "impute"):
            norm = core.largest_norm(part, *standardisation, n_threads=resolve_n_threads(None))
            largest = max(largest, norm)
            sample.append(as_dense_rows(part[chosen[(chosen >= begin) & (chosen < end)] - begin]))
        return RowNorms(largest, np.concatenate(sample))
