"""Tables as files, whatever their format: their columns by name, their rows whole or in chunks."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from drr._checks.messages import listed
from drr.cli._errors import CommandError, in_one_line, require
from drr.cli._terminal import Terminal

CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
TEXT_SUFFIXES = (*CSV_SUFFIXES, ".txt", ".txt.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")
ANNDATA_SUFFIXES = (".h5ad",)

# Numbers in a chunk: 2 MB in double precision, some 13 000 rows of 20 columns.
_CHUNK_SIZE = 2**18
_MIN_ROWS = 1024


class Format(Protocol):
    """A file of one format, and how it is read."""

    kind: str
    is_text: bool
    """cells are read as they are written, if asked for as text"""

    def columns(self) -> list[str]:
        """Return the names of the columns."""

    def chunks(
        self, columns: list[str], text: list[str], n_rows: int | None, progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """Yield frames of consecutive rows, one of all rows without `n_rows`."""

    def size(self) -> tuple[int, str]:
        """Return how much there is to read, and the unit of it."""

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what a damaged file raises."""


class Table:
    """A file of rows with named columns."""

    def __init__(
        self, path: str, *, separator: str | None = None, encoding: str = "utf-8", decimal: str | None = None
    ) -> None:
        require("pandas")
        self.path = Path(path)
        self._encoding = encoding
        if not self.path.is_file():
            what = "is a folder" if self.path.is_dir() else "does not exist"
            raise CommandError(f"{path} {what}; check the path (the working folder is {os.getcwd()})")
        self.format = self._open(separator, encoding, decimal)
        try:
            self.columns = self.format.columns()
        except self.format.errors() as error:
            raise self._unreadable(error) from error
        repeated = sorted(name for name, count in Counter(self.columns).items() if count > 1)
        if repeated:
            raise CommandError(
                f"{self.path} has several columns named {listed(repeated)}; rename all but one"
            )

    def require_columns(self, names: Sequence[str], option: str = "") -> None:
        """Raise if columns are missing, with the nearest names that there are."""
        known = set(self.columns)
        missing = [name for name in names if name not in known]
        if not missing:
            return
        named = f"column {listed(missing)}" if len(missing) == 1 else f"columns {listed(missing)}"
        because = f" ({option})" if option else ""
        nearest = difflib.get_close_matches(missing[0], self.columns[:10_000], 3, 0.6)
        folded = [name for name in self.columns if name.casefold() == missing[0].casefold()]
        near = list(dict.fromkeys([*folded, *nearest]))
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        if len(self.columns) == 1 and self.format.is_text:
            hint += "; the file seems to have one column: is --separator right?"
        raise CommandError(
            f"{self.path} has no {named}{because}; its columns are {listed(self.columns, 12)}{hint}"
        )

    def split_names(self, names: Sequence[str], option: str) -> list[str]:
        """Return the columns that an option names, one by one or several with commas between them."""
        known = set(self.columns)
        split = [
            part
            for name in names
            for part in ([name] if name in known else [each.strip() for each in name.split(",")])
        ]
        self.require_columns(split, option)
        return split

    def read(self, columns: Sequence[str], text: Sequence[str], terminal: Terminal) -> Any:
        """Return those columns of all rows as one frame."""
        pandas = require("pandas")
        frames = list(self._frames(list(columns), list(text), None, terminal))
        if not frames:
            raise CommandError(f"{self.path} has a header but no rows; give a file with rows")
        return frames[0] if len(frames) == 1 else pandas.concat(frames, ignore_index=True)

    def chunks(self, columns: Sequence[str], text: Sequence[str], terminal: Terminal) -> Iterator[Any]:
        """Yield frames of consecutive rows. Those of text files have the columns in `text` as they are written."""
        n_rows = max(_MIN_ROWS, _CHUNK_SIZE // max(1, len(columns)))
        yield from self._frames(list(columns), list(text), n_rows, terminal)

    def _frames(
        self, columns: list[str], text: list[str], n_rows: int | None, terminal: Terminal
    ) -> Iterator[Any]:
        total, unit = self.format.size()
        try:
            bar: AbstractContextManager[Any] = terminal.bar(self.path.name, total, unit)
            with bar as shown:
                for frame in self.format.chunks(columns, text, n_rows, shown.reach):
                    if len(frame):
                        yield frame
        except self.format.errors() as error:
            raise self._unreadable(error) from error

    def _open(self, separator: str | None, encoding: str, decimal: str | None) -> Format:
        if has_suffix(self.path, PARQUET_SUFFIXES):
            from drr.cli._typed_files import ParquetFile

            return ParquetFile(self.path)
        if has_suffix(self.path, EXCEL_SUFFIXES):
            from drr.cli._typed_files import ExcelFile

            return ExcelFile(self.path)
        if has_suffix(self.path, ANNDATA_SUFFIXES):
            from drr.cli._typed_files import AnnotatedFile

            return AnnotatedFile(self.path)
        if has_suffix(self.path, TEXT_SUFFIXES):
            from drr.cli._csv_files import CsvFile

            try:
                return CsvFile(self.path, separator, encoding, decimal)
            except CsvFile.ERRORS as error:
                raise self._unreadable(error) from error
        known = ", ".join(TEXT_SUFFIXES + PARQUET_SUFFIXES + EXCEL_SUFFIXES + ANNDATA_SUFFIXES)
        raise CommandError(f"{self.path}: the format is not known by its name; use one of {known}")

    def _unreadable(self, error: Exception) -> CommandError:
        if isinstance(error, UnicodeError):
            return CommandError(
                f"{self.path} is not text in {self._encoding} ({in_one_line(error)}); name its encoding, for example "
                "--encoding latin-1"
            )
        if isinstance(error, LookupError):
            return CommandError(
                f"--encoding {self._encoding} is not known; utf-8 and latin-1 are the usual ones"
            )
        if isinstance(error, PermissionError):
            return CommandError(
                f"{self.path} cannot be read: permission denied; change its permissions, or copy the file"
            )
        if "out of memory" in str(error):  # how the parser of pandas says MemoryError
            return CommandError(
                f"{self.path} does not fit into memory; give a file with fewer rows or columns (a compressed one can "
                "unpack to a thousand times its size)"
            )
        kind = self.format.kind if hasattr(self, "format") else "CSV"
        return CommandError(
            f"{self.path} is not a {kind} file or is damaged ({in_one_line(error)}); correct it or export it again"
        )


def has_suffix(path: str | os.PathLike[str], suffixes: Sequence[str]) -> bool:
    """Return whether the name of a file ends in one of the suffixes, in upper or lower case."""
    return os.fspath(path).lower().endswith(tuple(suffixes))
