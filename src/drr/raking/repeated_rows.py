"""Tables with few distinct rows, as those of a handful of categories: each is solved for once, with all its weight.

Equal rows have equal scores, so that raking divides their weight among them as the base weights do: with the sum of
their base weights on one of them, floor, θ and the certificate are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from drr._checks.arrays import Features
from drr.raking.results import Raking

Vector = NDArray[np.float64]
Rows = NDArray[np.intp]

# Fewer rows are solved in no time; rows that repeat less often than this are not worth the search.
_MIN_ROWS, _REPETITIONS = 1000, 4
_PROBED_ROWS = 1000
_MAX_NUMBERS = 32  # per row
_NUMBERS_AT_A_TIME = 2**20


class Repetition:
    """Which of the distinct rows each row is."""

    def __init__(self, which: Rows, n_distinct: int) -> None:
        self.which, self._n_distinct = which, n_distinct

    def total(self, weights: Vector | None) -> Vector:
        """Return the share of the weight of each distinct row; None is the same weight for every row."""
        totals = np.bincount(self.which, weights, minlength=self._n_distinct).astype(np.float64)
        return np.asarray(totals / totals.sum())

    def expand(self, raking: Raking, base_weights: Vector | None) -> Raking:
        """Return a raking of the distinct rows as one of all rows."""
        base = np.full(len(self.which), 1 / len(self.which)) if base_weights is None else base_weights
        total = np.bincount(self.which, base, minlength=self._n_distinct)
        assert raking.dual.weights is not None
        ratio = np.divide(raking.dual.weights, total, out=np.zeros(len(total)), where=total > 0)
        weights = base * ratio[self.which]

        # The first of equal rows stands for all of them; without a base weight it is absent.
        present = np.flatnonzero(base)[::-1]
        first = np.zeros(self._n_distinct, dtype=np.int64)
        first[self.which[present]] = present
        support = first[raking.floor.support]
        order = np.argsort(support)
        floor = replace(
            raking.floor,
            support=support[order],
            support_weights=raking.floor.support_weights[order],
            n_rows=len(base),
        )
        dual = replace(raking.dual, weights=weights, ess=float(1 / (weights @ weights)))
        return replace(raking, floor=floor, dual=dual)


def find_repetition(dual: Any, rows: Any) -> tuple[Any, Repetition] | None:
    """Return the distinct rows of an array or CSR matrix and which of them each row is; None if there are many.

    None as well if `dual` counts single rows, in search of an effective sample size or as the paper does, and if rows
    have so many numbers that comparing them takes as long as solving.

    Whole numbers that the bits of a row add up to tell rows apart, and the rows themselves confirm it; a few of them
    tell most tables without repetition.
    """
    if dual.min_ess is not None or dual.method != "auto" or not _is_readable(rows):
        return None
    n_rows = rows.shape[0]
    probed = _sums_of_bits(rows[:: n_rows // _PROBED_ROWS])
    if _REPETITIONS * len(np.unique(probed)) > 2 * len(probed):
        return None
    _, first, which = np.unique(_sums_of_bits(rows), return_index=True, return_inverse=True)
    if _REPETITIONS * len(first) > n_rows:
        return None
    distinct = rows[first]
    if not np.isfinite(distinct.data if issparse(distinct) else distinct).all():
        return None  # the solvers say where
    for block in _blocks(rows):
        again = distinct[which[block]]
        is_same = (rows[block] != again).nnz == 0 if issparse(again) else np.array_equal(rows[block], again)
        if not is_same:
            return None
    return distinct, Repetition(which.reshape(-1), len(first))


def _is_readable(rows: Any) -> bool:
    if not isinstance(rows, np.ndarray) and not (issparse(rows) and rows.format == "csr"):
        return False
    if rows.ndim != 2 or rows.dtype not in (np.float32, np.float64, np.int32, np.int64):
        return False
    n_numbers = rows.nnz if issparse(rows) else rows.size
    return bool(rows.shape[0] >= _MIN_ROWS and n_numbers <= _MAX_NUMBERS * rows.shape[0])


def _blocks(features: Features) -> Iterator[slice]:
    step = max(1, _NUMBERS_AT_A_TIME // features.shape[1])
    for begin in range(0, features.shape[0], step):
        yield slice(begin, begin + step)


def _sums_of_bits(features: Features) -> NDArray[np.uint64]:
    """Return Σₖ rₖ·bits(φₖ) modulo 2⁶⁴ for each row, with odd random r."""
    random = np.random.default_rng(0).integers(0, 2**64, size=features.shape[1], dtype=np.uint64)
    random |= np.uint64(1)
    if issparse(features):
        parts = _bits(features.data), features.indices, features.indptr
        return np.asarray(csr_array(parts, shape=features.shape) @ random)
    return np.concatenate([_bits(features[block]) @ random for block in _blocks(features)])


def _bits(numbers: NDArray[Any]) -> NDArray[np.uint64]:
    whole = np.ascontiguousarray(numbers).view(np.uint32 if numbers.dtype.itemsize == 4 else np.uint64)
    bits = whole.astype(np.uint64, copy=False)
    # The lower half of a whole number's bits is zero, and that of its products would be as well.
    return bits ^ (bits >> np.uint64(32))
