"""What `RakingFeatureMap.transform` makes of a source: a source of features, embedded as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import config_context

from drr._checks.rows import is_dask
from drr.streaming.runner import name_of_block, named_block
from drr.streaming.sources import open_rows


class EmbeddedSource:
    """The rows of a source in a feature map, block by block; Φ is never stored."""

    def __init__(self, X: Any, feature_map: Any) -> None:
        if is_dask(X):
            raise TypeError(
                "transform does not take Dask collections; fit RakingDual on them, or map the partitions: "
                "X.map_partitions(feature_map.transform) of a frame, X.map_blocks(feature_map.transform, "
                "dtype=feature_map.dtype, chunks=(X.chunks[0], len(feature_map.get_feature_names_out()))) of an array"
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
            begin = 0
            for number, block in enumerate(self._source.blocks()):
                features = np.empty((0, self.n_columns), self.dtype)
                if block.shape[0]:  # an empty block is one all the same: messages count them
                    with named_block(self._source, number, begin):
                        features = self._map.transform(block)
                begin += block.shape[0]
                yield features

    def name_of(self, block: int) -> str:
        return name_of_block(self._source, block)
