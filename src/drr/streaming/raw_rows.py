"""Raw rows with their labels and weights, read in passes: in this process or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.rows import is_dask
from drr.exceptions import NonfiniteRowError
from drr.streaming.block_reading import read_ahead
from drr.streaming.dask import dask_columns, delayed_parts, known_rows, map_merge
from drr.streaming.passes import Merging
from drr.streaming.runner import fingerprint_of, named_block
from drr.streaming.sources import open_rows

Part = tuple[Any, int, Any, Any]  # rows, number of the block, labels, weights


class LocalRows:
    """Blocks of a source, each with its part of the labels and of the weights."""

    def __init__(self, X: Any, y: Any = None, weights: Any = None) -> None:
        self.source = open_rows(X)
        if isinstance(y, str):
            self.source, y = _split_column(self.source, y)
        self.n_columns, self.n_rows = self.source.n_columns, self.source.n_rows
        self._y = None if y is None else _as_vector(y, "y")
        self._weights = None if weights is None else _as_vector(weights, "sample_weight")

    def run(self, function: Any) -> Any:
        """The merged answers of ``function(rows, number, labels, weights)``."""
        merging = Merging()
        for block, number, y, weights, begin in self._parts():
            with named_block(self.source, number, begin):
                answer = function(block, number, y, weights)
            merging.add(answer)
        return merging.whole()

    def map(self, function: Any) -> NDArray[np.float64]:
        """The results of ``function(rows)``, one after the other."""
        results = []
        for block, number, _, _, begin in self._parts():
            if block.shape[0]:
                with named_block(self.source, number, begin):
                    results.append(function(block))
        return np.concatenate(results)

    def _parts(self) -> Iterator[tuple[Any, int, Any, Any, int]]:
        begin = 0
        for number, block in enumerate(read_ahead(self.source)):
            end = begin + block.shape[0]
            yield (
                block,
                number,
                _slice(self._y, begin, end, "y"),
                _slice(self._weights, begin, end, "sample_weight"),
                begin,
            )
            begin = end
        for name, vector in (("y", self._y), ("sample_weight", self._weights)):
            if vector is not None and len(vector) != begin:
                raise ValueError(f"{name} has {len(vector)} entries, but there are {begin} rows")

    def fingerprint(self) -> str | None:
        """Identifies the rows without reading them all; None where the source cannot."""
        return fingerprint_of(self.source, self._y, self._weights)


class DaskRows:
    """Partitions of a Dask collection, each with its part of the labels and of the weights."""

    def __init__(self, X: Any, y: Any = None, weights: Any = None) -> None:
        self._label = y if isinstance(y, str) else None
        if self._label is not None:
            _check_label_column(self._label, getattr(X, "columns", None), "the Dask frame")
            y = None
        self.n_columns, self.n_rows = dask_columns(X) - (self._label is not None), known_rows(X)
        self._X = X
        self._parts = delayed_parts(X, {"y": y, "sample_weight": weights})

    def run(self, function: Any) -> Any:
        """The merged answers of ``function(rows, number, labels, weights)``, merged on the workers."""
        return map_merge(partial(_in_partition, function, self._label), self._parts)

    def map(self, function: Any) -> Any:
        """The results of ``function(rows)`` as a Dask collection of the same partitions, not computed yet."""
        function = partial(_unless_empty, function)
        if hasattr(self._X, "map_blocks"):
            return self._X.rechunk({1: -1}).map_blocks(function, dtype=np.float64, drop_axis=1)
        if hasattr(self._X, "map_partitions"):
            return self._X.map_partitions(_as_series(function), meta=(None, np.float64))
        import dask

        return [dask.delayed(function)(part) for part in self._X]  # type: ignore[attr-defined]


def raw_rows(X: Any, y: Any = None, weights: Any = None) -> LocalRows | DaskRows:
    """Rows to be read in passes, with labels and weights where given."""
    return DaskRows(X, y, weights) if is_dask(X) else LocalRows(X, y, weights)


def _in_partition(function: Any, label: str | None, part: Any, number: int) -> Any:
    """What `function` makes of a partition; errors that do not name it are told its number."""
    block, y, weights = part
    if label is not None:
        block, y = block.drop(columns=[label]), block[label]
    try:
        return function(block, number, y, weights)
    except NonfiniteRowError:
        raise
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{error} (in partition {number}; rows are counted from its beginning)") from error


def _unless_empty(function: Any, block: Any) -> NDArray[np.float64]:
    return np.asarray(function(block)) if block.shape[0] else np.zeros(0)


def _as_series(function: Any) -> Any:
    def score(frame: Any) -> Any:
        import pandas

        return pandas.Series(function(frame), index=frame.index)

    return score


def _split_column(source: Any, name: str) -> tuple[Any, NDArray[Any]]:
    """The source without a column, and that column in memory."""
    _check_label_column(name, getattr(source, "column_names", None), getattr(source, "path", "the source"))
    return source.select([each for each in source.column_names if each != name]), source.read_column(name)


def _check_label_column(name: str, columns: Any, where: Any) -> None:
    if columns is None:
        raise TypeError(
            f"y={name!r} names a column, but the rows have no column names; pass the labels themselves"
        )
    if name not in columns:
        raise ValueError(f"y={name!r} is not a column of {where}; it has {list(columns)}")


def _as_vector(values: Any, name: str) -> NDArray[Any]:
    vector = np.asarray(values)
    if vector.ndim != 1:
        raise ValueError(f"{name} must have one entry per row, got shape {vector.shape}")
    return vector


def _slice(vector: NDArray[Any] | None, begin: int, end: int, name: str) -> NDArray[Any] | None:
    if vector is None:
        return None
    if end > len(vector):
        raise ValueError(f"{name} has {len(vector)} entries, but there are at least {end} rows")
    return vector[begin:end]
