"""A source as a table for estimators: a shape, a selection of rows, and scores block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.streaming.block_reading import read_ahead
from drr.streaming.runner import fingerprint_of, name_of_block, named_block
from drr.streaming.sources import open_rows


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
                yield block.iloc[rows] if hasattr(block, "iloc") else block[rows]
            begin = end

    def take(self, rows: NDArray[np.intp]) -> TableSource:
        """Those rows, which must be in ascending order."""
        rows = np.asarray(rows)
        if self._selected is not None:
            rows = self._selected[rows]
        steps = np.diff(rows)
        if (steps < 0).any():
            raise ValueError("rows of a source can only be taken in their order")
        everything = len(rows) == self._n_source_rows and bool((steps == 1).all())
        return TableSource(self._source, None if everything else rows, self._n_source_rows)

    def map(self, function: Any) -> NDArray[Any]:
        """The results of ``function(block)``, one after the other."""
        results: list[NDArray[Any]] = []
        begin = 0
        counted = "from its beginning" if self._selected is None else "among those of the block that are used"
        for number, block in enumerate(read_ahead(self)):
            if block.shape[0]:
                with named_block(self._source, number, begin, counted):
                    results.append(function(block))
            begin += block.shape[0]
        return np.concatenate(results)

    def name_of(self, block: int) -> str:
        return name_of_block(self._source, block)

    def fingerprint(self) -> str | None:
        return fingerprint_of(self._source, self._selected)


def check_source(estimator: Any, X: Any, *, reset: bool) -> TableSource:
    """A source as a table, its width checked against the fit (or recorded, with `reset`)."""
    if hasattr(X, "run_pass"):
        raise TypeError("an object that runs its own passes has no rows to score; call drr.rake with it")
    table = X if isinstance(X, TableSource) else TableSource(open_rows(X))
    if reset:
        estimator.n_features_in_ = table.n_columns
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif table.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_}"
        )
    return table
