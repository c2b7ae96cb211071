"""Results on disk: one line per cell, appended, so that a kill loses at most the line being written."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.bases.cells import HEADER, arms_of

CELLS = "cells.csv"
KEY = ("dataset", "trial", "learner", "arm")


class Store:
    """The cells of a folder, and which of them are done."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / CELLS
        if not self._path.exists():
            self._write([HEADER])
        text = self._path.read_bytes()
        if not text.endswith(b"\n"):  # what a kill left of a line
            os.truncate(self._path, text.rfind(b"\n") + 1)
        self.done = {tuple(str(row[name]) for name in KEY) for row in read(folder).to_dict("records")}

    def missing(self, dataset: str, trial: int, learner: str) -> list[str]:
        """Return the arms of a learner that are not there; a row that is deleted is measured again."""
        return [arm for arm in arms_of(learner) if (dataset, str(trial), learner, arm) not in self.done]

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add the arms of a learner in one write."""
        lines = [[_text(row[name]) for name in HEADER] for row in rows]
        self._write(lines)
        self.done |= {tuple(line[: len(KEY)]) for line in lines}

    def _write(self, lines: Iterable[Iterable[str]]) -> None:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(lines)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())


def read(folder: Path) -> pd.DataFrame:
    """All cells of a folder."""
    return pd.read_csv(folder / CELLS)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.7g}" if isinstance(value, float) else str(value)
