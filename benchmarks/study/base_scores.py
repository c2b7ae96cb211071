"""Scores of the base learners, kept on disk: arms that come later need no base fitted again."""

from __future__ import annotations

import io
import os
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

Kept = tuple[NDArray[np.float64], NDArray[np.float64], float]


class BaseScores:
    """One small file per data set, trial and learner, beside the results that they belong to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, dataset: str, trial: int, learner: str) -> Kept | None:
        """Return the scores of threshold and test rows and the seconds of the fit; None if they are not there."""
        try:
            with np.load(io.BytesIO(self._path(dataset, trial, learner).read_bytes())) as file:
                return file["threshold"], file["test"], float(file["seconds"])
        except (FileNotFoundError, BadZipFile, KeyError, EOFError, ValueError):
            return None

    def write(self, dataset: str, trial: int, learner: str, scores: Kept) -> None:
        """Keep scores; the file appears whole or not at all."""
        path = self._path(dataset, trial, learner)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        with temporary.open("wb") as file:
            np.savez(file, threshold=scores[0], test=scores[1], seconds=scores[2])
        temporary.replace(path)

    def _path(self, dataset: str, trial: int, learner: str) -> Path:
        return self._folder / dataset.replace(":", "_").replace("/", "_") / f"{trial:02}_{learner}.npz"
