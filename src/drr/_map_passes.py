"""What a feature map learns, from two passes over raw rows instead of one table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.base import clone

from drr._categorical import find_categorical
from drr._columns import Columns, read_columns
from drr._embedding import (
    Standardisation,
    distance_rows,
    finish_moments,
    finish_standardisation,
    standardised,
)
from drr._raw_rows import raw_rows


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
    count: NDArray[np.int64]
    """of observed values in each numeric column"""
    mean: NDArray[np.float64]
    square: NDArray[np.float64]
    """Σ(x − mean)²"""
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
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
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        step = other.mean - self.mean
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
            count,
            self.mean + share * step,
            self.square + other.square + step**2 * self.count * share,
            np.fmin(self.lowest, other.lowest),
            np.fmax(self.highest, other.highest),
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
        count, mean, square, lowest, highest = _block_moments(rows, numeric, impute)
        return RawSurvey(
            names,
            rows.labels,
            is_categorical,
            _declared_categories(block, is_categorical),
            number,
            {number: n_rows},
            {j: _count_levels(*rows.factorize(j)) for j in np.flatnonzero(is_categorical).tolist()},
            count,
            mean,
            square,
            lowest,
            highest,
            {} if y is None else _count_labels(y),
        )


@dataclass(frozen=True, eq=False)
class NormAnswer:
    """The largest norm of standardised rows, and those rows that distances are taken between."""

    largest: float
    sample: NDArray[np.float64]

    def merge(self, other: NormAnswer) -> NormAnswer:
        return NormAnswer(max(self.largest, other.largest), np.concatenate([self.sample, other.sample]))


@dataclass(frozen=True, eq=False)
class MeasureNorms:
    """The second pass over raw rows."""

    feature_map: Any
    numeric: list[int]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    indicated: NDArray[np.int32]
    sampled: dict[int, NDArray[np.int64]]
    """by block, the rows that distances are taken between"""

    def __call__(self, block: Any, number: int, y: Any = None, weights: Any = None) -> NormAnswer:
        if not block.shape[0]:
            return NormAnswer(0.0, np.zeros((0, len(self.mean))))
        probe = clone(self.feature_map)
        rows = read_columns(probe, block, reset=True)
        chosen = self.sampled.get(number, np.zeros(0, dtype=np.int64))
        largest, sample = 0.0, []
        for begin, end, part in rows.numeric_blocks(self.numeric, allow_nan=probe.missing == "impute"):
            z = standardised(_dense(part), self.mean, self.scale, self.indicated)
            largest = max(largest, float(np.sqrt(np.einsum("ij,ij->i", z, z).max())))
            sample.append(z[chosen[(chosen >= begin) & (chosen < end)] - begin])
        return NormAnswer(largest, np.concatenate(sample))


class PassColumns(Columns):
    """The columns of rows that are read in passes, as far as `RakingFeatureMap.fit` asks for them."""

    def __init__(self, estimator: Any, X: Any, *, rows: Any = None) -> None:
        self._rows = raw_rows(X) if rows is None else rows
        self._map = clone(estimator)
        self.survey: RawSurvey = self._rows.run(SurveyRaw(self._map))
        if not self.survey.n_rows:
            raise ValueError("there are no rows: every block is empty")
        super().__init__(self.survey.n_rows, self.survey.labels)
        estimator.n_features_in_ = len(self.labels)
        if self.survey.names is not None:
            estimator.feature_names_in_ = np.asarray(self.survey.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_

    def is_categorical(self, position: int) -> bool:
        return bool(self.survey.is_categorical[position])

    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        """A code per row in the order of the levels, not of the rows: their frequencies are all that is learned."""
        levels = self.survey.levels[position]
        joined = self._map.min_frequency is not None or self._map.max_categories is not None
        counts = list(levels.counts.values()) if joined else [1] * len(levels.counts)
        n_missing = levels.n_missing if joined else min(1, levels.n_missing)
        codes = np.repeat(np.arange(-1, len(counts)), [n_missing, *counts])
        return codes.astype(np.intp), list(levels.counts)

    def standardise(self, numeric: Sequence[int], *, impute: bool) -> Standardisation:
        """The standardisation of the numeric columns, by one more pass."""
        survey = self.survey
        if not numeric:
            return finish_standardisation(np.zeros(0), np.zeros(0), np.zeros(0, np.int32), 1.0, np.zeros(0))
        n_missing = survey.n_rows - survey.count
        moments = finish_moments(
            survey.mean,
            *_scale_of(survey),
            n_missing,
            survey.lowest,
            survey.highest,
            survey.n_rows,
            [self.labels[j] for j in numeric],
        )
        answer: NormAnswer = self._rows.run(
            MeasureNorms(
                self._map, list(numeric), *moments, _by_block(distance_rows(survey.n_rows), survey.lengths)
            )
        )
        distances = pdist(answer.sample, "sqeuclidean")
        return finish_standardisation(*moments, answer.largest, distances)

    def _numeric_rows(self, positions: list[int], begin: int, end: int) -> Any:
        raise NotImplementedError


def _scale_of(survey: RawSurvey) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(scale, deviation): the scale is one where scikit-learn's StandardScaler takes a column for constant."""
    n, mean = survey.n_rows, survey.mean
    variance = survey.square / np.maximum(survey.count, 1)
    deviation = np.sqrt(variance)
    eps = np.finfo(np.float64).eps
    is_constant = variance <= n * eps * variance + (n * mean * eps) ** 2
    return np.where(is_constant, 1.0, deviation), deviation


def _block_moments(rows: Columns, numeric: list[int], impute: bool) -> tuple[NDArray[Any], ...]:
    """(count, mean, square, lowest, highest) of numeric columns."""
    n = len(numeric)
    total = RawMoments(
        np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n), np.full(n, np.nan), np.full(n, np.nan)
    )
    if n:
        with np.errstate(over="ignore", invalid="ignore"):
            for _, _, block in rows.numeric_blocks(numeric, allow_nan=impute):
                total = total.with_block(_dense(block))
    return total.count, total.mean, total.square, total.lowest, total.highest


@dataclass(frozen=True, eq=False)
class RawMoments:
    """Moments of columns that grow by blocks."""

    count: NDArray[np.int64]
    mean: NDArray[np.float64]
    square: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    def with_block(self, values: NDArray[np.float64]) -> RawMoments:
        observed = ~np.isnan(values)
        count = observed.sum(axis=0)
        mean = np.where(observed, values, 0.0).sum(axis=0) / np.maximum(count, 1)
        deviation = np.where(observed, values - mean, 0.0)
        # The mean's rounding error is put right by the mean of the deviations.
        mean = mean + deviation.sum(axis=0) / np.maximum(count, 1)
        square = (np.where(observed, values - mean, 0.0) ** 2).sum(axis=0)
        all_count = self.count + count
        share = count / np.maximum(all_count, 1)
        step = mean - self.mean
        return RawMoments(
            all_count,
            self.mean + share * step,
            self.square + square + step**2 * self.count * share,
            np.fmin(self.lowest, np.fmin.reduce(values, axis=0)),
            np.fmax(self.highest, np.fmax.reduce(values, axis=0)),
        )


def _by_block(rows: NDArray[np.intp], lengths: dict[int, int]) -> dict[int, NDArray[np.int64]]:
    numbers = sorted(lengths)
    ends = np.cumsum([lengths[number] for number in numbers])
    owner = np.searchsorted(ends, rows, side="right")
    return {
        number: np.sort(rows[owner == k] - (ends[k] - lengths[number])).astype(np.int64)
        for k, number in enumerate(numbers)
        if (owner == k).any()
    }


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
    nothing = np.zeros(0)
    empty = np.zeros(n_columns, dtype=bool)
    labels = [str(j) for j in range(n_columns)]
    no_count = np.zeros(0, dtype=np.int64)
    return RawSurvey(
        None, labels, empty, {}, number, {number: 0}, {}, no_count, nothing, nothing, nothing, nothing, {}
    )


def _with_lengths(survey: RawSurvey, other: RawSurvey) -> RawSurvey:
    return RawSurvey(**(vars(survey) | {"lengths": survey.lengths | other.lengths}))


def _dense(block: Any) -> NDArray[np.float64]:
    return np.asarray(block.toarray() if scipy.sparse.issparse(block) else block, dtype=np.float64)


def _listed(categories: list[Any]) -> str:
    shown = ", ".join(repr(each) for each in categories[:5])
    return shown if len(categories) <= 5 else f"{shown}, …"
