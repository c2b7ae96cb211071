"""The default base for tables with categories: a random forest that encodes them by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier

from drr.features.table_encoder import TableEncoder


class TableForest(RandomForestClassifier):  # type: ignore[misc]
    """A random forest on data frames: a column of 0 and 1 per level, numbers and missing numbers as they are."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> TableForest:
        """Encode the table and fit the trees."""
        self.encoder_ = TableEncoder().fit(X)
        super().fit(self.encoder_.transform(X), y, sample_weight)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return one column of probabilities per class."""
        return np.asarray(super().predict_proba(self.encoder_.transform(X)))
