"""Rows of CSR matrices in .npz files."""

from __future__ import annotations

import math
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr.exceptions import SourceChangedError
from drr.streaming.sources.npy import npy_header
from drr.streaming.sources.watched_file import WatchedFile, digest, rows_per_block


class CsrSource:
    """A CSR matrix in an ``.npz`` file of `scipy.sparse.save_npz`, read block by block without unpacking it whole."""

    def __init__(self, path: str | os.PathLike[str], block_rows: int | None = None) -> None:
        self._file = WatchedFile(Path(path))
        self.path = self._file.path
        try:
            with zipfile.ZipFile(self.path) as archive:
                kind = _npz_array(archive, "format", self.path)
                shape = _npz_array(archive, "shape", self.path)
                self._offsets = _npz_array(archive, "indptr", self.path)
                with archive.open("data.npy") as member:
                    self.dtype = npy_header(member)[1]
        except zipfile.BadZipFile as error:
            raise SourceChangedError(f"{self.path} is truncated or not an .npz file: {error}") from error
        if kind.item() != b"csr":
            raise ValueError(
                f"{self.path} holds a {kind.item().decode()} matrix; save it as CSR: "
                "scipy.sparse.save_npz(path, X.tocsr())"
            )
        self.n_rows, self.n_columns = (int(n) for n in shape)
        per_row = math.ceil(12 * int(self._offsets[-1]) / max(1, self.n_rows))
        self.block_rows = rows_per_block(block_rows, per_row)

    def blocks(self) -> Iterator[Any]:
        self._file.check()
        try:
            yield from self._read_blocks()
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise SourceChangedError(f"{self.path} is damaged: {error}") from error
        self._file.check()

    def _read_blocks(self) -> Iterator[Any]:
        with (
            zipfile.ZipFile(self.path) as archive,
            archive.open("data.npy") as values,
            archive.open("indices.npy") as indices,
        ):
            value_type, index_type = npy_header(values)[1], npy_header(indices)[1]
            for begin in range(0, self.n_rows, self.block_rows):
                offsets = self._offsets[begin : min(self.n_rows, begin + self.block_rows) + 1]
                n_stored = int(offsets[-1] - offsets[0])
                block = scipy.sparse.csr_array(
                    (
                        _read_member(values, n_stored, value_type, self.path),
                        _read_member(indices, n_stored, index_type, self.path),
                        offsets - offsets[0],
                    ),
                    shape=(len(offsets) - 1, self.n_columns),
                )
                yield block

    def name_of(self, block: int) -> str:
        return f" of {self.path} (rows {block * self.block_rows} and on of the file)"

    def fingerprint(self) -> str:
        return digest(self.n_rows, self.n_columns, self.block_rows, self._file.identity)


def _npz_array(archive: zipfile.ZipFile, name: str, path: Path) -> NDArray[Any]:
    if f"{name}.npy" not in archive.namelist():
        raise ValueError(f"{path} was not written by scipy.sparse.save_npz: it has no array {name!r}")
    with archive.open(f"{name}.npy") as member:
        return np.asarray(np.lib.format.read_array(member, allow_pickle=False))


def _read_member(member: Any, n: int, dtype: np.dtype[Any], path: Path) -> NDArray[Any]:
    data = member.read(n * dtype.itemsize)
    if len(data) != n * dtype.itemsize:
        raise SourceChangedError(
            f"{path} is truncated: {n} entries were expected, {len(data) // dtype.itemsize} came"
        )
    return np.frombuffer(data, dtype)
