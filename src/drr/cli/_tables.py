"""Tables as files: CSV, also compressed, and Parquet, read whole or in chunks."""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from drr.cli._errors import CommandError, in_one_line, listed, require
from drr.cli._terminal import Terminal

CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")

# Numbers in a chunk: 8 MB in double precision, some 50 000 rows of 20 columns.
_CHUNK_SIZE = 2**20
_FEWEST_ROWS = 1024


class Table:
    """A file of rows with named columns."""

    def __init__(self, path: str, *, separator: str | None = None, encoding: str = "utf-8") -> None:
        require("pandas")
        self.path = Path(path)
        self.is_parquet = has_suffix(path, PARQUET_SUFFIXES)
        if not self.is_parquet and not has_suffix(path, CSV_SUFFIXES):
            raise CommandError(
                f"{path}: the format is not known by its name; use one of {', '.join(CSV_SUFFIXES + PARQUET_SUFFIXES)}"
            )
        if not self.path.is_file():
            what = "is a folder" if self.path.is_dir() else "does not exist"
            raise CommandError(f"{path} {what}; check the path (the working folder is {os.getcwd()})")
        self._encoding = encoding
        self._separator = separator or ("\t" if ".tsv" in self.path.name.lower() else ",")
        self.columns = self._read_columns()

    def require_columns(self, names: Sequence[str], option: str = "") -> None:
        """Raise where columns are missing."""
        missing = [name for name in names if name not in self.columns]
        if not missing:
            return
        named = f"column {listed(missing)}" if len(missing) == 1 else f"columns {listed(missing)}"
        because = f" ({option})" if option else ""
        hint = ""
        if len(self.columns) == 1 and not self.is_parquet:
            hint = "; the file seems to have one column: is --separator right?"
        raise CommandError(
            f"{self.path} has no {named}{because}; its columns are {listed(self.columns, 12)}{hint}"
        )

    def read(self, columns: Sequence[str], text: Sequence[str], terminal: Terminal) -> Any:
        """Those columns of all rows as one frame."""
        pandas = require("pandas")
        chunks = list(self.chunks(columns, text, terminal, consistent=True))
        if not chunks:
            raise CommandError(f"{self.path} has a header but no rows; give a file with rows")
        return chunks[0] if len(chunks) == 1 else pandas.concat(chunks, ignore_index=True)

    def chunks(
        self, columns: Sequence[str], text: Sequence[str], terminal: Terminal, *, consistent: bool = False
    ) -> Iterator[Any]:
        """Frames of consecutive rows. Those of CSV have the columns in `text` as they are written.

        With `consistent` all rows are read at once where the type of a column depends on all of them.
        """
        n_rows = max(_FEWEST_ROWS, _CHUNK_SIZE // max(1, len(columns)))
        reader = self._parquet_chunks if self.is_parquet else self._csv_chunks
        yield from reader(list(columns), list(text), n_rows, terminal, consistent)

    def _parquet_chunks(
        self, columns: list[str], _text: list[str], n_rows: int, terminal: Terminal, _consistent: bool
    ) -> Iterator[Any]:
        pandas, parquet = require("pandas"), require("pyarrow.parquet")
        try:
            with (
                parquet.ParquetFile(self.path) as file,
                terminal.bar(self.path.name, file.metadata.num_rows, "rows") as bar,
            ):
                done = 0
                for batch in file.iter_batches(n_rows, columns=columns):
                    # Arrow's own types lose nothing: whole numbers stay whole beside missing ones.
                    frame = batch.to_pandas(types_mapper=pandas.ArrowDtype)
                    yield frame[columns]
                    done += len(frame)
                    bar.reach(done)
        except (OSError, _arrow_errors()) as error:
            raise self._unreadable(error) from error

    def _csv_chunks(
        self, columns: list[str], text: list[str], n_rows: int, terminal: Terminal, consistent: bool
    ) -> Iterator[Any]:
        pandas = require("pandas")
        try:
            with (
                self.path.open("rb") as raw,
                terminal.bar(self.path.name, self.path.stat().st_size, "B") as bar,
            ):
                reader = pandas.read_csv(
                    gzip.GzipFile(fileobj=raw) if self.path.suffix.lower() == ".gz" else raw,
                    sep=self._separator,
                    encoding=self._encoding,
                    dtype=dict.fromkeys(text, str),
                    low_memory=False,
                    chunksize=None if consistent else n_rows,
                )
                # All columns are read: told to leave some out, the parser overlooks rows with too many fields.
                for frame in [reader] if consistent else reader:
                    if list(frame.columns) != self.columns:
                        raise ValueError(
                            f"the names of the columns were read as {listed(list(frame.columns))}"
                        )
                    if len(frame):
                        yield frame[columns]
                    bar.reach(raw.tell())
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise self._unreadable(error) from error

    def _read_columns(self) -> list[str]:
        if self.is_parquet:
            parquet = require("pyarrow.parquet")
            try:
                return list(parquet.read_schema(self.path).names)
            except (OSError, _arrow_errors()) as error:
                raise self._unreadable(error) from error
        try:
            with self.path.open("rb") as raw:
                opened: Any = gzip.GzipFile(fileobj=raw) if self.path.suffix.lower() == ".gz" else raw
                lines = csv.reader(
                    io.TextIOWrapper(opened, self._encoding, newline=""), delimiter=self._separator
                )
                first = next(lines)
                row = next(filter(None, lines), [])
                if len(row) > len(first):  # pandas would take the first field as an index
                    raise ValueError("the rows have more fields than the first line has names")
        except StopIteration:
            raise CommandError(f"{self.path} is empty; the first line must name the columns") from None
        except (OSError, EOFError, ValueError, LookupError, zlib.error, csv.Error) as error:
            raise self._unreadable(error) from error
        names = [name.removeprefix("\ufeff") for name in first]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise CommandError(
                f"{self.path} has several columns named {listed(repeated)}; rename all but one"
            )
        return names

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
            return CommandError(f"{self.path} may not be read; ask for the permission, or copy the file")
        kind = "Parquet" if self.is_parquet else "CSV"
        return CommandError(
            f"{self.path} is not a {kind} file or is damaged ({in_one_line(error)}); correct it or export it again"
        )


def has_suffix(path: str | os.PathLike[str], suffixes: Sequence[str]) -> bool:
    """Whether the name of a file ends in one of those, in any case."""
    return os.fspath(path).lower().endswith(tuple(suffixes))


def _arrow_errors() -> Any:
    return require("pyarrow").ArrowException
