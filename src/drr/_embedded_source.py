"""What `RakingFeatureMap.transform` makes of a source: a source of features, embedded as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import config_context

from drr.sources import is_dask, open_rows


class EmbeddedSource:
    """The rows of a source in a feature map, block by block; Φ is never stored."""

    def __init__(self, X: Any, feature_map: Any) -> None:
        if is_dask(X):
            raise TypeError(
                "transform does not take Dask collections; fit RakingDual on them, or map the partitions: "
                "ddf.map_partitions(feature_map.transform)"
            )
        self._source, self._map = open_rows(X), feature_map
        if self._source.n_columns != feature_map.n_features_in_:
            raise ValueError(
                f"the rows have {self._source.n_columns} columns, but the map was fitted on "
                f"{feature_map.n_features_in_}"
            )
        self.n_rows = self._source.n_rows
        self.n_columns = len(feature_map.get_feature_names_out())
        self.dtype = np.dtype(feature_map.dtype)

    def blocks(self) -> Iterator[Any]:
        with config_context(transform_output="default"):
            for block in self._source.blocks():
                if block.shape[0]:
                    yield self._map.transform(block)

    def name_of(self, block: int) -> str:
        return str(self._source.name_of(block)) if hasattr(self._source, "name_of") else ""
