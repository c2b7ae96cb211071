"""Rows that a pass brings back, and samples of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr._checks.arrays import Features

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PickedRows:
    """Some rows, with where they come from."""

    ids: NDArray[np.int64]
    """one (block, row in the block) each, in that order"""
    keys: Vector
    """by which they were picked, the smallest first"""
    scores: Vector
    """log base weight + aᵢᵀθ in a sample; aᵢᵀx in a pricing"""
    weights: Vector
    """their base weights, as the source gives them"""
    rows: Features

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(
        cls,
        rows: Features,
        weights: Vector | None,
        number: int,
        positions: NDArray[np.int64],
        keys: Vector,
        scores: Vector,
    ) -> PickedRows:
        """Pick the rows of block `number` at these positions."""
        ids = np.column_stack([np.full(len(positions), number, dtype=np.int64), positions])
        picked_weights = np.ones(len(positions)) if weights is None else weights[positions]
        return cls(ids, keys, scores, picked_weights, rows[positions])

    @classmethod
    def none(cls, no_rows: Features) -> PickedRows:
        """Pick nothing; `no_rows` has the columns."""
        return cls(np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0), no_rows)

    def take(self, positions: NDArray[Any]) -> PickedRows:
        """Return the rows at these positions."""
        return PickedRows(
            self.ids[positions],
            self.keys[positions],
            self.scores[positions],
            self.weights[positions],
            self.rows[positions],
        )

    def merge(self, other: PickedRows) -> PickedRows:
        """Return both, one after the other."""
        if not len(other):
            return self
        if not len(self):
            return other
        stack: Any = scipy.sparse.vstack if scipy.sparse.issparse(self.rows) else np.concatenate
        rows = stack([self.rows, other.rows])
        return PickedRows(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.keys, other.keys]),
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.weights, other.weights]),
            rows.tocsr() if scipy.sparse.issparse(rows) else rows,
        )

    def among(self, others: PickedRows) -> NDArray[np.bool_]:
        """Return which rows are also among the others."""
        if not len(self) or not len(others):
            return np.zeros(len(self), dtype=bool)
        span = 1 + max(int(self.ids[:, 1].max()), int(others.ids[:, 1].max()))
        mine, theirs = (each.ids[:, 0] * span + each.ids[:, 1] for each in (self, others))
        return np.isin(mine, theirs)

    def smallest(self, most: int) -> tuple[PickedRows, float]:
        """Return the `most` rows of smallest key, in their order, and the smallest key that was left out, or ∞."""
        if len(self) <= most:
            return self, math.inf
        order = np.lexsort((self.ids[:, 1], self.ids[:, 0], self.keys))
        return self.take(np.sort(order[:most])), float(self.keys[order[most]])


@dataclass(frozen=True)
class Sample:
    """Rows drawn with probability pᵢ = min(1, exp(scoreᵢ + limit))."""

    picked: PickedRows
    limit: float
    most: int

    def merge(self, other: Sample) -> Sample:
        """Return the sample of all rows: at the lower of the two limits, and lower still if it would be too large."""
        limit = min(self.limit, other.limit)
        most = max(self.most, other.most)
        both = self.picked.merge(other.picked)
        if len(both) and both.keys.max() >= limit:
            both = both.take(np.flatnonzero(both.keys < limit))
        kept, left_out = both.smallest(most)
        return Sample(kept, min(limit, left_out), most)
