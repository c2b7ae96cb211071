"""Passes over Dask collections: each worker answers for its partitions, and merges of neighbours make a tree.

The shape of the tree depends on the number of partitions alone, so the answer has the same bits on any cluster. A
partition whose worker is lost is computed again by Dask, wherever; nothing but merged answers comes to the client.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.streaming.block import Block, naming
from drr.streaming.dataset import Dataset, check_label_column
from drr.streaming.passes import merge_passes
from drr.streaming.queries.query import Query

_FAN_IN = 8  # answers merged by one task

Part = tuple[Any, ...]  # the rows of a partition, then its part of each vector, or None


class DaskDataset(Dataset):
    """Partitions of a Dask array or data frame, or a list of delayed blocks."""

    def __init__(
        self,
        rows: Any,
        y: Any = None,
        weights: Any = None,
        *,
        weights_name: str = "sample_weight",
        lengths: list[int] | None = None,
        n_columns: int | None = None,
    ) -> None:
        self._label = y if isinstance(y, str) else None
        if self._label is not None:
            check_label_column(self._label, getattr(rows, "columns", None), "the Dask frame")
            y = None
        width = n_columns_of(rows) if n_columns is None else n_columns
        self.n_columns = width - (self._label is not None)
        lengths = known_lengths(rows) if lengths is None else lengths
        self.n_rows = None if lengths is None else sum(lengths)
        self.has_weights = weights is not None
        self._rows = rows
        self._parts = delayed_parts(rows, {"y": y, weights_name: weights}, lengths)

    def run_pass(self, query: Query) -> Any:
        dask = the_dask()
        # The question is one task that all others share: as a function it would be written out in the name of each.
        question = dask.delayed(_Question(query, self._transform, self._label), pure=False, traverse=False)
        ask, merge = dask.delayed(_ask, pure=False), dask.delayed(_merge_neighbours, pure=False)
        answers = [ask(question, part, number) for number, part in enumerate(self._parts)]
        while len(answers) > 1:
            answers = [merge(answers[k : k + _FAN_IN]) for k in range(0, len(answers), _FAN_IN)]
        return dask.compute(answers[0])[0]

    def map(self, function: Callable[[Any], Any]) -> Any:
        """Return a Dask collection of the same partitions, not computed yet."""
        return map_lazily(self._rows, function)


@dataclass(frozen=True, eq=False)
class _Question:
    """What a worker does with a partition."""

    query: Query
    transform: Callable[[Block], Block] | None
    label: str | None

    def __call__(self, part: Part, number: int) -> Any:
        rows, y, weights = part
        if self.label is not None:
            rows, y = rows.drop(columns=[self.label]), rows[self.label]
        with naming(Block(rows, number), has_all_rows=self.transform is None):
            block = Block(rows, number, None, y, weights)
            return self.query.answer(block if self.transform is None else self.transform(block))


def _ask(question: _Question, part: Part, number: int) -> Any:
    return question(part, number)


def _merge_neighbours(answers: list[Any]) -> Any:
    return merge_passes(answers)


def map_lazily(
    rows: Any, function: Callable[[Any], Any], *, columns: list[Any] | None = None, dtype: Any = np.float64
) -> Any:
    """Return what ``function(rows)`` gives for every partition, as a Dask collection that is not computed yet.

    One value per row, or one per row and column if `columns` names them: a series or a frame for a frame, an array for
    an array, a list of delayed arrays for a list.
    """
    scored = _Scored(function, columns, np.dtype(dtype))
    if isinstance(rows, (list, tuple)):
        score = the_dask().delayed(scored, pure=False, traverse=False)
        return [score(part) for part in rows]
    if is_frame(rows):
        no_rows = scored.as_frame(np.zeros((0, 0)), None)
        return rows.map_partitions(scored.frame_of, meta=no_rows)
    whole = rows.rechunk({1: -1})
    if columns is None:
        return whole.map_blocks(scored, dtype=scored.dtype, drop_axis=1)
    return whole.map_blocks(scored, dtype=scored.dtype, chunks=(whole.chunks[0], (len(columns),)))


@dataclass(frozen=True, eq=False)
class _Scored:
    """What a worker makes of a partition: an array, or a series or frame with the index of the rows."""

    function: Callable[[Any], Any]
    columns: list[Any] | None
    dtype: np.dtype[Any]

    def __call__(self, rows: Any) -> NDArray[Any]:
        if rows.shape[0]:
            return np.asarray(self.function(rows), dtype=self.dtype)
        return np.zeros((0,) if self.columns is None else (0, len(self.columns)), dtype=self.dtype)

    def frame_of(self, rows: Any) -> Any:
        return self.as_frame(rows, rows.index)

    def as_frame(self, rows: Any, index: Any) -> Any:
        import pandas

        values = self(rows)
        if self.columns is None:
            return pandas.Series(values, index=index)
        return pandas.DataFrame(values, index=index, columns=self.columns)


def delayed_parts(rows: Any, vectors: dict[str, Any], lengths: list[int] | None = None) -> list[Any]:
    """Return one delayed tuple per partition: its rows, and its part of each vector or None.

    Dask may read several files of a frame as one partition when few of their columns are needed. The partitions of a
    column and of the rest of its frame may then differ. What comes from frames therefore becomes one frame before its
    partitions are taken.
    """
    for name, vector in vectors.items():
        n_parts = _n_partitions(vector)
        if n_parts is not None and n_parts != _n_partitions(rows):
            raise ValueError(
                f"{name} has {n_parts} partitions, but the rows have {_n_partitions(rows)}; they must be the same. "
                "Pass both as columns of one frame, or repartition or rechunk one of them like the other"
            )
    series = {name: vector for name, vector in vectors.items() if is_frame(rows) and is_frame(vector)}
    others = {name: vector for name, vector in vectors.items() if name not in series and vector is not None}
    packed = _packed_frame(rows, list(series.values()), bool(others)) if is_frame(rows) else _blocks_of(rows)
    parts_of_others = [_parts_of_vector(vector, lengths, name) for name, vector in others.items()]
    arrange = the_dask().delayed(partial(_arranged, list(vectors), list(series), list(others)), pure=False)
    return [arrange(*each) for each in zip(packed, *parts_of_others, strict=True)]


def _packed_frame(rows: Any, series: list[Any], keep_partitions: bool) -> list[Any]:
    """Return delayed partitions of a frame, each in a tuple with those of the given series."""
    packed = rows.map_partitions(
        _as_tuple, *series, align_dataframes=False, meta=rows, enforce_metadata=False
    )
    parts = packed.to_delayed()
    if keep_partitions and len(parts) != packed.npartitions:
        parts = packed.to_delayed(optimize_graph=False)
    return list(parts)


def _as_tuple(*parts: Any) -> tuple[Any, ...]:
    return parts


def _arranged(names: list[str], series: list[str], others: list[str], packed: Any, *rest: Any) -> Part:
    rows, *columns = packed if isinstance(packed, tuple) else (packed,)
    known = dict(zip([*series, *others], [*columns, *rest], strict=True))
    return (rows, *(known.get(name) for name in names))


def _blocks_of(rows: Any) -> list[Any]:
    """Return the delayed blocks of an array or a list."""
    if isinstance(rows, (list, tuple)):
        return list(rows)
    if len(rows.chunks[1]) > 1:
        rows = rows.rechunk({1: -1})  # a row must be whole
    return list(rows.to_delayed().ravel())


def _parts_of_vector(vector: Any, lengths: list[int] | None, name: str) -> list[Any]:
    """Return the parts of a vector that go with the partitions of rows."""
    if _n_partitions(vector) is not None:
        return list(vector) if isinstance(vector, (list, tuple)) else list(np.ravel(vector.to_delayed()))
    values = np.asarray(vector)
    if lengths is None:
        raise ValueError(
            f"{name} is not a Dask collection, and the lengths of the partitions are not known; pass a Dask "
            "collection with the same partitions, or call compute_chunk_sizes() on an array of rows"
        )
    if values.shape != (sum(lengths),):
        raise ValueError(f"{name} must have shape ({sum(lengths)},), one number per row, got {values.shape}")
    return keep_with_workers(np.split(values, np.cumsum(lengths)[:-1]))


def keep_with_workers(values: list[Any]) -> list[Any]:
    """Return delayed values that are sent to the workers once, and not again with the graph of every pass."""
    dask = the_dask()
    return list(dask.persist(*[dask.delayed(value, traverse=False) for value in values]))


def is_frame(collection: Any) -> bool:
    """Tell whether a collection is a Dask data frame or series."""
    return hasattr(collection, "map_partitions") and not hasattr(collection, "rechunk")


def _n_partitions(collection: Any) -> int | None:
    """Return the number of partitions, or None if this is not a Dask collection."""
    if isinstance(collection, (list, tuple)):
        return len(collection) if collection and hasattr(collection[0], "dask") else None
    if hasattr(collection, "rechunk"):
        return int(collection.numblocks[0])
    return int(collection.npartitions) if is_frame(collection) else None


def n_columns_of(rows: Any) -> int:
    """Return how many columns the rows have."""
    if isinstance(rows, (list, tuple)):
        dask = the_dask()
        return int(dask.compute(dask.delayed(_width, pure=False)(rows[0]))[0])
    if len(rows.shape) != 2:
        raise ValueError(f"rows must have two dimensions (rows, columns), got {len(rows.shape)}")
    return len(rows.columns) if is_frame(rows) else int(rows.shape[1])


def _width(rows: Any) -> int:
    return int(rows.shape[1])


def known_lengths(rows: Any) -> list[int] | None:
    """Return the rows of each partition, or None if that is not known without computing."""
    if not hasattr(rows, "rechunk") or np.isnan(rows.chunks[0]).any():
        return None
    return [int(n) for n in rows.chunks[0]]


def the_dask() -> Any:
    """Import Dask, which is optional."""
    return importlib.import_module("dask")
