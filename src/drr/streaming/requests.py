"""What is asked of a block of rows in a pass: questions that are small, immutable and safe to pickle."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.arrays import Features, check_features, log_base_weights
from drr._native import core
from drr._native.threads import resolve_n_threads
from drr.streaming.answers import (
    FetchAnswer,
    PickedRows,
    PriceAnswer,
    Sample,
    SurveyAnswer,
    TiltAnswer,
    Vector,
)
from drr.streaming.nonfinite import refuse_nonfinite_block


@dataclass(frozen=True, eq=False)
class Request(abc.ABC):
    """A question to every block. Small, immutable, safe to pickle."""

    target: Vector
    """μ₁: rows are shifted by it, aᵢ = φᵢ − μ₁"""
    n_threads: int | None = field(default=None, kw_only=True)
    """of each call; None for the limits of the process that answers"""

    def __call__(self, rows: Any, number: int, weights: Any = None) -> Any:
        """The answer of one block.

        Parameters
        ----------
        rows : array or CSR matrix of shape (n_rows, n_columns)
            May have no rows.
        number : int
            The number of the block in the whole, from 0.
        weights : array of shape (n_rows,), optional
            Base weights, not normalised; one on every row by default. A zero marks an absent row.
        """
        n_columns = len(self.target)
        if np.ndim(rows) == 2 and rows.shape[0] == 0:
            if rows.shape[1] != n_columns:
                raise ValueError(_wrong_width(number, rows.shape[1], n_columns))
            return self._nothing(np.zeros((0, n_columns)), number, 0)
        block = check_features(rows, f"block {number}")
        if block.shape[1] != n_columns:
            raise ValueError(_wrong_width(number, block.shape[1], n_columns))
        d = None if weights is None else _check_block_weights(weights, number, block.shape[0])
        if d is not None and not d.any():
            return self._nothing(block[:0], number, block.shape[0])
        try:
            return self._answer(block, number, d)
        except ValueError as error:
            refuse_nonfinite_block(block, number, error)
            raise

    def tightened(self, answer: Any) -> Request:
        """The same question, given what other blocks have answered: it may spare work, and changes no merged answer."""
        return self

    @abc.abstractmethod
    def _answer(self, block: Features, number: int, d: Vector | None) -> Any:
        """Of a block with rows."""

    @abc.abstractmethod
    def _nothing(self, no_rows: Features, number: int, n_rows: int) -> Any:
        """Of a block none of whose `n_rows` rows is present."""

    def _threads(self) -> int:
        return resolve_n_threads(self.n_threads)


@dataclass(frozen=True, eq=False)
class Survey(Request):
    """The first look: mean, norms, the nearest row, a sample."""

    most: int
    """rows in the sample"""
    limit: float = math.inf
    """of the sample's keys"""

    def _answer(self, block: Features, number: int, d: Vector | None) -> SurveyAnswer:
        n_rows = block.shape[0]
        mean, smallest_norm, largest_norm, smallest = core.survey_block(
            block, _aligned(self.target), d, self._threads()
        )
        log_d = log_base_weights(d)
        limit, rows, keys, scores = core.sample_block(log_d, n_rows, number, self.limit, self.most)
        nearest = _pick(block, d, number, np.array([smallest]), np.array([smallest_norm]), np.zeros(1))
        return SurveyAnswer(
            n_rows,
            n_rows if d is None else int(np.count_nonzero(d)),
            float(n_rows) if d is None else float(d.sum()),
            float(n_rows) if d is None else float(d @ d),
            mean,
            largest_norm,
            nearest,
            Sample(_pick(block, d, number, rows, keys, scores), limit, self.most),
            {number: n_rows},
        )

    def _nothing(self, no_rows: Features, number: int, n_rows: int) -> SurveyAnswer:
        nobody = _nobody(no_rows)
        sample = Sample(nobody, self.limit, self.most)
        zero = np.zeros(len(self.target))
        return SurveyAnswer(n_rows, 0, 0.0, 0.0, zero, 0.0, nobody, sample, {number: n_rows})

    def tightened(self, answer: SurveyAnswer) -> Survey:
        """With the limit that the sample has reached."""
        return replace(self, limit=min(self.limit, answer.sample.limit))


@dataclass(frozen=True, eq=False)
class Price(Request):
    """The rows of lowest score aᵢᵀx below a threshold."""

    x: Vector
    threshold: float
    most: int

    def _answer(self, block: Features, number: int, d: Vector | None) -> PriceAnswer:
        lowest, rows, scores = core.price_block(
            block, _aligned(self.target), d, _aligned(self.x), self.threshold, self.most, self._threads()
        )
        if math.isnan(lowest):
            raise ValueError("a score is not a number")
        return PriceAnswer(block.shape[0], lowest, _pick(block, d, number, rows, scores, scores), self.most)

    def _nothing(self, no_rows: Features, number: int, n_rows: int) -> PriceAnswer:
        return PriceAnswer(n_rows, math.inf, _nobody(no_rows), self.most)

    def tightened(self, answer: PriceAnswer) -> Price:
        """Below the highest of the scores that are already as many as are wanted."""
        if len(answer.picked) < self.most:
            return self
        return replace(self, threshold=min(self.threshold, float(answer.picked.keys.max())))


@dataclass(frozen=True, eq=False)
class TiltSums(Request):
    """The sums of the tilt by θ, and with ``most > 0`` a sample of rows drawn by their tilted weights."""

    theta: Vector
    most: int = 0
    limit: float = math.inf

    def _answer(self, block: Features, number: int, d: Vector | None) -> TiltAnswer:
        log_sum, log_square_sum, largest, absolute, mean, drawn = core.tilt_block(
            block,
            _aligned(self.target),
            log_base_weights(d),
            _aligned(self.theta),
            number,
            self.limit,
            self.most,
            self._threads(),
        )
        limit, rows, keys, scores = drawn
        sample = Sample(_pick(block, d, number, rows, keys, scores), limit, self.most) if self.most else None
        return TiltAnswer(block.shape[0], log_sum, log_square_sum, largest, absolute, mean, sample)

    def _nothing(self, no_rows: Features, number: int, n_rows: int) -> TiltAnswer:
        sample = Sample(_nobody(no_rows), self.limit, self.most) if self.most else None
        return TiltAnswer(n_rows, -math.inf, -math.inf, -math.inf, 0.0, np.zeros(len(self.target)), sample)

    def tightened(self, answer: TiltAnswer) -> TiltSums:
        """With the limit that the sample has reached."""
        return self if answer.sample is None else replace(self, limit=min(self.limit, answer.sample.limit))


@dataclass(frozen=True, eq=False)
class Fetch(Request):
    """Certain rows, by (block, row in the block)."""

    ids: NDArray[np.int64]

    def _answer(self, block: Features, number: int, d: Vector | None) -> FetchAnswer:
        rows = self.ids[self.ids[:, 0] == number, 1]
        zeros = np.zeros(len(rows))
        return FetchAnswer(block.shape[0], _pick(block, d, number, rows, zeros, zeros))

    def _nothing(self, no_rows: Features, number: int, n_rows: int) -> FetchAnswer:
        return FetchAnswer(n_rows, _nobody(no_rows))


def _pick(
    block: Features, d: Vector | None, number: int, rows: NDArray[np.int64], keys: Vector, scores: Vector
) -> PickedRows:
    ids = np.column_stack([np.full(len(rows), number, dtype=np.int64), rows])
    return PickedRows(ids, keys, scores, np.ones(len(rows)) if d is None else d[rows], block[rows])


def _nobody(no_rows: Features) -> PickedRows:
    return PickedRows(np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0), no_rows)


def _aligned(values: Any) -> Vector:
    """The same numbers where the kernels can read them: what came over a network may lie anywhere."""
    return np.require(values, dtype=np.float64, requirements=["C", "A"])


def _check_block_weights(weights: Any, number: int, n_rows: int) -> Vector:
    d = _aligned(weights)
    if d.shape != (n_rows,):
        raise ValueError(f"block {number} has {n_rows} rows, but base weights of shape {d.shape}")
    if not np.isfinite(d).all() or (d < 0).any():
        row = int(np.argmax(~np.isfinite(d) | (d < 0)))
        raise ValueError(
            f"base weights must be finite and not negative, got {d[row]} in block {number}, row {row}"
        )
    return d


def _wrong_width(number: int, width: int, expected: int) -> str:
    return f"block {number} has {width} columns, but {expected} are expected; all blocks must have the same columns"
