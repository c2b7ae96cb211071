"""Sources made of other sources: a table for estimators, of which rows can be selected, and rows in a feature map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from drr._checks.rows import is_dask
from drr._checks.tables import take_rows
from drr.streaming.block import Block, naming
from drr.streaming.block_reading import read_ahead
from drr.streaming.dataset import LocalDataset
from drr.streaming.sources import fingerprint_of, name_of_block, open_rows


class TableSource:
    """Some or all rows of a source, in their order."""

    def __init__(
        self, source: Any, selected: NDArray[np.intp] | None = None, n_source_rows: int | None = None
    ) -> None:
        self._source, self._selected = source, selected
        if n_source_rows is None:
            n_source_rows = source.n_rows
        if n_source_rows is None:
            n_source_rows = sum(block.shape[0] for block in read_ahead(source))
        self._n_source_rows = n_source_rows
        self.n_columns, self.dtype = source.n_columns, source.dtype
        self.n_rows = n_source_rows if selected is None else len(selected)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_columns

    def blocks(self) -> Iterator[Any]:
        begin = 0
        for block in self._source.blocks():
            end = begin + block.shape[0]
            if self._selected is None:
                yield block
            else:
                first, last = np.searchsorted(self._selected, [begin, end])
                rows = self._selected[first:last] - begin
                yield take_rows(block, rows)
            begin = end

    def take(self, rows: NDArray[np.intp]) -> TableSource:
        """Return those rows, which must be in ascending order."""
        rows = np.asarray(rows)
        if self._selected is not None:
            rows = self._selected[rows]
        check_ascending(rows)
        everything = len(rows) == self._n_source_rows
        return TableSource(self._source, None if everything else rows, self._n_source_rows)

    def map(self, function: Any) -> NDArray[Any]:
        """Return the results of ``function(rows)`` of every block, one after the other."""
        return LocalDataset(self).map(function)

    def name_of(self, block: int) -> str:
        used = "" if self._selected is None else " (counting only the rows in use)"
        return name_of_block(self._source, block) + used

    def fingerprint(self) -> str | None:
        return fingerprint_of(self._source, self._selected)


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
                    with naming(Block(block, number, begin), name_of_block(self._source, number)):
                        features = self._map.transform(block)
                begin += block.shape[0]
                yield features

    def name_of(self, block: int) -> str:
        return name_of_block(self._source, block)


def check_ascending(rows: NDArray[np.intp]) -> None:
    """Raise unless every row is named once, in order: blocks are read one after the other."""
    if (np.diff(rows) <= 0).any():
        raise ValueError("rows that are read in passes can only be taken once each, in their order")


def check_source(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return a source as a table, its width checked against the fit (or recorded, with `reset`)."""
    if hasattr(X, "run_pass"):
        raise TypeError("an object that runs its own passes has no rows to score; call drr.rake with it")
    is_table = isinstance(X, TableSource) or hasattr(X, "as_dataset")
    table = X if is_table else TableSource(open_rows(X))
    if reset:
        estimator.n_features_in_ = table.n_columns
        names = None if isinstance(table, TableSource) else table.column_names
        if names is not None:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif table.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_}"
        )
    return table
