"""Embedded rows that serve many duals: of several classes, on all rows and on parts of them.

A row that is absent from a problem has base weight zero in it, so that no problem has a copy of the features. Wide rows
have one Gram matrix, from which the problems of all classes and all parts are solved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.arrays import Features
from drr._checks.scores import check_sample_weight
from drr._native import core
from drr._native.threads import resolve_n_threads
from drr.raking.fitting import embed_all
from drr.raking.problem import ArrayProblem, mean_of_rows
from drr.raking.repeated_rows import Repetition
from drr.raking.results import Dual, Raking
from drr.raking.span import RowSpan, SpanProblem, is_worthwhile

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

# Numbers of rows that are scored at a time: 8 MB in double precision.
_BLOCK_SIZE = 2**20

# Parts of a majority of more rows are solved on at most so many of them. That moves the held-out scores of a table of
# 283 301 rows by up to 0.1 % of their standard deviation. The mean of the majority is as exact as that of half so many.
MANY_ROWS, ROWS_OF_MANY = 2**17, 2**16


def share_rows(dual: Any, X: Any, weights: Vector | None, n_problems: int) -> SharedRows:
    """Return embedded rows with what is worth computing once for so many problems of copies of `dual`."""
    n_threads = resolve_n_threads(dual.n_threads)
    features, offset, repetition = embed_all(dual, X)
    weights = np.ones(X.shape[0]) if weights is None else weights
    if repetition is not None:
        return RepeatedRows(features, repetition, weights, n_threads)
    kind = WideRows if is_worthwhile(features, n_problems) else SharedRows
    return kind(features, weights, n_threads, offset)


class SharedRows:
    """Rows whose problems are solved one by one.

    The rows of the feature map are `features`, minus `offset` if there is one.
    """

    def __init__(
        self, features: Features, weights: Vector, n_threads: int, offset: Vector | None = None
    ) -> None:
        self.features, self.weights, self.n_threads, self.offset = features, weights, n_threads, offset

    def problem(self, positive: Mask) -> tuple[ArrayProblem, Vector]:
        """Return the problem of one class, and its base weights."""
        rare, base = shares_of(positive, self.weights)
        target = mean_of_rows(self.features, rare, self.n_threads)
        return ArrayProblem(self.features, target, base, self.n_threads), base

    def of_majority(self, raking: Raking, majority: Rows) -> Raking:
        """Return a raking of one problem with the rows counted among the majority, as if there were no others."""
        floor, dual = raking.floor, raking.dual
        assert dual.weights is not None
        support = np.searchsorted(majority, floor.support).astype(np.int64)
        floor = replace(floor, support=support, n_rows=len(majority))
        dual = replace(dual, weights=dual.weights[majority])
        if self.offset is not None:
            floor = replace(floor, base_mean=floor.base_mean - self.offset)
            log_partition = dual.log_partition - float(self.offset @ dual.theta)
            dual = replace(dual, mean=dual.mean - self.offset, log_partition=log_partition)
        return replace(raking, floor=floor, dual=dual)

    def with_weights(self, weights: Vector) -> SharedRows:
        """Return the same rows with other weights, without their offset."""
        return SharedRows(self.features, weights, self.n_threads)

    def rows(self, rows: Rows) -> Features:
        """Return some of the rows."""
        return self.features[rows]

    def centred(self, target: Vector) -> Vector:
        """Return the target of a problem as a mean of rows of the feature map."""
        return target if self.offset is None else target - self.offset

    def part(self, rows: Rows) -> PartOfRows:
        """Return a part of the rows, whose problems know no other, nor the offset: log density ratios have none."""
        return PartOfRows(self, rows)

    def thinned(self, positive: Mask, raking: Raking) -> SharedRows:
        """Return rows whose parts take less to solve, if the majority is large; `raking` is that of all rows.

        Rows of different weights, which may be those of many rows already, are left as they are.
        """
        majority = np.flatnonzero(~positive)
        if len(majority) <= MANY_ROWS or np.ptp(self.weights) > 0:
            return self
        assert raking.dual.weights is not None
        return ThinnedRows(self, majority[np.argsort(-raking.dual.weights[majority], kind="stable")])


class PartOfRows:
    """Some of the rows, to fit on; the others can be scored."""

    def __init__(self, shared: SharedRows, rows: Rows) -> None:
        present = np.zeros(len(shared.weights))
        present[rows] = shared.weights[rows]
        self._present = shared.with_weights(present)
        self._rows = rows

    def problem(self, positive: Mask) -> tuple[ArrayProblem, Vector]:
        """Return the problem of one class, and its base weights."""
        check_sample_weight(self._present.weights[self._rows], positive[self._rows])
        return self._present.problem(positive)

    def start(self, whole: ArrayProblem, raking: Raking) -> Dual | None:
        """Return the dual of all rows as a start for that of the part."""
        return raking.dual

    def scores(self, rows: Rows, directions: Vector) -> Vector:
        """Return the scores of any rows, a column for each row of `directions`."""
        scores = np.empty((len(rows), len(directions)))
        step = max(1, _BLOCK_SIZE // directions.shape[1])
        for begin in range(0, len(rows), step):
            block = self._present.rows(rows[begin : begin + step])
            scores[begin : begin + step] = block @ directions.T
        return scores


class RepeatedRows(SharedRows):
    """Rows of which few are distinct, whose problems are those of the distinct ones."""

    def __init__(self, distinct: Features, repetition: Repetition, weights: Vector, n_threads: int) -> None:
        super().__init__(distinct, weights, n_threads)
        self._repetition = repetition

    def problem(self, positive: Mask) -> tuple[ArrayProblem, Vector]:
        rare, base = (self._repetition.total(each) for each in shares_of(positive, self.weights))
        target = mean_of_rows(self.features, rare, self.n_threads)
        return ArrayProblem(self.features, target, base, self.n_threads), base

    def of_majority(self, raking: Raking, majority: Rows) -> Raking:
        base = np.zeros(len(self.weights))
        base[majority] = self.weights[majority] / self.weights[majority].sum()
        return super().of_majority(self._repetition.expand(raking, base), majority)

    def with_weights(self, weights: Vector) -> SharedRows:
        return RepeatedRows(self.features, self._repetition, weights, self.n_threads)

    def thinned(self, positive: Mask, raking: Raking) -> SharedRows:
        return self  # the distinct ones are few

    def rows(self, rows: Rows) -> Features:
        return self.features[self._repetition.which[rows]]


class ThinnedRows(SharedRows):
    """Many rows, whose parts are solved on few of the majority.

    A tilt has nearly all its weight on few rows, and the tilt of a part nearly the same as that of all rows. The
    heaviest rows under the latter are kept. Of all others every k-th, by falling weight, stands for k of them.
    """

    def __init__(self, shared: SharedRows, majority: Rows) -> None:
        """Keep some rows of the majority, whose rows come by falling weight."""
        super().__init__(shared.features, shared.weights, shared.n_threads)
        n_heavy = n_light = ROWS_OF_MANY // 2
        k = (len(majority) - n_heavy) / n_light
        light = n_heavy + (k * (np.arange(n_light) + 0.5)).astype(np.intp)
        self.kept = np.concatenate([majority[:n_heavy], majority[light]])
        self.stands_for = np.repeat([1.0, k], [n_heavy, n_light])
        """how many rows each of them counts for"""
        self.kept_features = shared.features[self.kept]

    def part(self, rows: Rows) -> PartOfRows:
        return PartOfThinnedRows(self, rows)


class PartOfThinnedRows(PartOfRows):
    """Some of many rows: all those of the rare class, and of the majority those that were kept."""

    def __init__(self, shared: ThinnedRows, rows: Rows) -> None:
        super().__init__(shared, rows)
        self._shared = shared

    def problem(self, positive: Mask) -> tuple[ArrayProblem, Vector]:
        shared = self._shared
        rare, present = shares_of(positive, self._present.weights)
        base = present[shared.kept] * shared.stands_for
        base /= base.sum()
        target = mean_of_rows(shared.features, rare, shared.n_threads)
        return ArrayProblem(shared.kept_features, target, base, shared.n_threads), base


class WideRows(SharedRows):
    """Rows with more columns than rows, whose problems are solved in their span."""

    def __init__(
        self, features: Features, weights: Vector, n_threads: int, offset: Vector | None = None
    ) -> None:
        super().__init__(features, weights, n_threads, offset)
        self.gram = core.gram(features, n_threads=n_threads)
        self._span = RowSpan(self.gram)

    def problem(self, positive: Mask) -> tuple[ArrayProblem, Vector]:
        rare, base = shares_of(positive, self.weights)
        return SpanProblem(self.features, self._span, rare, base, self.n_threads), base

    def part(self, rows: Rows) -> PartOfRows:
        return PartOfWideRows(self, rows)


class PartOfWideRows(PartOfRows):
    """Some of the rows, in coordinates of their own span, and certified in these."""

    def __init__(self, shared: WideRows, rows: Rows) -> None:
        self._gram, self._rows, self._n_threads = shared.gram, rows, shared.n_threads
        self._weights = shared.weights[rows]
        self._span = RowSpan(shared.gram[np.ix_(rows, rows)])

    def problem(self, positive: Mask) -> tuple[ArrayProblem, Vector]:
        rare_rows = positive[self._rows]
        check_sample_weight(self._weights, rare_rows)
        rare, base = shares_of(rare_rows, self._weights)
        coordinates = self._span.coordinates
        present = base > 0
        problem = ArrayProblem(coordinates[present], rare @ coordinates, base[present], self._n_threads)
        return problem, base[present]

    def start(self, whole: ArrayProblem, raking: Raking) -> Dual | None:
        if not isinstance(whole, SpanProblem) or whole.scores is None:
            return None
        return replace(raking.dual, theta=self._span.inside(whole.scores[self._rows]))

    def scores(self, rows: Rows, directions: Vector) -> Vector:
        combinations = np.stack([self._span.combination(each) for each in directions], axis=1)
        return np.asarray(self._gram[np.ix_(rows, self._rows)] @ combinations)


def shares_of(positive: Mask, weights: Vector) -> tuple[Vector, Vector]:
    """Return the weights of the rare class and of the others, each with the sum one."""
    rare, base = np.where(positive, weights, 0.0), np.where(positive, 0.0, weights)
    return rare / rare.sum(), base / base.sum()
