"""The rows of lowest score along a direction, which the floor needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from drr._checks.arrays import Features
from drr._native import core
from drr.streaming.block import aligned
from drr.streaming.queries.picked_rows import PickedRows
from drr.streaming.queries.query import Request, Vector


@dataclass(frozen=True, eq=False)
class PriceAnswer:
    """The lowest score aᵢᵀx, and the rows of lowest score."""

    n_rows: int
    lowest: float
    picked: PickedRows
    most: int

    def merge(self, other: PriceAnswer) -> PriceAnswer:
        """Return the answer of the rows of both."""
        picked, _ = self.picked.merge(other.picked).smallest(self.most)
        return PriceAnswer(self.n_rows + other.n_rows, min(self.lowest, other.lowest), picked, self.most)


@dataclass(frozen=True, eq=False)
class Price(Request):
    """Ask for the rows of lowest score aᵢᵀx below a threshold."""

    x: Vector
    threshold: float
    most: int

    def _of_rows(self, rows: Features, number: int, weights: Vector | None) -> PriceAnswer:
        lowest, positions, scores = core.price_block(
            rows, aligned(self.target), weights, aligned(self.x), self.threshold, self.most, self._threads()
        )
        if math.isnan(lowest):
            raise ValueError("a score is not a number")
        picked = PickedRows.of(rows, weights, number, positions, scores, scores)
        return PriceAnswer(rows.shape[0], lowest, picked, self.most)

    def _of_nothing(self, no_rows: Features, number: int, n_rows: int) -> PriceAnswer:
        return PriceAnswer(n_rows, math.inf, PickedRows.none(no_rows), self.most)

    def tightened(self, answer: PriceAnswer) -> Price:
        """Return the question for rows below the highest score, once enough rows are known."""
        if len(answer.picked) < self.most:
            return self
        return replace(self, threshold=min(self.threshold, float(answer.picked.keys.max())))
