"""TableEncoder: the columns of any table as one matrix of numbers, for classifiers that take nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from drr.features.columns import TableColumns, read_columns
from drr.features.levels import find_categorical, learn_levels

# Levels of one variable with a column of their own; the rarer ones share one.
_MAX_LEVELS = 100


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers as they are, missing ones included, and a column of 0 and 1 per level of each category.

    Columns are categorical by the same rules as in `RakingFeatureMap`. Missing values are a level of their own; a level
    not seen at fit sets no column.
    """

    def fit(self, X: Any, y: object = None) -> TableEncoder:
        """Learn which columns are categorical, and their levels."""
        rows = read_columns(self, X, reset=True)
        is_categorical = find_categorical(rows, "from_dtype", [])
        self.categorical_ = np.flatnonzero(is_categorical).tolist()
        self.numeric_ = np.flatnonzero(~is_categorical).tolist()
        self.levels_ = [
            learn_levels(*rows.factorize(j), min_frequency=None, max_categories=_MAX_LEVELS)
            for j in self.categorical_
        ]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the matrix: numbers first, then the levels."""
        check_is_fitted(self)
        rows = read_columns(self, X, reset=False)
        parts = [_numbers(rows, self.numeric_)]
        for j, levels in zip(self.categorical_, self.levels_, strict=True):
            codes = levels.encode(*rows.factorize(j))
            parts.append((codes[:, None] == np.arange(levels.n_columns)).astype(np.float64))
        return np.concatenate(parts, axis=1)


def categorical_names(X: Any) -> list[Any]:
    """Return the names of the columns of a data frame that hold no numbers; none for another table."""
    if not hasattr(X, "columns"):
        return []
    rows = read_columns(TableEncoder(), X, reset=True)
    return [name for j, name in enumerate(X.columns) if rows.is_categorical(j)]


def _numbers(rows: TableColumns, positions: list[int]) -> NDArray[np.float64]:
    values = np.empty((rows.n_rows, len(positions)))
    if positions:
        for begin, end, block in rows.numeric_blocks(positions, allow_nan=True):
            values[begin:end] = block
    return values
