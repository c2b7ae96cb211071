"""The first pass over raw rows: names, kinds, levels and moments of their columns, and which classes there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from drr.features.columns import TableColumns, read_columns
from drr.features.levels import find_categorical
from drr.features.scaling import as_dense


@dataclass(frozen=True, eq=False)
class Levels:
    """How often each level of a categorical column occurs."""

    counts: dict[Any, int]
    n_missing: int

    def merge(self, other: Levels) -> Levels:
        counts = dict(self.counts)
        for level, count in other.counts.items():
            counts[level] = counts.get(level, 0) + count
        return Levels(counts, self.n_missing + other.n_missing)


@dataclass(frozen=True, eq=False)
class RawMoments:
    """Moments of the observed values of columns."""

    count: NDArray[np.int64]
    mean: NDArray[np.float64]
    square: NDArray[np.float64]
    """Σ(x − mean)²"""
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> RawMoments:
        """Those of rows."""
        observed = ~np.isnan(values)
        count = observed.sum(axis=0)
        mean = np.where(observed, values, 0.0).sum(axis=0) / np.maximum(count, 1)
        deviation = np.where(observed, values - mean, 0.0)
        # The mean's rounding error is put right by the mean of the deviations.
        mean = mean + deviation.sum(axis=0) / np.maximum(count, 1)
        square = (np.where(observed, values - mean, 0.0) ** 2).sum(axis=0)
        return cls(count, mean, square, np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0))

    @classmethod
    def of_nothing(cls, n_columns: int) -> RawMoments:
        """Those of no rows."""
        zero, unknown = np.zeros(n_columns), np.full(n_columns, np.nan)
        return cls(np.zeros(n_columns, dtype=np.int64), zero, zero, unknown, unknown)

    def merge(self, other: RawMoments) -> RawMoments:
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        step = other.mean - self.mean
        return RawMoments(
            count,
            self.mean + share * step,
            self.square + other.square + step**2 * self.count * share,
            np.fmin(self.lowest, other.lowest),
            np.fmax(self.highest, other.highest),
        )


@dataclass(frozen=True, eq=False)
class RawSurvey:
    """Names, kinds, levels and moments of the columns of raw rows; labels and weights where there are any."""

    names: list[str] | None
    labels: list[str]
    is_categorical: NDArray[np.bool_]
    declared: dict[int, list[Any]]
    """the categories that a column's dtype declares"""
    number: int
    """of the first block that had rows"""
    lengths: dict[int, int]
    levels: dict[int, Levels]
    moments: RawMoments
    """of the numeric columns"""
    classes: dict[Any, int]

    @property
    def n_rows(self) -> int:
        return sum(self.lengths.values())

    def merge(self, other: RawSurvey) -> RawSurvey:
        if not other.n_rows:
            return _with_lengths(self, other)
        if not self.n_rows:
            return _with_lengths(other, self)
        self._refuse_differences(other)
        classes = dict(self.classes)
        for label, number in other.classes.items():
            classes[label] = classes.get(label, 0) + number
        return RawSurvey(
            self.names,
            self.labels,
            self.is_categorical,
            self.declared,
            self.number,
            self.lengths | other.lengths,
            {j: self.levels[j].merge(other.levels[j]) for j in self.levels},
            self.moments.merge(other.moments),
            classes,
        )

    def _refuse_differences(self, other: RawSurvey) -> None:
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
                    f"the categories of column {self.labels[j]} differ between {blocks}: {_listed(categories)} and "
                    f"{_listed(other.declared[j])}; make them known everywhere, for example with "
                    "ddf.categorize() in Dask or set_categories in pandas"
                )


@dataclass(frozen=True, eq=False)
class SurveyRaw:
    """The first pass over raw rows."""

    feature_map: Any

    def __call__(self, block: Any, number: int, y: Any = None, weights: Any = None) -> RawSurvey:
        n_rows = int(block.shape[0])
        if y is not None and len(y) != n_rows:
            raise ValueError(f"block {number} has {n_rows} rows, but {len(y)} labels")
        if not n_rows:
            return _no_rows(int(block.shape[1]), number)
        probe = clone(self.feature_map)
        rows = read_columns(probe, block, reset=True)
        names = (
            [str(name) for name in probe.feature_names_in_] if hasattr(probe, "feature_names_in_") else None
        )
        is_categorical = find_categorical(rows, probe.categorical_features, names or [])
        impute = probe.missing == "impute"
        numeric = np.flatnonzero(~is_categorical).tolist()
        return RawSurvey(
            names,
            rows.labels,
            is_categorical,
            _declared_categories(block, is_categorical),
            number,
            {number: n_rows},
            {j: _count_levels(*rows.factorize(j)) for j in np.flatnonzero(is_categorical).tolist()},
            _block_moments(rows, numeric, impute),
            {} if y is None else _count_labels(y),
        )


def _block_moments(rows: TableColumns, numeric: list[int], impute: bool) -> RawMoments:
    moments = RawMoments.of_nothing(len(numeric))
    if numeric:
        with np.errstate(over="ignore", invalid="ignore"):
            for _, _, block in rows.numeric_blocks(numeric, allow_nan=impute):
                moments = moments.merge(RawMoments.of(as_dense(block)))
    return moments


def _count_levels(codes: NDArray[np.intp], levels: list[Any]) -> Levels:
    counts = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
    return Levels(dict(zip(levels, counts, strict=True)), int((codes < 0).sum()))


def _count_labels(y: Any) -> dict[Any, int]:
    labels, counts = np.unique(np.asarray(y), return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def _declared_categories(block: Any, is_categorical: NDArray[np.bool_]) -> dict[int, list[Any]]:
    if not hasattr(block, "iloc"):
        return {}
    kinds = [block.dtypes.iloc[j] for j in range(block.shape[1])]
    return {
        j: list(kind.categories)
        for j, kind in enumerate(kinds)
        if is_categorical[j] and getattr(kind, "name", "") == "category"
    }


def _no_rows(n_columns: int, number: int) -> RawSurvey:
    labels = [str(j) for j in range(n_columns)]
    numeric = np.zeros(n_columns, dtype=bool)
    return RawSurvey(None, labels, numeric, {}, number, {number: 0}, {}, RawMoments.of_nothing(0), {})


def _with_lengths(survey: RawSurvey, other: RawSurvey) -> RawSurvey:
    return RawSurvey(**(vars(survey) | {"lengths": survey.lengths | other.lengths}))


def _listed(categories: list[Any]) -> str:
    shown = ", ".join(repr(each) for each in categories[:5])
    return shown if len(categories) <= 5 else f"{shown}, …"
