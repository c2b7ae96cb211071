"""Text files with separated columns, also compressed."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from drr._checks.messages import listed
from drr.cli._dialect import find_decimal, find_separator
from drr.cli._errors import CommandError, require
from drr.features.preparation import MISSING_TEXTS

# Characters of the first lines, from which separator and decimals are found.
_HEAD = 2**16


class CsvFile:
    """A file with a line of names and a line per row."""

    kind = "CSV"
    is_text = True
    ERRORS: ClassVar[tuple[type[Exception], ...]] = (
        OSError,
        EOFError,
        ValueError,
        LookupError,
        zlib.error,
        csv.Error,
    )

    def __init__(self, path: Path, separator: str | None, encoding: str, decimal: str | None) -> None:
        self._path = path
        self._encoding = encoding
        head = self._head()
        is_tabbed = ".tsv" in path.name.lower()
        self.separator = separator or ("\t" if is_tabbed else find_separator(head))
        self.decimal = decimal or find_decimal(head, self.separator)
        self.is_guessed = (separator is None and not is_tabbed and self.separator != ",") or (
            decimal is None and self.decimal != "."
        )

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what a damaged file raises."""
        return self.ERRORS

    def size(self) -> tuple[int, str]:
        """Return the bytes to read."""
        return self._path.stat().st_size, "B"

    def columns(self) -> list[str]:
        """Return the names in the first line; a column without one is named by its place, as pandas does."""
        with self._open() as stream, io.TextIOWrapper(stream, self._encoding, newline="") as text:
            lines = csv.reader(text, delimiter=self.separator)
            first = next(lines, None)
            if first is None:
                raise CommandError(f"{self._path} is empty; the first line must name the columns")
            row = next(filter(None, lines), [])
        if len(row) > len(first):  # pandas would take the first field as an index
            raise ValueError(
                "the rows have more fields than the first line has names; if each begins with a row name, name that "
                f"column too; the columns are taken to be separated by {self.separator!r}: is --separator right?"
            )
        names = [name.removeprefix("\ufeff") for name in first]
        return [name or f"Unnamed: {place}" for place, name in enumerate(names)]

    def chunks(
        self, columns: list[str], text: list[str], n_rows: int | None, progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """Yield frames; the columns in `text` are as they are written, the others of the types they look like."""
        pandas = require("pandas")
        names = self.columns()
        as_text = set(text)
        options: dict[str, Any] = {"dtype": dict.fromkeys(text, str)}
        if text:
            missing = list(MISSING_TEXTS)
            options["keep_default_na"] = False
            options["na_values"] = {name: missing for name in names if name not in as_text}
        with self._open(progress) as stream:
            reader = pandas.read_csv(
                stream,
                sep=self.separator,
                encoding=self._encoding,
                decimal=self.decimal,
                low_memory=False,
                chunksize=n_rows,
                **options,
            )
            # All columns are read: if some are left out, the parser overlooks rows with too many fields.
            for frame in [reader] if n_rows is None else reader:
                if list(frame.columns) != names:
                    raise ValueError(f"the names of the columns were read as {listed(list(frame.columns))}")
                yield frame[columns]

    def as_numbers(self, column: Any) -> Any:
        """Return cells that were read as text with decimal points, as Python writes numbers."""
        return column if self.decimal == "." else column.str.replace(self.decimal, ".", regex=False)

    def _head(self) -> str:
        """Return the first whole lines."""
        with self._open() as stream, io.TextIOWrapper(stream, self._encoding, newline="") as text:
            head = text.read(_HEAD)
        return head if len(head) < _HEAD else head[: max(head.rfind("\n"), head.rfind("\r")) + 1]

    @contextlib.contextmanager
    def _open(self, progress: Callable[[int], object] = lambda _: None) -> Iterator[Any]:
        """Open the file for the bytes of its text; `progress` is told how many bytes of the file are read."""
        with io.BufferedReader(_ReportingFile(self._path, progress)) as raw:
            if self._path.suffix.lower() != ".gz":
                yield raw
            else:
                with gzip.GzipFile(fileobj=raw) as opened:
                    yield opened


class _ReportingFile(io.FileIO):
    """A file that says how far it is read."""

    def __init__(self, path: Path, progress: Callable[[int], object]) -> None:
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: Any) -> int | None:
        """Read the next bytes, and say where they end."""
        n_bytes = super().readinto(buffer)
        self._progress(self.tell())
        return n_bytes
