"""What rows are: a table in memory, a source of blocks, or a Dask collection."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse


@runtime_checkable
class RowSource(Protocol):
    """Rows that can be read again and again, block by block."""

    n_columns: int
    n_rows: int | None
    dtype: np.dtype[Any] | None

    def blocks(self) -> Iterator[Any]:
        """Return all blocks, in the same order at every call.

        A source may reuse its buffers: a block is valid until the second one after it is read. Copy what you keep.
        """


def is_source(rows: Any) -> bool:
    """Return whether rows are to be read in passes: a source, a path, or a runner of passes."""
    if isinstance(rows, (np.ndarray, list, tuple)) or scipy.sparse.issparse(rows):
        return False
    return isinstance(rows, (str, os.PathLike, RowSource)) or callable(getattr(rows, "run_pass", None))


def is_dask(rows: Any) -> bool:
    """Return whether rows are a Dask collection, or a list of delayed blocks."""
    first = rows[0] if isinstance(rows, (list, tuple)) and rows else rows
    return type(first).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(first, "dask")


def reads_in_passes(rows: Any) -> bool:
    """Return whether rows are to be read in passes rather than held in memory."""
    return is_source(rows) or is_dask(rows)
