"""The first look at rows: mean, norms, the nearest row, a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr._checks.arrays import Features, log_base_weights
from drr._native import core
from drr.streaming.block import aligned
from drr.streaming.queries.picked_rows import PickedRows, Sample
from drr.streaming.queries.query import Request, Vector

_MAX_OUTLIERS = 64


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
    largest_coordinate: float
    """infinite unless the squares of all norms nearly vanish"""
    nearest: PickedRows
    """the row nearest to the target; its key is the distance"""
    outliers: PickedRows
    """rows that a sample must not miss, those of largest norm; their key is minus the norm"""
    sample: Sample
    lengths: dict[int, int]
    """rows of each block"""

    def merge(self, other: SurveyAnswer) -> SurveyAnswer:
        """Return the answer of the rows of both."""
        weight = self.weight + other.weight
        share = other.weight / weight if weight else 0.0
        return SurveyAnswer(
            self.n_rows + other.n_rows,
            self.n_present + other.n_present,
            weight,
            self.square_weight + other.square_weight,
            (1 - share) * self.mean + share * other.mean,
            max(self.largest_norm, other.largest_norm),
            max(self.largest_coordinate, other.largest_coordinate),
            self.nearest.merge(other.nearest).smallest(1)[0],
            self.outliers.merge(other.outliers).smallest(_MAX_OUTLIERS)[0],
            self.sample.merge(other.sample),
            self.lengths | other.lengths,
        )


@dataclass(frozen=True, eq=False)
class Survey(Request):
    """Ask for the first look."""

    most: int
    """rows in the sample"""
    limit: float = math.inf
    """of the sample's keys"""

    def _of_rows(self, rows: Features, number: int, weights: Vector | None) -> SurveyAnswer:
        n_rows = rows.shape[0]
        mean, smallest_norm, largest_norm, coordinate, smallest, outliers = core.survey_block(
            rows, aligned(self.target), weights, self._threads()
        )
        drawn = core.sample_block(log_base_weights(weights), n_rows, number, self.limit, self.most)
        limit, positions, keys, scores = drawn
        nearest = PickedRows.of(
            rows, weights, number, np.array([smallest]), np.array([smallest_norm]), np.zeros(1)
        )
        return SurveyAnswer(
            n_rows,
            n_rows if weights is None else int(np.count_nonzero(weights)),
            float(n_rows) if weights is None else float(weights.sum()),
            float(n_rows) if weights is None else float(weights @ weights),
            mean,
            largest_norm,
            coordinate,
            nearest,
            self._outliers(rows, weights, number, outliers),
            Sample(PickedRows.of(rows, weights, number, positions, keys, scores), limit, self.most),
            {number: n_rows},
        )

    def _outliers(
        self, rows: Features, weights: Vector | None, number: int, positions: NDArray[np.int64]
    ) -> PickedRows:
        chosen = rows[positions]
        dense = chosen.toarray() if scipy.sparse.issparse(chosen) else chosen
        norms = np.linalg.norm(dense.astype(np.float64) - self.target, axis=1)
        return PickedRows.of(rows, weights, number, positions, -norms, np.zeros(len(positions)))

    def _of_nothing(self, no_rows: Features, number: int, n_rows: int) -> SurveyAnswer:
        none = PickedRows.none(no_rows)
        sample = Sample(none, self.limit, self.most)
        zero = np.zeros(len(self.target))
        return SurveyAnswer(n_rows, 0, 0.0, 0.0, zero, 0.0, 0.0, none, none, sample, {number: n_rows})

    def tightened(self, answer: SurveyAnswer) -> Survey:
        """Return the survey with the limit that the sample has reached."""
        return replace(self, limit=min(self.limit, answer.sample.limit))
