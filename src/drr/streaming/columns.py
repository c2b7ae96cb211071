"""What a feature map learns, from two passes over raw rows instead of one table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from drr._native import core
from drr._native.threads import resolve_n_threads
from drr.features.columns import Columns, read_columns
from drr.features.scaling import (
    ColumnScaling,
    as_dense_rows,
    distance_rows,
    finish_moments,
    finish_scaling,
)
from drr.streaming.column_summary import RawSurvey, SurveyRaw
from drr.streaming.raw_rows import raw_rows


@dataclass(frozen=True, eq=False)
class NormAnswer:
    """The largest norm of standardised rows, and the raw rows that distances are taken between."""

    largest: float
    sample: NDArray[Any]

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
            return NormAnswer(0.0, np.zeros((0, len(self.numeric))))
        probe = clone(self.feature_map)
        rows = read_columns(probe, block, reset=True)
        chosen = self.sampled.get(number, np.zeros(0, dtype=np.int64))
        largest, sample = 0.0, []
        for begin, end, part in rows.numeric_blocks(self.numeric, allow_nan=probe.missing == "impute"):
            norm = core.largest_norm(
                part, self.mean, self.scale, self.indicated, n_threads=resolve_n_threads(None)
            )
            largest = max(largest, norm)
            sample.append(as_dense_rows(part[chosen[(chosen >= begin) & (chosen < end)] - begin]))
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

    def scaling(self, positions: Sequence[int], *, impute: bool, distances: bool) -> ColumnScaling:
        """Means, scales, norms and distances, by one more pass."""
        survey = self.survey
        if not positions:
            return finish_scaling(np.zeros(0), np.zeros(0), np.zeros(0, np.int32), 1.0, None)
        found = survey.moments
        moments = finish_moments(
            found.count.astype(np.float64),
            found.mean,
            found.square,
            found.lowest,
            found.highest,
            survey.n_rows,
            [self.labels[j] for j in positions],
        )
        sampled = _by_block(distance_rows(survey.n_rows), survey.lengths) if distances else {}
        answer: NormAnswer = self._rows.run(MeasureNorms(self._map, list(positions), *moments, sampled))
        return finish_scaling(*moments, answer.largest, answer.sample if distances else None)


def _by_block(rows: NDArray[np.intp], lengths: dict[int, int]) -> dict[int, NDArray[np.int64]]:
    numbers = sorted(lengths)
    ends = np.cumsum([lengths[number] for number in numbers])
    owner = np.searchsorted(ends, rows, side="right")
    return {
        number: np.sort(rows[owner == k] - (ends[k] - lengths[number])).astype(np.int64)
        for k, number in enumerate(numbers)
        if (owner == k).any()
    }
