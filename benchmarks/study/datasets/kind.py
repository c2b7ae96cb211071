"""What a data set is, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.study.datasets.catalogue import Counts


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with a rare class 1; categorical columns hold text, the others numbers."""

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]
    categorical: tuple[str, ...] = ()
    groups: NDArray[np.str_] | None = None
    """Rows of one group (a patient) never lie on two sides of a split"""
    sha256: str = ""
    """Of the file it was read from"""

    def __post_init__(self) -> None:
        if set(np.unique(self.y)) != {0, 1}:
            raise ValueError(f"{self.name}: labels must be 0 and 1, both present, got {np.unique(self.y)}")
        unknown = set(self.categorical) - set(self.X.columns)
        if unknown:
            raise ValueError(f"{self.name}: no such columns: {sorted(unknown)}")

    @property
    def numeric(self) -> tuple[str, ...]:
        return tuple(name for name in self.X.columns if name not in set(self.categorical))

    @property
    def counts(self) -> Counts:
        return Counts(len(self.y), len(self.numeric), len(self.categorical), int(self.y.sum()))
