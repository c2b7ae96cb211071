"""Rows of .npy files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from drr._watched_file import SourceChangedError, WatchedFile, digest, rows_per_block


class NpySource:
    """Rows of a ``.npy`` file, read block by block into a few buffers that are used again."""

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
        if self.dtype.kind not in "fiub":
            raise TypeError(f"{self.path} holds {self.dtype}; rows must be numbers")
        expected = self._offset + self.n_rows * self.n_columns * self.dtype.itemsize
        if self._file.size < expected:
            raise SourceChangedError(
                f"{self.path} is truncated: {self.n_rows} rows of {self.n_columns} {self.dtype} take {expected} bytes, "
                f"but the file has {self._file.size}"
            )
        self.block_rows = rows_per_block(block_rows, self.n_columns * self.dtype.itemsize)

    def blocks(self) -> Iterator[NDArray[Any]]:
        self._file.check()
        buffers = [
            np.empty((min(self.block_rows, self.n_rows), self.n_columns), self.dtype)
            for _ in range(self._n_buffers)
        ]
        with open(self.path, "rb", buffering=0) as file:
            _advise_sequential(file)
            file.seek(self._offset)
            for number, begin in enumerate(range(0, self.n_rows, self.block_rows)):
                rows = buffers[number % self._n_buffers][: min(self.block_rows, self.n_rows - begin)]
                _fill(file, rows, self.path, begin)
                yield rows
        self._file.check()

    def name_of(self, block: int) -> str:
        return f" of {self.path} (rows {block * self.block_rows} and on of the file)"

    def fingerprint(self) -> str:
        return digest(self.n_rows, self.n_columns, self.dtype, self.block_rows, self._file.identity)


def _advise_sequential(file: BinaryIO) -> None:
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)


def _fill(file: Any, rows: NDArray[Any], path: Path, begin: int) -> None:
    view = memoryview(rows.reshape(-1).view(np.uint8).data)
    done = 0
    while done < len(view):
        count = file.readinto(view[done:])
        if not count:
            row = begin + done // (rows.shape[1] * rows.itemsize)
            raise SourceChangedError(f"{path} was cut short during the fit: it ends in row {row}")
        done += count


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
