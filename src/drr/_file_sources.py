"""Files as sources of row blocks: .npy, CSR in .npz, Parquet. A file that is cut short or changes is noticed."""

from __future__ import annotations

import hashlib
import math
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

BLOCK_BYTES = 4 * 2**20  # a few of them stay in the last-level cache between reading and computing


class _File:
    """A file that must stay as it is from its opening on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stat = self._look()

    def _look(self) -> tuple[int, int]:
        stat = os.stat(self.path)
        return stat.st_size, stat.st_mtime_ns

    @property
    def size(self) -> int:
        return self._stat[0]

    @property
    def identity(self) -> tuple[int, int]:
        """What differs after the file is written again: its size and the time."""
        return self._stat

    def check(self) -> None:
        """Raise where the file is no longer the one that was opened."""
        try:
            now = self._look()
        except OSError as error:
            raise SourceChangedError(
                f"{self.path} cannot be read any more: {error.strerror or error}"
            ) from error
        if now != self._stat:
            raise SourceChangedError(
                f"{self.path} changed during the fit: it had {self._stat[0]} bytes when it was opened and has {now[0]} "
                "now, or was written again; each pass must see the same rows"
            )


class SourceChangedError(ValueError):
    """A file is shorter than it says, or changed between two passes."""


class NpySource:
    """Rows of a ``.npy`` file, read block by block into a few buffers that are used again."""

    _n_buffers = 3  # one computed on, one waiting, one being filled

    def __init__(
        self, path: str | os.PathLike[str], block_rows: int | None = None, *, _layout: Any = None
    ) -> None:
        self._file = _File(Path(path))
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


class CsrSource:
    """A CSR matrix in an ``.npz`` file of `scipy.sparse.save_npz`, read block by block without unpacking it whole."""

    def __init__(self, path: str | os.PathLike[str], block_rows: int | None = None) -> None:
        self._file = _File(Path(path))
        self.path = self._file.path
        try:
            with zipfile.ZipFile(self.path) as archive:
                kind = _npz_array(archive, "format", self.path)
                shape = _npz_array(archive, "shape", self.path)
                self._offsets = _npz_array(archive, "indptr", self.path)
                with archive.open("data.npy") as member:
                    self.dtype = _npy_header(member)[1]
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
        with (
            zipfile.ZipFile(self.path) as archive,
            archive.open("data.npy") as values,
            archive.open("indices.npy") as indices,
        ):
            value_type, index_type = _npy_header(values)[1], _npy_header(indices)[1]
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
        self._file.check()

    def name_of(self, block: int) -> str:
        return f" of {self.path} (rows {block * self.block_rows} and on of the file)"

    def fingerprint(self) -> str:
        return digest(self.n_rows, self.n_columns, self.block_rows, self._file.identity)


class ParquetSource:
    """Rows of a Parquet file, or of all of a directory in the order of their names. Needs pyarrow.

    Numeric columns only become arrays, float32 where all columns are; with other columns blocks are pandas frames, for
    a feature map.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: Iterable[str] | None = None,
        block_rows: int | None = None,
    ) -> None:
        parquet = _pyarrow_parquet()
        path = Path(path)
        paths = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not paths:
            raise ValueError(f"{path} has no file whose name ends in .parquet")
        self.path = path
        self._files = [_File(each) for each in paths]
        self._columns = None if columns is None else list(columns)
        self.n_rows = 0
        schemas: list[Any] = []
        for file in self._files:
            try:
                footer = parquet.ParquetFile(file.path)
            except Exception as error:  # pyarrow raises its own kinds
                raise SourceChangedError(
                    f"{file.path} is truncated or not a Parquet file: {error}"
                ) from error
            schema = self._selected(footer.schema_arrow, file.path)
            schemas.append(schema)
            if schema.names != schemas[0].names:
                raise ValueError(
                    f"{file.path} has the columns {schema.names}, but {self._files[0].path} has {schemas[0].names}; "
                    "all files must have the same columns"
                )
            self.n_rows += footer.metadata.num_rows
            footer.close()
        self.column_names = list(schemas[0].names)
        self.n_columns = len(self.column_names)
        kinds = [_numeric_dtype(column.type) for schema in schemas for column in schema]
        self.is_numeric = all(kind is not None for kind in kinds)
        single = self.is_numeric and all(kind == np.float32 for kind in kinds)
        self.dtype = np.dtype(np.float32 if single else np.float64) if self.is_numeric else None
        self.block_rows = rows_per_block(block_rows, 8 * self.n_columns)
        self._places: list[tuple[Path, int]] = []  # of each block of the last pass, for messages

    def select(self, columns: Iterable[str]) -> ParquetSource:
        """The same files with other columns."""
        return ParquetSource(self.path, columns, self.block_rows)

    def blocks(self) -> Iterator[Any]:
        self._places = []
        for path, begin, batch in self._batches():
            self._places.append((path, begin))
            yield self._rows(batch)

    def read_column(self, name: str) -> NDArray[Any]:
        """A column in memory, of its own type."""
        return np.concatenate(
            [batch.column(0).to_numpy(zero_copy_only=False) for _, _, batch in self.select([name])._batches()]
        )

    def _batches(self) -> Iterator[tuple[Path, int, Any]]:
        """(file, its first row, the rows) of each block."""
        parquet = _pyarrow_parquet()
        for file in self._files:
            file.check()
            with parquet.ParquetFile(file.path) as opened:
                begin = 0
                for batch in opened.iter_batches(self.block_rows, columns=self.column_names):
                    yield file.path, begin, batch
                    begin += batch.num_rows
            file.check()

    def _rows(self, batch: Any) -> Any:
        if not self.is_numeric:
            return batch.to_pandas()
        rows = np.empty((batch.num_rows, self.n_columns), self.dtype)
        for k in range(self.n_columns):
            column = batch.column(k)
            rows[:, k] = column.to_numpy(zero_copy_only=False)  # missing values become NaN
        return rows

    def _selected(self, schema: Any, path: Path) -> Any:
        if self._columns is None:
            return schema
        missing = [name for name in self._columns if name not in schema.names]
        if missing:
            raise ValueError(f"{path} has no column {missing[0]!r}; it has {schema.names}")
        import pyarrow

        return pyarrow.schema([schema.field(name) for name in self._columns])

    def name_of(self, block: int) -> str:
        if block >= len(self._places):
            return f" of {self.path}"
        path, begin = self._places[block]
        return f" of {path} (rows {begin} and on of the file)"

    def fingerprint(self) -> str:
        return digest(
            self.n_rows, self.column_names, self.block_rows, *(file.identity for file in self._files)
        )


def rows_per_block(block_rows: int | None, bytes_per_row: int) -> int:
    if block_rows is None:
        return max(1, BLOCK_BYTES // max(1, bytes_per_row))
    if block_rows < 1:
        raise ValueError(f"block_rows must be at least 1, got {block_rows}")
    return int(block_rows)


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
            shape, dtype, fortran = _npy_header_parts(file)
        except ValueError as error:
            raise SourceChangedError(f"{path} is truncated or not a .npy file: {error}") from error
        if fortran and min(shape) > 1:
            raise ValueError(
                f"{path} is stored by columns (Fortran order); write it by rows: "
                "numpy.save(path, numpy.ascontiguousarray(rows))"
            )
        return file.tell(), shape, dtype


def _npy_header_parts(file: Any) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(file)
    return shape, dtype, fortran


def _npy_header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    shape, dtype, _ = _npy_header_parts(file)
    return shape, dtype


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


def _pyarrow_parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow: pip install 'density-ratio-rescoring[parquet]', or convert them to .npy"
        ) from None
    return pyarrow.parquet


def _numeric_dtype(kind: Any) -> np.dtype[Any] | None:
    import pyarrow

    is_number = pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)
    return np.dtype(kind.to_pandas_dtype()) if is_number else None


def digest(*parts: Any) -> str:
    """A fingerprint of arrays, by all of their bytes, and of anything else, by what it prints as."""
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.kind != "O":
            state.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        else:
            state.update(repr(part.tolist() if isinstance(part, np.ndarray) else part).encode())
        state.update(b"|")
    return state.hexdigest()
