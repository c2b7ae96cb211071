"""What blocks of rows answer in a pass, and how two answers merge into the answer of all their rows."""

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
    """log base weight + aᵢᵀθ in a sample; aᵢᵀx where prices decide"""
    weights: Vector
    """their base weights, as the source gives them"""
    rows: Features

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, positions: NDArray[Any]) -> PickedRows:
        """Those among them."""
        return PickedRows(
            self.ids[positions],
            self.keys[positions],
            self.scores[positions],
            self.weights[positions],
            self.rows[positions],
        )

    def merge(self, other: PickedRows) -> PickedRows:
        """Both, one after the other."""
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
        """Which of them are among the others."""
        if not len(self) or not len(others):
            return np.zeros(len(self), dtype=bool)
        span = 1 + max(int(self.ids[:, 1].max()), int(others.ids[:, 1].max()))
        mine, theirs = (each.ids[:, 0] * span + each.ids[:, 1] for each in (self, others))
        return np.isin(mine, theirs)

    def smallest(self, most: int) -> tuple[PickedRows, float]:
        """At most `most` of them, those of smallest key, in their order; also the smallest key left out, or ∞."""
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
        """The sample of all rows: at the lower of the two limits, and lower still where it would be too large."""
        limit = min(self.limit, other.limit)
        most = max(self.most, other.most)
        both = self.picked.merge(other.picked)
        if len(both) and both.keys.max() >= limit:
            both = both.take(np.flatnonzero(both.keys < limit))
        kept, left_out = both.smallest(most)
        return Sample(kept, min(limit, left_out), most)


@dataclass(frozen=True, eq=False)
class SurveyAnswer:
    """What the first pass learns."""

    n_rows: int
    n_present: int
    weight: float
    """Σ dᵢ, not normalised"""
    square_weight: float
    """Σ dᵢ²"""
    mean: Vector
    """Σ dᵢaᵢ / Σ dᵢ"""
    largest_norm: float
    nearest: PickedRows
    """the row nearest to the target; its key is the distance"""
    sample: Sample
    lengths: dict[int, int]
    """rows of each block"""

    def merge(self, other: SurveyAnswer) -> SurveyAnswer:
        """The answer of the rows of both."""
        weight = self.weight + other.weight
        share = other.weight / weight if weight else 0.0
        return SurveyAnswer(
            self.n_rows + other.n_rows,
            self.n_present + other.n_present,
            weight,
            self.square_weight + other.square_weight,
            (1 - share) * self.mean + share * other.mean,
            max(self.largest_norm, other.largest_norm),
            self.nearest.merge(other.nearest).smallest(1)[0],
            self.sample.merge(other.sample),
            self.lengths | other.lengths,
        )


@dataclass(frozen=True, eq=False)
class PriceAnswer:
    """The lowest score aᵢᵀx, and the rows of lowest score."""

    n_rows: int
    lowest: float
    picked: PickedRows
    most: int

    def merge(self, other: PriceAnswer) -> PriceAnswer:
        """The answer of the rows of both."""
        picked, _ = self.picked.merge(other.picked).smallest(self.most)
        return PriceAnswer(self.n_rows + other.n_rows, min(self.lowest, other.lowest), picked, self.most)


@dataclass(frozen=True, eq=False)
class TiltAnswer:
    """The tilted log-sum, the mean of the rows under the tilt, and what certificates need."""

    n_rows: int
    log_sum: float
    """log Σ dᵢ exp(aᵢᵀθ), with d not normalised"""
    log_square_sum: float
    largest_score: float
    largest_absolute: float
    mean: Vector
    sample: Sample | None

    def merge(self, other: TiltAnswer) -> TiltAnswer:
        """The answer of the rows of both."""
        log_sum = float(np.logaddexp(self.log_sum, other.log_sum))
        mean = self.mean
        if other.log_sum > -math.inf:
            mean = (
                math.exp(self.log_sum - log_sum) * self.mean + math.exp(other.log_sum - log_sum) * other.mean
            )
        return TiltAnswer(
            self.n_rows + other.n_rows,
            log_sum,
            float(np.logaddexp(self.log_square_sum, other.log_square_sum)),
            max(self.largest_score, other.largest_score),
            max(self.largest_absolute, other.largest_absolute),
            mean,
            None if self.sample is None or other.sample is None else self.sample.merge(other.sample),
        )


@dataclass(frozen=True, eq=False)
class FetchAnswer:
    """The rows that were asked for."""

    n_rows: int
    picked: PickedRows

    def merge(self, other: FetchAnswer) -> FetchAnswer:
        """The rows of both."""
        return FetchAnswer(self.n_rows + other.n_rows, self.picked.merge(other.picked))
