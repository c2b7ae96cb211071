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
        self._files = [WatchedFile(each) for each in paths]
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
            try:
                # Where the writer left checksums, they are looked at.
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
