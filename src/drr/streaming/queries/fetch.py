"""Certain rows by their place, which the dual needs if its floor was found elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drr._checks.arrays import Features
from drr.streaming.queries.picked_rows import PickedRows
from drr.streaming.queries.query import Request, Vector


@dataclass(frozen=True, eq=False)
class FetchAnswer:
    """The rows that were asked for."""

    n_rows: int
    picked: PickedRows

    def merge(self, other: FetchAnswer) -> FetchAnswer:
        """Return the rows of both."""
        return FetchAnswer(self.n_rows + other.n_rows, self.picked.merge(other.picked))


@dataclass(frozen=True, eq=False)
class Fetch(Request):
    """Ask for rows by (block, row in the block)."""

    ids: NDArray[np.int64]

    def _of_rows(self, rows: Features, number: int, weights: Vector | None) -> FetchAnswer:
        positions = self.ids[self.ids[:, 0] == number, 1]
        zeros = np.zeros(len(positions))
        return FetchAnswer(rows.shape[0], PickedRows.of(rows, weights, number, positions, zeros, zeros))

    def _of_nothing(self, no_rows: Features, number: int, n_rows: int) -> FetchAnswer:
        return FetchAnswer(n_rows, PickedRows.none(no_rows))
