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
    log_sum: float
    """log Σ dᵢ exp(aᵢᵀθ), with d not normalised"""
    log_square_sum: float
    largest_score: float
    largest_absolute: float
    mean: Vector
    sample: Sample | None

    def merge(self, other: TiltAnswer) -> TiltAnswer:
        """Return the answer of the rows of both."""
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
class TiltSums(Request):
    """Ask for the sums of the tilt by θ, and with ``most > 0`` for rows drawn by their tilted weights."""

    theta: Vector
    most: int = 0
    limit: float = math.inf

    def _of_rows(self, rows: Features, number: int, weights: Vector | None) -> TiltAnswer:
        log_sum, log_square_sum, largest, absolute, mean, drawn = core.tilt_block(
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
        return TiltAnswer(rows.shape[0], log_sum, log_square_sum, largest, absolute, mean, sample)

    def _of_nothing(self, no_rows: Features, number: int, n_rows: int) -> TiltAnswer:
        sample = Sample(PickedRows.none(no_rows), self.limit, self.most) if self.most else None
        return TiltAnswer(n_rows, -math.inf, -math.inf, -math.inf, 0.0, np.zeros(len(self.target)), sample)

    def tightened(self, answer: TiltAnswer) -> TiltSums:
        """Return the question with the limit that the sample has reached."""
        return self if answer.sample is None else replace(self, limit=min(self.limit, answer.sample.limit))
