"""Rows of .npy files."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.exceptions import SourceChangedError
from drr.streaming.sources.watched_file import WatchedFile, digest, rows_per_block


class NpySource:
    """Rows of a ``.npy`` file, read block by block into a few buffers that are used again.

    The file is not mapped: a process that touches a mapped page beyond the end of a file that was cut short dies.
    """

    _n_buffers = 3  # one computed on, one waiting, one being filled

    def __init__(
        self, path: str | os.PathLike[str], block_rows: int | None = None, *, _layout: Any = None
    ) -> None:
        self._file = WatchedFile(Path(path))
        self.path = self._file.path
        layout: tuple[int, tuple[int, ...], np.dtype[Any]] = (
            _npy_layout(self.path) if _layout is None else _layout
        )
        self._offset, shape, self.dtype = layout
        if len(shape) != 2:
            raise ValueError(f"{self.path} holds an array of shape {shape}; rows must have two dimensions")
        self.n_rows, self.n_columns = shape
        if 0 in shape:
            raise ValueError(f"{self.path} is empty: it has {self.n_rows} rows and {self.n_columns} columns")
        if self.dtype.kind not in "fiub":
            raise TypeError(f"{self.path} holds {self.dtype}; rows must be numbers")
        expected = self._offset + self.n_rows * self.n_columns * self.dtype.itemsize
        if self._file.size < expected:
            raise SourceChangedError(
                f"{self.path} is truncated: {self.n_rows} rows of {self.n_columns} {self.dtype} take {expected} bytes, "
                f"but the file has {self._file.size}"
            )
        self.block_rows = rows_per_block(block_rows, self.n_columns * self.dtype.itemsize)

    @property
    def n_blocks(self) -> int:
        return -(-self.n_rows // self.block_rows)

    def blocks(self) -> Iterator[NDArray[Any]]:
        buffers = [self._buffer() for _ in range(self._n_buffers)]
        with self._opened() as fill:
            for number in range(self.n_blocks):
                yield fill(buffers[number % self._n_buffers], number)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Callable[[int], NDArray[Any]]]:
        """Yield a function that reads a block by its number, in any thread; its next call overwrites the block."""
        own = threading.local()
        with self._opened() as fill:

            def read(number: int) -> NDArray[Any]:
                if not hasattr(own, "buffer"):
                    own.buffer = self._buffer()
                return fill(own.buffer, number)

            yield read

    def _buffer(self) -> NDArray[Any]:
        return np.empty((min(self.block_rows, self.n_rows), self.n_columns), self.dtype)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Callable[[NDArray[Any], int], NDArray[Any]]]:
        """Yield a function that reads a block into a buffer; the file must be the same before and after."""
        self._file.check()
        with open(self.path, "rb", buffering=0) as file:
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)

            def fill(buffer: NDArray[Any], number: int) -> NDArray[Any]:
                begin = number * self.block_rows
                rows = buffer[: self.n_rows - begin]
                self._fill(file, rows, begin)
                return rows

            yield fill
        self._file.check()

    def _fill(self, file: Any, rows: NDArray[Any], begin: int) -> None:
        view = memoryview(rows.reshape(-1).view(np.uint8).data)
        row_bytes = self.n_columns * self.dtype.itemsize
        start, done = self._offset + begin * row_bytes, 0
        while done < len(view):
            count = _read_at(file, view[done:], start + done)
            if not count:
                end = max(os.fstat(file.fileno()).st_size - self._offset, 0) // row_bytes
                raise SourceChangedError(f"{self.path} was cut short during the fit: it ends in row {end}")
            done += count

    def name_of(self, block: int) -> str:
        return f" of {self.path} (rows {block * self.block_rows} and on of the file)"

    def fingerprint(self) -> str:
        return digest(self.n_rows, self.n_columns, self.dtype, self.block_rows, self._file.identity)


if hasattr(os, "preadv"):

    def _read_at(file: Any, view: memoryview, position: int) -> int:
        return os.preadv(file.fileno(), [view], position)

else:  # a file has one position, and threads must take turns to move it
    _moving = threading.Lock()

    def _read_at(file: Any, view: memoryview, position: int) -> int:
        with _moving:
            file.seek(position)
            return int(file.readinto(view))


def _npy_layout(path: Path) -> tuple[int, tuple[int, ...], np.dtype[Any]]:
    with open(path, "rb") as file:
        try:
            shape, dtype, fortran = npy_header(file)
        except ValueError as error:
            raise SourceChangedError(f"{path} is truncated or not a .npy file: {error}") from error
        if fortran and min(shape) > 1:
            raise ValueError(
                f"{path} is stored by columns (Fortran order); write it by rows: "
                "numpy.save(path, numpy.ascontiguousarray(rows))"
            )
        return file.tell(), shape, dtype


def npy_header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(file)
    return shape, dtype, fortran
