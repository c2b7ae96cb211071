"""Tables written chunk by chunk: CSV, also compressed, Parquet, or CSV on the standard output."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from drr._files import written_whole
from drr.cli._errors import CommandError, OptionError, require
from drr.cli._tables import CSV_SUFFIXES, PARQUET_SUFFIXES, has_suffix

Write = Callable[[Any], None]


def check_output(path: str, suffixes: tuple[str, ...]) -> None:
    """Raise CommandError if an output cannot be written, before any work is done."""
    if not has_suffix(path, suffixes):
        raise OptionError(f"-o {path}: the name must end in {' or '.join(suffixes)}")
    if Path(path).is_dir():
        raise CommandError(f"-o {path} is a folder; name a file in it")
    folder = (Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)).parent
    if not folder.is_dir():
        raise CommandError(f"-o {path}: the folder {os.fspath(folder)} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"-o {path}: the folder {os.fspath(folder)} cannot be written to; choose another")


@contextlib.contextmanager
def table_writer(path: str | None) -> Iterator[Write]:
    """Yield a function that appends a frame. The file appears once all frames are written."""
    if path is None:
        yield from _to_output()
        return
    with written_whole(path) as draft:
        if has_suffix(path, PARQUET_SUFFIXES):
            with _parquet_to(draft) as write:
                yield write
        else:
            compressed = "gzip" if has_suffix(path, (".gz",)) else None
            separator = "\t" if has_suffix(path, (".tsv", ".tsv.gz")) else ","
            handles = require("pandas.io.common").get_handle(
                draft, "w", encoding="utf-8", compression=compressed
            )
            with handles:
                yield _csv_to(handles.handle, separator)


def _to_output() -> Iterator[Write]:
    """Write CSV to the standard output: in UTF-8 like every file, whatever a terminal there could show."""
    if not hasattr(sys.stdout, "buffer"):
        yield _csv_to(sys.stdout)
        return
    sys.stdout.flush()
    stream = io.TextIOWrapper(sys.stdout.buffer, "utf-8", newline="", write_through=True)
    try:
        yield _csv_to(stream)
        stream.flush()
    finally:
        with contextlib.suppress(OSError):
            stream.detach()


def _csv_to(stream: Any, separator: str = ",") -> Write:
    is_first = True

    def write(frame: Any) -> None:
        nonlocal is_first
        frame.to_csv(stream, sep=separator, index=False, header=is_first)
        is_first = False

    return write


@contextlib.contextmanager
def _parquet_to(path: Path) -> Iterator[Write]:
    pyarrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    writer: Any = None

    def write(frame: Any) -> None:
        nonlocal writer
        table = pyarrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        if writer is None:
            writer = parquet.ParquetWriter(path, table.schema)
        writer.write_table(table.cast(writer.schema))

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


OUTPUT_SUFFIXES = CSV_SUFFIXES + PARQUET_SUFFIXES
