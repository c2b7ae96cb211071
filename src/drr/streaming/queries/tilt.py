"""The sums of the tilt by θ: the dual's value, gradient and certificate, and a sample for its model."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from drr._checks.arrays import Features, log_base_weights
from drr._native import core
from drr.streaming.block import aligned
from drr.streaming.queries.picked_rows import PickedRows, Sample
from drr.streaming.queries.query import Request, Vector


@dataclass(frozen=True, eq=False)
class TiltAnswer:
    """The tilted log-sum, the mean of the rows under the tilt, and what certificates need."""

    n_rows: int
    reference: float
    """the largest log dᵢ + aᵢᵀθ, with d not normalised"""
    relative_sum: float
    """Σ dᵢ exp(aᵢᵀθ), relative to exp(reference)"""
    log_square_sum: float
    largest_score: float
    largest_absolute: float
    mean: Vector
    sample: Sample | None

    @property
    def log_sum(self) -> float:
        """log Σ dᵢ exp(aᵢᵀθ)."""
        return self.reference + math.log(self.relative_sum) if self.relative_sum else -math.inf

    def merge(self, other: TiltAnswer) -> TiltAnswer:
        """Return the answer of the rows of both."""
        reference, relative_sum, mean = self.reference, self.relative_sum, self.mean
        if other.relative_sum:
            # Differences of references are as exact as the scores; those of logarithms of sums are not.
            reference = max(self.reference, other.reference)
            first = self.relative_sum * math.exp(self.reference - reference)
            second = other.relative_sum * math.exp(other.reference - reference)
            relative_sum = first + second
            mean = first / relative_sum * self.mean + second / relative_sum * other.mean
        return TiltAnswer(
            self.n_rows + other.n_rows,
            reference,
            relative_sum,
            float(np.logaddexp(self.log_square_sum, other.log_square_sum)),
            max(self.largest_score, other.largest_score),
            max(self.largest_absolute, other.largest_absolute),
            mean,
            None if self.sample is None or other.sample is None else self.sample.merge(other.sample),
        )


@dataclass(frozen=True, eq=False)
class TiltSums(Request):
    """Ask for the sums of the tilt by θ, and with ``most > 0`` for rows drawn by their tilted weights."""

    theta: Vector
    most: int = 0
    limit: float = math.inf

    def _of_rows(self, rows: Features, number: int, weights: Vector | None) -> TiltAnswer:
        reference, relative_sum, log_square_sum, largest, absolute, mean, drawn = core.tilt_block(
            rows,
            aligned(self.target),
            log_base_weights(weights),
            aligned(self.theta),
            number,
            self.limit,
            self.most,
            self._threads(),
        )
        limit, positions, keys, scores = drawn
        sample = None
        if self.most:
            picked = PickedRows.of(rows, weights, number, positions, keys, scores)
            sample = Sample(picked, limit, self.most)
        return TiltAnswer(
            rows.shape[0], reference, relative_sum, log_square_sum, largest, absolute, mean, sample
        )

    def _of_nothing(self, no_rows: Features, number: int, n_rows: int) -> TiltAnswer:
        sample = Sample(PickedRows.none(no_rows), self.limit, self.most) if self.most else None
        mean = np.zeros(len(self.target))
        return TiltAnswer(n_rows, -math.inf, 0.0, -math.inf, -math.inf, 0.0, mean, sample)

    def tightened(self, answer: TiltAnswer) -> TiltSums:
        """Return the question with the limit that the sample has reached."""
        return self if answer.sample is None else replace(self, limit=min(self.limit, answer.sample.limit))
