"""Sources of row blocks: rows that are read several times, a block at a time, and never held together.

A *source* has ``n_columns`` and a method ``blocks()`` that starts over at every call and yields blocks of rows: arrays,
CSR matrices or (for raw rows) data frames. ``n_rows`` and ``dtype`` are None if they are not known beforehand.
`open_rows` makes one of a path, an array or any iterable that can be iterated over again.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr._checks.rows import RowSource, is_dask
from drr._checks.sparse import as_csr
from drr.streaming.sources.csr import CsrSource
from drr.streaming.sources.npy import NpySource
from drr.streaming.sources.parquet import ParquetSource
from drr.streaming.sources.watched_file import digest, rows_per_block


@runtime_checkable
class BlockReader(Protocol):
    """A source whose blocks can be read in any order, and by several threads at once."""

    block_rows: int

    @property
    def n_blocks(self) -> int:
        """All of `block_rows` rows but the last."""

    def reading(self) -> AbstractContextManager[Callable[[int], Any]]:
        """Open a function that reads a block by its number; its next call in the same thread may overwrite it."""


def open_rows(rows: Any, *, columns: Iterable[str] | None = None, block_rows: int | None = None) -> Any:
    """Return a source of row blocks.

    Parameters
    ----------
    rows : path, array, CSR matrix, data frame, source, or iterable of blocks
        A ``.npy`` file; an ``.npz`` file written by `scipy.sparse.save_npz` (CSR); a Parquet file, or a directory of
        them (in the order of their names, without those that begin with "." or "_"; needs pyarrow); a numpy array or
        memory map; a sequence of blocks, or any object whose ``__iter__`` yields the blocks again at every call. A
        generator raises an error: several passes are needed.
    columns : iterable of str, optional
        The columns of Parquet files to read, all by default.
    block_rows : int, optional
        Rows of a block; by default about 4 MB.

    Examples
    --------
    >>> import numpy as np, drr
    >>> source = drr.open_rows([np.zeros((2, 3)), np.ones((4, 3))])
    >>> source.n_columns, [len(block) for block in source.blocks()]
    (3, [2, 4])
    """
    if isinstance(rows, (str, os.PathLike)):
        return _open_path(Path(rows), columns, block_rows)
    if columns is not None:
        raise ValueError("columns is for Parquet files; index the rows themselves instead")
    if is_dask(rows):
        raise TypeError(
            "rows are a Dask collection, which its own workers read: pass it to rake or RakingDual as it is"
        )
    if isinstance(rows, RowSource):
        return rows
    if isinstance(rows, np.memmap) and rows.filename is not None and _is_plain_map(rows):
        return NpySource(rows.filename, block_rows, _layout=(rows.offset, rows.shape, rows.dtype))
    if isinstance(rows, np.ndarray) or scipy.sparse.issparse(rows):
        return ArraySource(rows, block_rows)
    if len(getattr(rows, "shape", ())) == 2:  # a data frame, which would iterate over its columns
        return IterableSource([rows])
    return IterableSource(rows)


class ArraySource:
    """Rows of an array or a CSR matrix in memory: blocks are views."""

    def __init__(self, rows: Any, block_rows: int | None = None) -> None:
        if np.ndim(rows) != 2 and not scipy.sparse.issparse(rows):
            raise ValueError(f"rows must have two dimensions (rows, columns), got shape {np.shape(rows)}")
        self._rows = as_csr(rows, "rows") if scipy.sparse.issparse(rows) else rows
        self.n_rows, self.n_columns = (int(n) for n in rows.shape)
        self.dtype = rows.dtype
        per_row = self.n_columns * self.dtype.itemsize
        if scipy.sparse.issparse(rows):
            per_row = math.ceil(12 * rows.nnz / max(1, self.n_rows))
        self.block_rows = rows_per_block(block_rows, per_row)

    @property
    def n_blocks(self) -> int:
        return -(-self.n_rows // self.block_rows)

    def blocks(self) -> Iterator[Any]:
        return map(self._block, range(self.n_blocks))

    @contextlib.contextmanager
    def reading(self) -> Iterator[Callable[[int], Any]]:
        yield self._block

    def _block(self, number: int) -> Any:
        return self._rows[number * self.block_rows : (number + 1) * self.block_rows]

    def name_of(self, block: int) -> str:
        return f" (rows {block * self.block_rows} and on)"


class IterableSource:
    """Blocks of any iterable that starts over at every ``iter``: a list of arrays, an object that opens its files."""

    def __init__(self, blocks: Any) -> None:
        if isinstance(blocks, Iterator):
            raise TypeError(
                f"rows is a {type(blocks).__name__}, which can be read only once, but raking makes several "
                "passes; pass an object whose __iter__ starts over, or a list of blocks"
            )
        if not hasattr(blocks, "__iter__"):
            raise TypeError(
                f"rows must be an array, a path, or an iterable of blocks of rows, got {type(blocks).__name__}"
            )
        self._blocks = blocks
        first = next(iter(blocks), None)
        if first is None:
            raise ValueError("rows has no blocks")
        if len(getattr(first, "shape", ())) != 2:
            raise TypeError(
                f"the blocks of rows must be arrays, CSR matrices or data frames, got {type(first).__name__}"
            )
        self.n_columns = int(first.shape[1])
        self.n_rows = sum(block.shape[0] for block in blocks) if isinstance(blocks, (list, tuple)) else None
        self.dtype = getattr(first, "dtype", None)

    def blocks(self) -> Iterator[Any]:
        yield from self._blocks


def _open_path(path: Path, columns: Iterable[str] | None, block_rows: int | None) -> Any:
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    if path.is_dir() or path.suffix in (".parquet", ".pq"):
        return ParquetSource(path, columns, block_rows)
    if columns is not None:
        raise ValueError(f"columns is for Parquet files, but {path} is not a Parquet file")
    if path.suffix == ".npy":
        return NpySource(path, block_rows)
    if path.suffix == ".npz":
        return CsrSource(path, block_rows)
    raise ValueError(f"{path} must be a .npy, .npz or .parquet file or a directory of Parquet files")


def _is_plain_map(rows: np.memmap[Any, Any]) -> bool:
    """Return whether a memory map is its file from its offset on.

    A slice of one has the offset of the whole, and changes to one that copies on writing are not in the file.
    """
    whole = not isinstance(rows.base, np.memmap) and rows.mode != "c"
    return whole and rows.ndim == 2 and rows.flags.c_contiguous


def fingerprint_of(source: Any, *vectors: NDArray[Any] | None) -> str | None:
    """Identify rows with what is given with them, by the fingerprint of their source; None if it has none."""
    make = getattr(source, "fingerprint", None)
    own = None if make is None else make()
    return None if own is None else digest(own, *vectors)


def name_of_block(source: Any, block: int) -> str:
    """Say where a block comes from, for messages; empty if the source does not know."""
    return str(source.name_of(block)) if hasattr(source, "name_of") else ""
