"""A Dask collection as a table for estimators: labels are gathered, rows stay with the workers."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.rows import is_dask
from drr._checks.tables import take_rows
from drr.streaming.dask import (
    DaskDataset,
    delayed_parts,
    is_frame,
    keep_with_workers,
    n_columns_of,
    the_dask,
)
from drr.streaming.dataset import check_label_column
from drr.streaming.views import check_ascending


class DaskTable:
    """Some or all rows of a Dask collection, in their order; a source whose blocks the workers read."""

    dtype = None

    def __init__(
        self,
        parts: list[Any],
        lengths: list[int],
        columns: list[str] | int,
        selected: NDArray[np.intp] | None = None,
        *,
        meta: Any,
    ) -> None:
        self._parts, self._ends, self._columns = parts, np.cumsum(lengths), columns
        self._meta = meta  # no rows, but their types
        self._selected = selected
        self.column_names = None if isinstance(columns, int) else columns
        self.n_columns = columns if isinstance(columns, int) else len(columns)
        self.n_rows = int(self._ends[-1]) if selected is None else len(selected)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_columns

    def take(self, rows: NDArray[np.intp]) -> DaskTable:
        """Return those rows, which must be in ascending order."""
        rows = np.asarray(rows)
        check_ascending(rows)
        selected = rows if self._selected is None else self._selected[rows]
        lengths = np.diff(self._ends, prepend=0).tolist()
        chosen = None if len(rows) == self._ends[-1] else selected
        return DaskTable(self._parts, lengths, self._columns, chosen, meta=self._meta)

    def map(self, function: Callable[[Any], Any]) -> NDArray[Any]:
        """Return the results of ``function(rows)`` of every partition, computed there and put one after the other."""
        dask = the_dask()
        ask = dask.delayed(_unless_empty, pure=False)
        question = dask.delayed(function, pure=False, traverse=False)
        results = dask.compute(*[ask(question, part) for part in self._delayed_blocks()])
        return np.concatenate([each for each in results if each is not None])

    def as_collections(self, vectors: list[NDArray[Any]]) -> tuple[Any, list[Any]]:
        """Return the rows as one Dask frame or array, and each vector as a series or an array partitioned like it."""
        dask = the_dask()
        lengths = self._lengths()
        present = [number for number, length in enumerate(lengths) if length]
        blocks = [self._delayed_blocks()[number] for number in present]
        lengths = [lengths[number] for number in present]
        if self.column_names is None:
            arrays = importlib.import_module("dask.array")
            dtype = self._meta.dtype
            parts = [
                arrays.from_delayed(block, (length, self.n_columns), dtype=dtype)
                for block, length in zip(blocks, lengths, strict=True)
            ]
            return arrays.concatenate(parts), [
                arrays.from_array(each, chunks=(tuple(lengths),)) for each in vectors
            ]
        frames, pandas = importlib.import_module("dask.dataframe"), importlib.import_module("pandas")
        pair = dask.delayed(_series_like, pure=False)
        series = []
        for vector in vectors:
            values = keep_with_workers(np.split(vector, np.cumsum(lengths)[:-1]))
            parts = [pair(block, part) for block, part in zip(blocks, values, strict=True)]
            series.append(frames.from_delayed(parts, meta=pandas.Series(vector[:0]), verify_meta=False))
        return frames.from_delayed(blocks, meta=self._meta, verify_meta=False), series

    def blocks(self) -> Iterator[Any]:
        """Bring the partitions here, one at a time."""
        return (the_dask().compute(part)[0] for part in self._delayed_blocks())

    def as_dataset(self, y: Any, weights: Any, weights_name: str) -> DaskDataset:
        """Return the dataset that makes passes over these rows."""
        return _TableDataset(self, self._delayed_blocks(), self._lengths(), y, weights, weights_name)

    def _delayed_blocks(self) -> list[Any]:
        if self._selected is None:
            return self._parts
        take = the_dask().delayed(take_rows, pure=False)
        starts = np.concatenate([[0], self._ends[:-1]])
        bounds = self._bounds()
        chosen = [
            self._selected[begin:end] - start
            for start, (begin, end) in zip(starts, itertools.pairwise(bounds), strict=True)
        ]
        return [take(part, rows) for part, rows in zip(self._parts, keep_with_workers(chosen), strict=True)]

    def _lengths(self) -> list[int]:
        lengths: list[int] = np.diff(self._bounds()).tolist()
        return lengths

    def _bounds(self) -> NDArray[np.intp]:
        """Return where the rows of each partition begin among the selected ones, and where the last end."""
        ends = self._ends if self._selected is None else np.searchsorted(self._selected, self._ends)
        return np.concatenate([[0], ends])


class _TableDataset(DaskDataset):
    """Passes over the rows of a table, which also gathers what is computed row by row."""

    def __init__(
        self, table: DaskTable, blocks: list[Any], lengths: list[int], y: Any, weights: Any, weights_name: str
    ) -> None:
        super().__init__(
            blocks, y, weights, weights_name=weights_name, lengths=lengths, n_columns=table.n_columns
        )
        self._table = table

    def map(self, function: Callable[[Any], Any]) -> NDArray[np.float64]:
        return self._table.map(function)


def gather_labels(X: Any, y: Any, sample_weight: Any) -> tuple[DaskTable, Any, Any]:
    """Return a Dask collection as a table, with its labels and weights in memory; `y` may name a column."""
    label = y if isinstance(y, str) else None
    if label is not None:
        check_label_column(label, getattr(X, "columns", None), "the Dask frame")
    collections = {"y": y, "sample_weight": sample_weight}
    lazy = {name: vector for name, vector in collections.items() if is_dask(vector)}
    parts = delayed_parts(X, lazy)
    dask = the_dask()
    look, split = dask.delayed(_look, pure=False), dask.delayed(_rows_of, pure=False)
    looks = dask.compute(*[look(part, label) for part in parts])
    lengths = [n_rows for n_rows, _ in looks]
    gathered = [np.concatenate(each) for each in zip(*(vectors for _, vectors in looks), strict=True)]
    found = collections | dict(zip([*lazy, *([] if label is None else ["y"])], gathered, strict=True))
    columns: Any = n_columns_of(X)
    meta = np.zeros((0, columns), dtype=getattr(X, "dtype", np.float64))
    if is_frame(X):
        columns = [name for name in X.columns if name != label]
        meta = X._meta[columns]
    table = DaskTable([split(part, label) for part in parts], lengths, columns, meta=meta)
    return table, found["y"], found["sample_weight"]


def _look(part: tuple[Any, ...], label: str | None) -> tuple[int, list[NDArray[Any]]]:
    rows, *vectors = part
    if label is not None:
        vectors.append(rows[label])
    return int(rows.shape[0]), [np.asarray(each) for each in vectors]


def _rows_of(part: tuple[Any, ...], label: str | None) -> Any:
    return part[0] if label is None else part[0].drop(columns=[label])


def _series_like(rows: Any, values: NDArray[Any]) -> Any:
    return importlib.import_module("pandas").Series(values, index=rows.index)


def _unless_empty(function: Callable[[Any], Any], rows: Any) -> Any:
    return function(rows) if rows.shape[0] else None
