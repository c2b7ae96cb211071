"""Passes over row blocks: what is asked of a block, what it answers, and how answers merge.

A fit on rows that do not fit in memory is a sequence of passes. In each, the same small *request* is put to every
block of rows, which may be on disk or on another machine; its answer holds a few vectors of one number per column,
and a few rows. Two answers merge into the answer of all their rows, so any map-reduce engine can make the pass::

    answer = drr.merge_passes(request(rows, number, weights) for number, (rows, weights) in enumerate(blocks))

`drr.rake`, `drr.find_floor` and `drr.solve_dual` take, in place of the rows, any object with an attribute
``n_columns`` and a method ``run_pass(request)`` that returns such an answer. Answers are merged in the order of the
block numbers: sums of floating-point numbers depend on their order, and a fixed one gives the same bits every time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr._dispatch import core
from drr._threads import resolve_n_threads
from drr._validation import Features, check_features, log_base_weights

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
class Request:
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
            _refuse_nonfinite(block, number, error)
            raise

    def tightened(self, answer: Any) -> Request:
        """The same question, given what other blocks have answered: it may spare work, and changes no merged answer."""
        return self

    def _answer(self, block: Features, number: int, d: Vector | None) -> Any:
        raise NotImplementedError

    def _nothing(self, no_rows: Features, number: int, n_rows: int) -> Any:
        raise NotImplementedError

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
class FetchAnswer:
    """The rows that were asked for."""

    n_rows: int
    picked: PickedRows

    def merge(self, other: FetchAnswer) -> FetchAnswer:
        """The rows of both."""
        return FetchAnswer(self.n_rows + other.n_rows, self.picked.merge(other.picked))


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


Answer = TypeVar("Answer", SurveyAnswer, PriceAnswer, TiltAnswer, FetchAnswer)


class Merging:
    """Merges answers as they come: neighbours into groups, groups into the total.

    A total may hold a sample of many rows, which is copied whenever something is merged into it; a group is small.
    """

    _group_size = 64

    def __init__(self) -> None:
        self.total: Any = None
        """of the groups that are complete"""
        self._group: Any = None
        self._n_in_group = 0

    def add(self, answer: Any) -> bool:
        """The next answer; whether it completed a group."""
        self._group = answer if self._group is None else self._group.merge(answer)
        self._n_in_group += 1
        if self._n_in_group < self._group_size:
            return False
        self.total, self._group, self._n_in_group = self.result(), None, 0
        return True

    def result(self) -> Any:
        """The answer of all so far; None without any."""
        if self.total is None or self._group is None:
            return self._group if self.total is None else self.total
        return self.total.merge(self._group)

    def whole(self) -> Any:
        """The answer of all, of which there must be some."""
        result = self.result()
        if result is None:
            raise ValueError("there are no blocks: a pass needs at least one")
        return result


def merge_passes(answers: Iterable[Answer]) -> Answer:
    """The answer of all rows from the answers of blocks, or from answers that were merged before.

    Merging is associative: answers may be merged in groups, on several machines, as long as neighbours are merged and
    their order is kept. The result then agrees up to rounding, and to the last bit for the same grouping.

    Examples
    --------
    >>> import numpy as np
    >>> from drr.passes import TiltSums, merge_passes
    >>> rows = np.arange(6.0).reshape(-1, 1)
    >>> request = TiltSums(np.zeros(1), theta=np.ones(1))
    >>> parts = [request(rows[:2], 0), request(rows[2:], 1)]
    >>> bool(np.isclose(merge_passes(parts).log_sum, np.log(np.exp(rows).sum())))
    True
    """
    merging = Merging()
    for answer in answers:
        merging.add(answer)
    return merging.whole()  # type: ignore[no-any-return]


@runtime_checkable
class PassRunner(Protocol):
    """Whatever can put a request to every block and merge the answers."""

    n_columns: int

    def run_pass(self, request: Any) -> Any:
        """``merge_passes(request(rows, number, weights) …)`` over all blocks, in the order of their numbers."""


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


def _refuse_nonfinite(block: Features, number: int, error: ValueError) -> None:
    """Name the block and the row of the first NaN or infinity, if that is what the kernel stumbled on."""
    values = block.data if scipy.sparse.issparse(block) else block
    bad = ~np.isfinite(values)
    if not bad.any():
        raise ValueError(f"block {number}: {error}") from None
    if scipy.sparse.issparse(block):
        entry = int(np.argmax(bad))
        row, column = int(np.searchsorted(block.indptr, entry, side="right")) - 1, int(block.indices[entry])
        value = values[entry]
    else:
        row, column = (int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))
        value = values[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    raise NonfiniteRowError(what, number, row, column)


class NonfiniteRowError(ValueError):
    """A block holds NaN or infinity; a source that knows more of the block adds its name to the message."""

    def __init__(self, what: str, block: int, row: int, column: int, where: str = "") -> None:
        self.what, self.block, self.row, self.column = what, block, row, column
        place = f"block {block}, row {row} of the block, column {column}"
        super().__init__(f"the rows contain {what} in {place}{where}; impute or drop such rows before raking")
        self._where = where

    def __reduce__(self) -> tuple[type[NonfiniteRowError], tuple[str, int, int, int, str]]:
        return type(self), (self.what, self.block, self.row, self.column, self._where)
