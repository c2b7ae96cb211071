"""Passes over Dask collections: each worker answers for its partitions, and merges of neighbours make a tree.

The shape of the tree depends on the number of partitions alone, so the answer has the same bits on any cluster. A
partition whose worker is lost is computed again by Dask, wherever; nothing but merged answers comes to the client.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from drr.streaming.passes import merge_passes

_FAN_IN = 8  # answers merged by one task


class DaskRunner:
    """Puts requests to the partitions of a Dask array or data frame, or to a list of delayed blocks."""

    def __init__(self, rows: Any, weights: Any = None) -> None:
        self.n_columns = dask_columns(rows)
        self.partitions = delayed_parts(rows)
        self.n_rows = known_rows(rows)
        self.has_weights = weights is not None
        self._weights = None if weights is None else delayed_vector(weights, rows, "base_weights")

    def run_pass(self, request: Any) -> Any:
        """The merged answer of all partitions."""
        weights = [None] * len(self.partitions) if self._weights is None else self._weights
        numbers = range(len(self.partitions))
        return map_merge(request, list(zip(self.partitions, numbers, weights, strict=True)))


def map_merge(function: Any, arguments: list[tuple[Any, ...]]) -> Any:
    """``merge_passes(function(*each) for each in arguments)`` on the workers; only the result comes here."""
    dask = _dask()
    # The question is one task that all others share: as a function it would be written out in the name of each.
    question = dask.delayed(function, pure=False, traverse=False)
    ask = dask.delayed(_ask, pure=False)
    answers = [ask(question, *each) for each in arguments]
    merge = dask.delayed(_merge_neighbours, pure=False)
    while len(answers) > 1:
        answers = [merge(answers[k : k + _FAN_IN]) for k in range(0, len(answers), _FAN_IN)]
    return dask.compute(answers[0])[0]


def _ask(question: Any, *part: Any) -> Any:
    return question(*part)


def _merge_neighbours(answers: list[Any]) -> Any:
    return merge_passes(answers)


def delayed_parts(rows: Any) -> list[Any]:
    """The partitions of rows, in order."""
    if isinstance(rows, (list, tuple)):
        return list(rows)
    if hasattr(rows, "chunks") and hasattr(rows, "rechunk"):
        if len(rows.chunks[1]) > 1:
            rows = rows.rechunk({1: -1})  # a row must be whole
        return list(rows.to_delayed().ravel())
    return list(rows.to_delayed())


def delayed_vector(vector: Any, rows: Any, name: str) -> list[Any]:
    """The parts of a vector that go with the partitions of rows."""
    n_parts = len(delayed_parts(rows))
    if isinstance(vector, (list, tuple)) and vector and hasattr(vector[0], "dask"):
        parts = list(vector)
    elif hasattr(vector, "to_delayed"):
        parts = list(np.ravel(vector.to_delayed()))
    else:
        lengths = _known_lengths(rows)
        values = np.asarray(vector)
        if lengths is None:
            raise ValueError(
                f"{name} is not a Dask collection, and the lengths of the partitions are not known; call "
                "compute_chunk_sizes() on the rows, or pass a Dask collection with the same partitions"
            )
        if values.shape != (sum(lengths),):
            raise ValueError(
                f"{name} must have shape ({sum(lengths)},), one number per row, got {values.shape}"
            )
        return np.split(values, np.cumsum(lengths)[:-1])
    if len(parts) != n_parts:
        raise ValueError(
            f"{name} has {len(parts)} partitions, but the rows have {n_parts}; they must be the same"
        )
    return parts


def dask_columns(rows: Any) -> int:
    """How many columns the rows have."""
    if isinstance(rows, (list, tuple)):
        dask = _dask()
        return int(dask.compute(dask.delayed(_width, pure=False)(rows[0]))[0])
    if len(rows.shape) != 2:
        raise ValueError(f"rows must have two dimensions (rows, columns), got {len(rows.shape)}")
    return int(rows.shape[1]) if hasattr(rows, "rechunk") else len(rows.columns)


def known_rows(rows: Any) -> int | None:
    """How many rows there are, where that is known without computing."""
    lengths = _known_lengths(rows)
    return None if lengths is None else sum(lengths)


def _known_lengths(rows: Any) -> list[int] | None:
    if not (hasattr(rows, "chunks") and hasattr(rows, "rechunk")) or np.isnan(rows.chunks[0]).any():
        return None
    return [int(n) for n in rows.chunks[0]]


def _width(block: Any) -> int:
    return int(block.shape[1])


def _dask() -> Any:
    return importlib.import_module("dask")
