"""Files whose columns have types of their own: Parquet and spreadsheets."""

from __future__ import annotations

import importlib.util
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from drr.cli._errors import CommandError, require


class ParquetFile:
    """A Parquet file, read in batches of rows."""

    kind = "Parquet"
    is_text = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parquet = require("pyarrow.parquet")

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what a damaged file raises."""
        return (OSError, require("pyarrow").ArrowException)

    def size(self) -> tuple[int, str]:
        """Return the rows to read."""
        return self._parquet.read_metadata(self._path).num_rows, "rows"

    def columns(self) -> list[str]:
        """Return the names of the columns, without an index that pandas has written."""
        schema = self._parquet.read_schema(self._path)
        return [name for name in schema.names if not name.startswith("__index_level_")]

    def chunks(
        self, columns: list[str], _text: list[str], n_rows: int | None, progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """Yield frames of Arrow's own types, in which whole numbers stay whole next to missing ones."""
        pandas = require("pandas")
        with self._parquet.ParquetFile(self._path) as file:
            done = 0
            for batch in file.iter_batches(n_rows or 2**16, columns=columns):
                frame = batch.to_pandas(types_mapper=pandas.ArrowDtype)
                yield frame[columns]
                done += len(frame)
                progress(done)


class ExcelFile:
    """The first sheet of a spreadsheet, read whole."""

    kind = "Excel"
    is_text = False

    def __init__(self, path: Path) -> None:
        self._path = path
        if importlib.util.find_spec("openpyxl") is None:
            raise CommandError(f'{path} needs openpyxl: pip install "density-ratio-rescoring[excel]"')
        self._frame: Any = None

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what a damaged file raises."""
        return (OSError, ValueError, KeyError, zipfile.BadZipFile)

    def size(self) -> tuple[int, str]:
        """Return the rows to read."""
        return len(self._read()), "rows"

    def columns(self) -> list[str]:
        """Return the names in the first row."""
        return [str(name) for name in self._read().columns]

    def chunks(
        self, columns: list[str], _text: list[str], n_rows: int | None, progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """Yield frames of rows of the one that was read."""
        frame = self._read()
        step = n_rows or max(1, len(frame))
        for begin in range(0, len(frame), step):
            yield frame.iloc[begin : begin + step][columns].reset_index(drop=True)
            progress(min(begin + step, len(frame)))

    def _read(self) -> Any:
        if self._frame is None:
            self._frame = require("pandas").read_excel(self._path, engine="openpyxl")
            self._frame.columns = [str(name) for name in self._frame.columns]
        return self._frame
