"""The first pass over raw rows: names, kinds, levels and moments of their columns, and how often each label occurs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from drr._checks.messages import listed
from drr.features.columns import TableColumns, read_columns
from drr.features.levels import find_categorical
from drr.features.scaling import as_dense
from drr.streaming.block import Block
from drr.streaming.queries.query import Query


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """How often each level of a categorical column occurs."""

    counts: dict[Any, int]
    n_missing: int

    def merge(self, other: LevelCounts) -> LevelCounts:
        """Return the answer of the rows of both."""
        return LevelCounts(_added(self.counts, other.counts), self.n_missing + other.n_missing)


@dataclass(frozen=True, eq=False)
class ColumnMoments:
    """Moments of the observed values of columns."""

    count: NDArray[np.int64]
    mean: NDArray[np.float64]
    square: NDArray[np.float64]
    """Σ(x − mean)²"""
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> ColumnMoments:
        """Measure rows."""
        observed = ~np.isnan(values)
        count = observed.sum(axis=0)
        mean = np.where(observed, values, 0.0).sum(axis=0) / np.maximum(count, 1)
        deviation = np.where(observed, values - mean, 0.0)
        # The mean of the deviations corrects the rounding error of the mean.
        mean = mean + deviation.sum(axis=0) / np.maximum(count, 1)
        square = (np.where(observed, values - mean, 0.0) ** 2).sum(axis=0)
        return cls(count, mean, square, np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0))

    @classmethod
    def of_nothing(cls, n_columns: int) -> ColumnMoments:
        """Return the moments of no rows."""
        zero, unknown = np.zeros(n_columns), np.full(n_columns, np.nan)
        return cls(np.zeros(n_columns, dtype=np.int64), zero, zero, unknown, unknown)

    def merge(self, other: ColumnMoments) -> ColumnMoments:
        """Return the answer of the rows of both."""
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        step = other.mean - self.mean
        return ColumnMoments(
            count,
            self.mean + share * step,
            self.square + other.square + step**2 * self.count * share,
            np.fmin(self.lowest, other.lowest),
            np.fmax(self.highest, other.highest),
        )


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """Names, kinds, levels and moments of the columns of raw rows, and how often each label occurs."""

    names: list[str] | None
    labels: list[str]
    is_categorical: NDArray[np.bool_]
    declared: dict[int, list[Any]]
    """the categories that a column's dtype declares"""
    number: int
    """of the first block that had rows"""
    lengths: dict[int, int]
    levels: dict[int, LevelCounts]
    moments: ColumnMoments
    """of the numeric columns"""
    label_counts: dict[Any, int]

    @property
    def n_rows(self) -> int:
        return sum(self.lengths.values())

    def merge(self, other: ColumnSummary) -> ColumnSummary:
        """Return the answer of the rows of both."""
        if not other.n_rows:
            return _with_lengths(self, other)
        if not self.n_rows:
            return _with_lengths(other, self)
        self._check_same_columns(other)
        return ColumnSummary(
            self.names,
            self.labels,
            self.is_categorical,
            self.declared,
            self.number,
            self.lengths | other.lengths,
            {j: self.levels[j].merge(other.levels[j]) for j in self.levels},
            self.moments.merge(other.moments),
            _added(self.label_counts, other.label_counts),
        )

    def _check_same_columns(self, other: ColumnSummary) -> None:
        blocks = f"blocks {self.number} and {other.number}"
        if len(self.labels) != len(other.labels):
            raise ValueError(
                f"{blocks} have {len(self.labels)} and {len(other.labels)} columns; all blocks must have the same"
            )
        if self.names != other.names:
            raise ValueError(
                f"{blocks} have the columns {self.names} and {other.names}; all blocks must have the same"
            )
        differing = np.flatnonzero(self.is_categorical != other.is_categorical)
        if len(differing):
            raise ValueError(
                f"column {self.labels[differing[0]]} is categorical in one of {blocks} and numeric in the other; give "
                "it the same dtype everywhere, or list it in categorical_features"
            )
        for j, categories in self.declared.items():
            if other.declared.get(j, categories) != categories:
                raise ValueError(
                    f"the categories of column {self.labels[j]} differ between {blocks}: {listed(categories)} and "
                    f"{listed(other.declared[j])}; make them known everywhere, for example with "
                    "ddf.categorize() in Dask or set_categories in pandas"
                )


@dataclass(frozen=True, eq=False)
class SummariseColumns(Query):
    """Ask what a feature map needs to know of its columns, and which labels there are."""

    feature_map: Any

    def answer(self, block: Block) -> ColumnSummary:
        if not len(block):
            return _no_rows(int(block.rows.shape[1]), block.number)
        probe = clone(self.feature_map)
        rows = read_columns(probe, block.rows, reset=True)
        names = (
            [str(name) for name in probe.feature_names_in_] if hasattr(probe, "feature_names_in_") else None
        )
        is_categorical = find_categorical(rows, probe.categorical_features, names or [])
        impute = probe.missing == "impute"
        numeric = np.flatnonzero(~is_categorical).tolist()
        return ColumnSummary(
            names,
            rows.labels,
            is_categorical,
            _declared_categories(block.rows, is_categorical),
            block.number,
            {block.number: len(block)},
            {j: _count_levels(*rows.factorize(j)) for j in np.flatnonzero(is_categorical).tolist()},
            _block_moments(rows, numeric, impute),
            {} if block.y is None else _count_labels(block.y),
        )


def _added(one: dict[Any, int], other: dict[Any, int]) -> dict[Any, int]:
    """Return the counts of both, in the order in which they were first seen."""
    return one | {key: one.get(key, 0) + count for key, count in other.items()}


def _block_moments(rows: TableColumns, numeric: list[int], impute: bool) -> ColumnMoments:
    moments = ColumnMoments.of_nothing(len(numeric))
    if numeric:
        with np.errstate(over="ignore", invalid="ignore"):
            for _, _, block in rows.numeric_blocks(numeric, allow_nan=impute):
                moments = moments.merge(ColumnMoments.of(as_dense(block)))
    return moments


def _count_levels(codes: NDArray[np.intp], levels: list[Any]) -> LevelCounts:
    counts = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
    return LevelCounts(dict(zip(levels, counts, strict=True)), int((codes < 0).sum()))


def _count_labels(y: Any) -> dict[Any, int]:
    labels, counts = np.unique(np.asarray(y), return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def _declared_categories(rows: Any, is_categorical: NDArray[np.bool_]) -> dict[int, list[Any]]:
    if not hasattr(rows, "iloc"):
        return {}
    kinds = [rows.dtypes.iloc[j] for j in range(rows.shape[1])]
    return {
        j: list(kind.categories)
        for j, kind in enumerate(kinds)
        if is_categorical[j] and getattr(kind, "name", "") == "category"
    }


def _no_rows(n_columns: int, number: int) -> ColumnSummary:
    labels = [str(j) for j in range(n_columns)]
    numeric = np.zeros(n_columns, dtype=bool)
    return ColumnSummary(None, labels, numeric, {}, number, {number: 0}, {}, ColumnMoments.of_nothing(0), {})


def _with_lengths(survey: ColumnSummary, other: ColumnSummary) -> ColumnSummary:
    return ColumnSummary(**(vars(survey) | {"lengths": survey.lengths | other.lengths}))
