"""A dataset: blocks of rows with their labels and weights, over which passes are made, here or on a Dask cluster."""

from __future__ import annotations

import abc
import contextlib
import copy
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.rows import is_dask
from drr._native.threads import resolve_n_threads
from drr.streaming.block import Block, naming
from drr.streaming.block_reading import work_on_blocks, works_at_once
from drr.streaming.embedding import EmbedMajority
from drr.streaming.passes import Merging
from drr.streaming.queries.query import Query
from drr.streaming.sources import ArraySource, fingerprint_of, name_of_block, open_rows


def open_dataset(
    X: Any, y: Any = None, weights: Any = None, *, weights_name: str = "sample_weight"
) -> Dataset:
    """Open rows to be read in passes, with labels and weights if given; `y` may name a column."""
    if hasattr(X, "as_dataset"):
        return X.as_dataset(y, weights, weights_name)  # type: ignore[no-any-return]
    if is_dask(X):
        from drr.streaming.dask import DaskDataset

        return DaskDataset(X, y, weights, weights_name=weights_name)
    for name, vector in (("y", y), (weights_name, weights)):
        if is_dask(vector):
            raise TypeError(f"{name} is a Dask collection, but the rows are not; pass an array")
    source = open_rows(X)
    if isinstance(y, str):
        check_label_column(y, getattr(source, "column_names", None), getattr(source, "path", "the source"))
        labels = source.read_column(y)
        source, y = source.select([name for name in source.column_names if name != y]), labels
    return LocalDataset(source, y, weights, weights_name=weights_name)


class Dataset(abc.ABC):
    """Blocks of rows that are asked the same question in every pass, and whose answers are merged."""

    n_columns: int
    n_rows: int | None
    """None if they have not been counted yet"""
    has_weights: bool

    _transform: Callable[[Block], Block] | None = None

    @abc.abstractmethod
    def run_pass(self, query: Query) -> Any:
        """Put a question to every block, and return the merged answer."""

    @abc.abstractmethod
    def map(self, function: Callable[[Any], Any]) -> Any:
        """Return one number per row, by ``function(rows)`` of every block that has some."""

    def fingerprint(self) -> str | None:
        """Identify the rows without reading them all; None if they have nothing to go by."""
        return None

    def embedded(self, feature_map: Any, rare: Any, n_rows: int) -> Dataset:
        """Return the features of the `n_rows` rows whose label is not `rare`, embedded again in every pass."""
        features = copy.copy(self)
        features._transform = EmbedMajority(feature_map, rare)
        features.n_columns, features.n_rows = len(feature_map.get_feature_names_out()), n_rows
        return features


class LocalDataset(Dataset):
    """Blocks of a source, which this process reads in order."""

    def __init__(
        self, source: Any, y: Any = None, weights: Any = None, *, weights_name: str = "sample_weight"
    ) -> None:
        self._source = source
        self.n_columns, self.n_rows = source.n_columns, source.n_rows
        self.has_weights = weights is not None
        self._vectors = {"y": _as_vector(y, "y"), weights_name: _as_vector(weights, weights_name)}

    def run_pass(self, query: Query) -> Any:
        n_threads = resolve_n_threads(query.n_threads)
        at_once = works_at_once(self._source, n_threads) and self._transform is None
        if at_once:
            query = query.with_threads(1)
        elif query.n_threads is None and not isinstance(self._source, ArraySource):
            # The reader needs a separate processor: on two, computing with both is slower than with one.
            query = query.with_threads(max(1, n_threads - 1))
        merging = Merging()
        answers = self._each(lambda block: query.answer(block), n_threads if at_once else 1)
        with contextlib.closing(answers):
            for answer in answers:
                if merging.add(answer):
                    query = query.tightened(merging.total)
        return merging.whole()

    def map(self, function: Callable[[Any], Any]) -> NDArray[np.float64]:
        results = self._each(lambda block: function(block.rows) if len(block) else None)
        return np.concatenate([each for each in results if each is not None])

    def blocks(self) -> Iterator[Block]:
        """Return the blocks one after the other; each is good until the next but one is asked for."""
        return self._each(lambda block: block)

    def fingerprint(self) -> str | None:
        return fingerprint_of(self._source, *self._vectors.values())

    def _each(self, function: Callable[[Block], Any], n_threads: int = 1) -> Generator[Any, None, None]:
        """Yield what `function` makes of each block, in their order."""

        def work(rows: Any, number: int, first_row: int) -> tuple[int, Any]:
            n_rows = int(rows.shape[0])
            y, weights = (
                _slice(vector, first_row, first_row + n_rows, name) for name, vector in self._vectors.items()
            )
            block = Block(rows, number, first_row, y, weights)
            with naming(block, name_of_block(self._source, number), has_all_rows=self._transform is None):
                return n_rows, function(block if self._transform is None else self._transform(block))

        n_rows = 0
        with contextlib.closing(work_on_blocks(self._source, work, n_threads)) as results:
            for n_block_rows, result in results:
                n_rows += n_block_rows
                yield result
        for name, vector in self._vectors.items():
            if vector is not None and len(vector) != n_rows:
                raise ValueError(f"{name} has {len(vector)} entries, but there are {n_rows} rows")


def check_label_column(name: str, columns: Any, where: Any) -> None:
    """Raise if rows have no column of that name."""
    if columns is None:
        raise TypeError(
            f"y={name!r} names a column, but the rows have no column names; pass the labels themselves"
        )
    if name not in columns:
        raise ValueError(f"y={name!r} is not a column of {where}; it has {list(columns)}")


def _as_vector(values: Any, name: str) -> NDArray[Any] | None:
    """Return one entry per row as an array; a memory map stays one."""
    if values is None:
        return None
    vector = values if isinstance(values, np.ndarray) else np.asarray(values)
    if vector.ndim != 1 or (name != "y" and vector.dtype.kind not in "fiub"):
        kind = "label" if name == "y" else "number"
        raise ValueError(f"{name} must be one {kind} per row, got {vector.dtype} of shape {vector.shape}")
    return vector


def _slice(vector: NDArray[Any] | None, begin: int, end: int, name: str) -> NDArray[Any] | None:
    if vector is None:
        return None
    if end > len(vector):
        raise ValueError(f"{name} has {len(vector)} entries, but there are at least {end} rows")
    return vector[begin:end]
