"""Rows as the learners see them: numbers first, then one block of indicators per categorical variable."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Which columns of an encoded matrix are numbers, and how many levels each categorical variable has."""

    n_numeric: int
    n_levels: tuple[int, ...]

    @property
    def blocks(self) -> list[slice]:
        """The columns of each categorical variable."""
        ends = self.n_numeric + np.cumsum([0, *self.n_levels])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]


class Encoder:
    """Learns the levels from the fit rows alone; a level not seen there sets no indicator."""

    def __init__(self, numeric: tuple[str, ...], categorical: tuple[str, ...]) -> None:
        self._numeric, self._categorical = list(numeric), list(categorical)
        self._one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)

    def fit(self, X: pd.DataFrame) -> Encoder:
        n_levels: tuple[int, ...] = ()
        if self._categorical:
            self._one_hot.fit(X[self._categorical])
            n_levels = tuple(len(levels) for levels in self._one_hot.categories_)
        self.layout = Layout(len(self._numeric), n_levels)
        return self

    def transform(self, X: pd.DataFrame) -> Matrix:
        numbers = X[self._numeric].to_numpy(dtype=np.float64)
        if not self._categorical:
            return np.ascontiguousarray(numbers)
        return np.hstack([numbers, self._one_hot.transform(X[self._categorical])])
