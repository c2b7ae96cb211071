"""The tabular benchmarks with the splits of the paper's protocol."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

MASTER_SEED = 20240725
N_TRIALS = 30


@dataclass(frozen=True)
class Table:
    """One data set; categorical columns hold text."""

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]
    categorical: list[str]

    def outer_splits(self, n_trials: int) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """(trial, training rows, test rows) of the first trials: stratified halves from the master seed."""
        splitter = StratifiedShuffleSplit(N_TRIALS, test_size=0.5, random_state=MASTER_SEED)
        for trial, (train, test) in enumerate(splitter.split(np.zeros(len(self.y)), self.y)):
            if trial == n_trials:
                return
            yield trial, train, test


def data_directory() -> Path:
    """The folder named by DRR_DATA."""
    path = os.environ.get("DRR_DATA")
    if not path:
        raise SystemExit("set DRR_DATA to the folder that holds tabular24/, genes/ and large/")
    return Path(path)


def load_table(name: str, directory: Path) -> Table:
    """Read one of the data sets of tabular24/."""
    folder = directory / "tabular24"
    entry = json.loads((folder / "manifest.json").read_text())[name]
    categorical = list(entry["categorical"])
    frame = pd.read_csv(folder / entry["file"], dtype=dict.fromkeys(categorical, str), keep_default_na=False)
    X = frame.drop(columns="target")
    X[categorical] = X[categorical].astype(object)
    numeric = [name for name in X.columns if name not in categorical]
    X[numeric] = X[numeric].astype(np.float64)
    return Table(name, X, frame["target"].to_numpy(dtype=np.int64), categorical)
