"""Results on disk: one line per cell, appended; a kill at any moment loses at most the line being written.

A folder of results holds ``cells.csv``, one row per (dataset, trial, learner, method), and ``configuration.json``,
which says how they were computed. Continuing under another configuration is refused.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from benchmarks.study.metrics import COLUMNS

CELLS = "cells.csv"
CONFIGURATION = "configuration.json"
HEADER = ("dataset", "trial", "learner", "method", *COLUMNS, "seconds", "warnings", "error", "extra")

# What must not change between the sittings of a run, and what may only grow.
FIXED, GROWING = ("protocol", "learners", "versions"), ("data", "methods")


class Cell(NamedTuple):
    """The key of a row."""

    dataset: str
    trial: int
    learner: str
    method: str


class OtherConfigurationError(ValueError):
    """The results in a folder were computed in another way than the ones to be added."""


class Store:
    """The results of one run; one process writes, and it alone."""

    def __init__(self, folder: Path, configuration: Mapping[str, Any]) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(folder / "lock")
        try:
            self._agree(configuration)
        except OtherConfigurationError:
            self._lock.close()
            raise
        self.path = folder / CELLS
        if self.path.exists():
            _drop_torn_line(self.path)
        if not self.path.exists() or self.path.stat().st_size == 0:
            self._write(_as_lines([HEADER]))
        self.done = {_key(row) for row in read_rows(self.path)}

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows, all in one write that reaches the disk; a cell that is there already is left alone."""
        fresh = [row for row in rows if _key(row) not in self.done]
        if fresh:
            self._write(_as_lines([_format(row.get(name)) for name in HEADER] for row in fresh))
            self.done.update(_key(row) for row in fresh)

    def close(self) -> None:
        """Let another process write."""
        self._lock.close()

    def _write(self, text: str) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            data = text.encode()
            while data:
                data = data[os.write(descriptor, data) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _agree(self, configuration: Mapping[str, Any]) -> None:
        """Refuse another configuration, add what is new to the one on disk."""
        path = self.folder / CONFIGURATION
        wanted = json.loads(json.dumps(configuration))
        if path.exists():
            found = json.loads(path.read_text())
            differing = [name for name in FIXED if found[name] != wanted[name]]
            for part in GROWING:
                common = found[part].keys() & wanted[part].keys()
                differing += [f"{part}/{name}" for name in common if found[part][name] != wanted[part][name]]
                wanted[part] = found[part] | wanted[part]
            if differing:
                raise OtherConfigurationError(
                    f"{self.folder} holds results of another configuration (it differs in {', '.join(differing)}): "
                    "choose an empty folder, or go back to that configuration"
                )
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(wanted, indent=1, sort_keys=True) + "\n")
        temporary.replace(path)


def read_rows(path: Path) -> Iterable[dict[str, str]]:
    """The rows of a results file, plain or compressed, as text."""
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        yield from csv.DictReader(file)


def read_results(folder: Path) -> pd.DataFrame:
    """All rows of a folder: its cells.csv, and any ``*.csv.gz``; the first of equal cells counts."""
    paths = [path for path in (folder / CELLS, *sorted(folder.glob("*.csv.gz"))) if path.exists()]
    if not paths:
        raise FileNotFoundError(f"no results in {folder}")
    frames = [pd.read_csv(path, dtype={"warnings": str, "error": str, "extra": str}) for path in paths]
    table = pd.concat(frames, ignore_index=True)
    return table.drop_duplicates(list(Cell._fields), ignore_index=True)


def extras(rows: pd.DataFrame) -> pd.DataFrame:
    """The `extra` column, spread out beside the keys of the cells."""
    spread = pd.DataFrame([json.loads(text) if isinstance(text, str) else {} for text in rows["extra"]])
    return pd.concat([rows[list(Cell._fields)].reset_index(drop=True), spread], axis=1)


def _key(row: Mapping[str, Any]) -> Cell:
    return Cell(row["dataset"], int(row["trial"]), row["learner"], row["method"])


def _format(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, dict):
        return json.dumps({key: _short(item) for key, item in value.items()}) if value else ""
    return str(_short(value))


def _short(value: Any) -> Any:
    """Seven significant digits: more than any table shows, half the size."""
    return float(f"{value:.7g}") if isinstance(value, float) else value


def _as_lines(rows: Iterable[Iterable[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _drop_torn_line(path: Path) -> None:
    """Cut off what a kill left of a line; no field holds a line break."""
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)


def _lock(path: Path) -> io.TextIOWrapper:
    file = path.open("w")
    try:
        import fcntl
    except ImportError:  # no advisory locks on this system: two writers are the user's to avoid
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise RuntimeError(f"another run is writing to {path.parent}") from None
    return file
