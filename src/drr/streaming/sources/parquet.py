"""Rows of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.exceptions import SourceChangedError
from drr.streaming.sources.watched_file import WatchedFile, digest, rows_per_block


class ParquetSource:
    """Rows of a Parquet file, or of all of a directory in the order of their names. Needs pyarrow.

    If all columns are numeric, blocks are arrays, float32 if all columns are; otherwise they are pandas frames, for a
    feature map. Files and folders whose names begin with "." or "_" are left out, as other readers do, and so is an
    index that pandas stored as a column.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: Iterable[str] | None = None,
        block_rows: int | None = None,
    ) -> None:
        self.path = Path(path)
        self._files = [WatchedFile(each) for each in _parquet_files(self.path)]
        self._columns = None if columns is None else list(columns)
        self.n_rows = 0
        schemas: list[Any] = []
        for file in self._files:
            schema, n_rows = _read_footer(file.path)
            schemas.append(self._selected(schema, file.path))
            self.n_rows += n_rows
        if not self.n_rows:
            raise ValueError(f"{self.path} is empty: it has no rows")
        self._types = _common_types(schemas, [file.path for file in self._files])
        self.column_names = list(self._types)
        self.n_columns = len(self.column_names)
        kinds = [
            _numeric_dtype(column.type)
            for schema in schemas
            for column in schema
            if not _is_null(column.type)
        ]
        self.is_numeric = all(_numeric_dtype(kind) is not None for kind in self._types.values())
        single = self.is_numeric and all(kind == np.float32 for kind in kinds)
        self.dtype = np.dtype(np.float32 if single else np.float64) if self.is_numeric else None
        self.block_rows = rows_per_block(block_rows, 8 * self.n_columns)
        self._places: list[tuple[Path, int]] = []  # of each block of the last pass, for messages

    def select(self, columns: Iterable[str]) -> ParquetSource:
        """Return the same files with other columns."""
        return ParquetSource(self.path, columns, self.block_rows)

    def blocks(self) -> Iterator[Any]:
        self._places = []
        for path, begin, batch in self._batches():
            self._places.append((path, begin))
            yield self._rows(batch)

    def read_column(self, name: str) -> NDArray[Any]:
        """Return a column in memory, without changing its type."""
        return np.concatenate(
            [batch.column(0).to_numpy(zero_copy_only=False) for _, _, batch in self.select([name])._batches()]
        )

    def _batches(self) -> Iterator[tuple[Path, int, Any]]:
        """Yield (file, the number of its first row, rows) of each block."""
        parquet = _pyarrow_parquet()
        for file in self._files:
            file.check()
            try:
                # Checksums are looked at if the writer left some.
                with parquet.ParquetFile(file.path, page_checksum_verification=True) as opened:
                    begin = 0
                    for batch in opened.iter_batches(self.block_rows, columns=self.column_names):
                        yield file.path, begin, batch
                        begin += batch.num_rows
            except OSError as error:
                raise SourceChangedError(f"{file.path} is damaged: {error}") from error
            file.check()

    def _rows(self, batch: Any) -> Any:
        if not self.is_numeric:
            return self._typed(batch).to_pandas(ignore_metadata=True)
        rows = np.empty((batch.num_rows, self.n_columns), self.dtype)
        for k in range(self.n_columns):
            column = batch.column(k)
            rows[:, k] = column.to_numpy(zero_copy_only=False)  # missing values become NaN
        return rows

    def _typed(self, batch: Any) -> Any:
        """Return a batch whose columns of nulls have the type that they have in other files."""
        import pyarrow

        arrays = [
            column.cast(self._types[name]) if _is_null(column.type) else column
            for name, column in zip(self.column_names, batch.columns, strict=True)
        ]
        return pyarrow.RecordBatch.from_arrays(arrays, self.column_names)

    def _selected(self, schema: Any, path: Path) -> Any:
        import pyarrow

        index = (schema.pandas_metadata or {}).get("index_columns", [])
        columns = self._columns
        if columns is None:
            columns = [name for name in schema.names if name not in index]
        missing = [name for name in columns if name not in schema.names]
        if missing:
            raise ValueError(f"{path} has no column {missing[0]!r}; it has {schema.names}")
        repeated = [name for name in columns if schema.names.count(name) > 1]
        if repeated:
            raise ValueError(f"{path} has several columns named {repeated[0]!r}; rename all but one")
        return pyarrow.schema([schema.field(name) for name in columns])

    def name_of(self, block: int) -> str:
        if block >= len(self._places):
            return f" of {self.path}"
        path, begin = self._places[block]
        return f" of {path} (rows {begin} and on of the file)"

    def fingerprint(self) -> str:
        return digest(
            self.n_rows, self.column_names, self.block_rows, *(file.identity for file in self._files)
        )


def _parquet_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [
        each
        for each in sorted(path.rglob("*.parquet"))
        if not any(part.startswith((".", "_")) for part in each.relative_to(path).parts)
    ]
    if not found:
        raise ValueError(f"{path} has no file whose name ends in .parquet")
    return found


def _read_footer(path: Path) -> tuple[Any, int]:
    """Return the schema of a file and how many rows it has."""
    parquet = _pyarrow_parquet()
    try:
        with parquet.ParquetFile(path) as file:
            return file.schema_arrow, file.metadata.num_rows
    except Exception as error:  # pyarrow raises its own kinds
        raise SourceChangedError(f"{path} is truncated or not a Parquet file: {error}") from error


def _common_types(schemas: list[Any], paths: list[Path]) -> dict[str, Any]:
    """Return the type of each column, or raise if it is another kind of thing in another file."""
    types: dict[str, Any] = {}
    for schema, path in zip(schemas, paths, strict=True):
        if set(schema.names) != set(schemas[0].names):
            raise ValueError(
                f"{path} has the columns {schema.names}, but {paths[0]} has {schemas[0].names}; all files must have "
                "the same columns"
            )
        for column in schema:
            known = types.setdefault(column.name, column.type)
            if _is_null(known):
                types[column.name] = column.type
            elif not _is_null(column.type) and _kind(column.type) != _kind(known):
                raise ValueError(
                    f"column {column.name!r} is {column.type} in {path}, but {known} in an earlier file; a column must "
                    "hold the same kind of values in all files"
                )
    return types


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


def _is_null(kind: Any) -> bool:
    """Return whether a column was written without a single value, and so without a type."""
    import pyarrow

    return bool(pyarrow.types.is_null(kind))


def _kind(kind: Any) -> str:
    """Return the kind of values of a type: numbers of any width are one kind, and text with or without levels."""
    import pyarrow

    if pyarrow.types.is_dictionary(kind):
        return _kind(kind.value_type)
    if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind):
        return "text"
    return "number" if _numeric_dtype(kind) is not None else str(kind)
