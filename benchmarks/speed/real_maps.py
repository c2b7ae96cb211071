"""Raking problems from real data: the paper's feature map on the fit subset of its first trial.

The sets are found through DRR_DATA. Rows: the training half of the first stratified split, and 70 % of that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split

from benchmarks.speed.shapes import Problem
from drr import RakingFeatureMap

SEED = 20240725  # of the paper


def _fit_subset(y: np.ndarray) -> np.ndarray:
    splitter = StratifiedShuffleSplit(n_splits=1, test_size=0.5, random_state=SEED)
    half, _ = next(splitter.split(np.zeros((len(y), 1)), y))
    fit, _ = train_test_split(half, test_size=0.3, stratify=y[half], random_state=SEED)
    return np.asarray(fit)


def _problem(name: str, X: object, y: np.ndarray, n_random_features: int, categorical: list[str]) -> Problem:
    fit = _fit_subset(y)
    rows = X.iloc[fit] if isinstance(X, pd.DataFrame) else np.asarray(X)[fit]
    feature_map = RakingFeatureMap(
        n_random_features, categorical_features=categorical, random_state=SEED, sparse_output=False
    )
    embedded = np.ascontiguousarray(feature_map.fit_transform(rows))
    rare = y[fit] == 1
    return Problem(name, embedded[~rare], embedded[rare], embedded[rare].mean(axis=0))


def _tabular(directory: Path, name: str) -> Problem:
    frame = pd.read_csv(directory / "tabular24" / f"{name}.csv.gz")
    manifest = pd.read_json(directory / "tabular24" / "manifest.json", typ="series")[name]
    y = frame.pop("target").to_numpy()
    return _problem(f"{name} (real)", frame, y, 128, manifest["categorical"])


def _genes(directory: Path, name: str, file: str, positive: str) -> Problem:
    with np.load(directory / "genes" / f"{file}.npz") as arrays:
        X, y, classes = arrays["X"], arrays["y"], list(arrays["class_names"])
    return _problem(
        f"{name} (real)", X.astype(np.float64), (y == classes.index(positive)).astype(int), 128, []
    )


TABULAR = ("mammography", "isolet", "boundary", "us_crime")
GENES = {  # name → file and the class that is rare
    "TCGA": ("TCGA_LUAD_COAD_READ", "READ"),
    "Baron": ("Baron_H1", "acinar"),
    "Bhattacharjee": ("deSouto_Bhattacharjee_2001", "SQ"),
    "Ramaswamy": ("deSouto_Ramaswamy_2001", "LE"),
}
REAL = tuple(f"{name} (real)" for name in (*TABULAR, *GENES))


def real_problems() -> dict[str, Callable[[], Problem]]:
    """Name → maker; empty where DRR_DATA is not set."""
    if not os.environ.get("DRR_DATA"):
        return {}
    directory = Path(os.environ["DRR_DATA"])
    tabular = [partial(_tabular, directory, name) for name in TABULAR]
    genes = [partial(_genes, directory, name, *which) for name, which in GENES.items()]
    return dict(zip(REAL, [*tabular, *genes], strict=True))
