"""What a feature map learns, from two passes over raw rows instead of one table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from drr.features.columns import Columns
from drr.features.scaling import ColumnScaling, distance_rows, finish_moments, finish_scaling
from drr.streaming.dataset import Dataset
from drr.streaming.queries.column_summary import ColumnSummary, SummariseColumns
from drr.streaming.queries.norms import MeasureNorms, RowNorms


class PassColumns(Columns):
    """The columns of rows that are read in passes, as far as `RakingFeatureMap.fit` asks for them."""

    def __init__(self, estimator: Any, dataset: Dataset) -> None:
        self._dataset = dataset
        self._map = clone(estimator)
        self.summary: ColumnSummary = dataset.run_pass(SummariseColumns(self._map))
        if not self.summary.n_rows:
            raise ValueError("there are no rows: every block is empty")
        super().__init__(self.summary.n_rows, self.summary.labels)
        estimator.n_features_in_ = len(self.labels)
        if self.summary.names is not None:
            estimator.feature_names_in_ = np.asarray(self.summary.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_

    def is_categorical(self, position: int) -> bool:
        return bool(self.summary.is_categorical[position])

    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        """Return a code per row in the order of the levels, not of the rows: only their frequencies are learned."""
        levels = self.summary.levels[position]
        joined = self._map.min_frequency is not None or self._map.max_categories is not None
        counts = list(levels.counts.values()) if joined else [1] * len(levels.counts)
        n_missing = levels.n_missing if joined else min(1, levels.n_missing)
        codes = np.repeat(np.arange(-1, len(counts)), [n_missing, *counts])
        return codes.astype(np.intp), list(levels.counts)

    def scaling(self, positions: Sequence[int], *, impute: bool, distances: bool) -> ColumnScaling:
        """Return means, scales, norms and distances, by one more pass."""
        summary = self.summary
        if not positions:
            return finish_scaling(np.zeros(0), np.zeros(0), np.zeros(0, np.int32), 1.0, None)
        found = summary.moments
        moments = finish_moments(
            found.count.astype(np.float64),
            found.mean,
            found.square,
            found.lowest,
            found.highest,
            summary.n_rows,
            [self.labels[j] for j in positions],
        )
        sampled = _by_block(distance_rows(summary.n_rows), summary.lengths) if distances else {}
        answer: RowNorms = self._dataset.run_pass(MeasureNorms(self._map, list(positions), *moments, sampled))
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
