"""Rescoring of many classes on gene expression: ``DRR_DATA=... python -m benchmarks.multiclass``.

Half of the rows train DRRClassifier around a random forest, the other half is the test; several stratified halves.
Printed is the mean over classes of the average precision on the test half, of the forest's own probabilities and of the
fused scores made from them, and in how many of the halves it rose. Classes with fewer than four rows are left out:
they cannot be in every part.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

from benchmarks.tabular import data_directory
from drr import DRRClassifier

DATA_SETS = ("deSouto_Ramaswamy_2001", "Baron_H1")
FEWEST_ROWS = 4


def load(name: str, directory: Path) -> tuple[np.ndarray, np.ndarray]:
    """Expression and the class of each row."""
    with np.load(directory / "genes" / f"{name}.npz") as data:
        X, y = data["X"], data["y"]
    kept = np.bincount(y)[y] >= FEWEST_ROWS
    return X[kept].astype(np.float64), y[kept]


def macro_average_precision(y: np.ndarray, classes: np.ndarray, scores: np.ndarray) -> float:
    """The mean over classes of each against the rest."""
    return float(
        np.mean([average_precision_score(y == label, scores[:, k]) for k, label in enumerate(classes)])
    )


def run_half(X: np.ndarray, y: np.ndarray, seed: int, folds: int) -> tuple[float, float]:
    """The values of the base and of the fused score on one test half."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    base = RandomForestClassifier(random_state=seed)
    options = {"holdout": folds, "fusion_weight": "auto"} if folds else {}
    model = DRRClassifier(base, random_state=seed, calibration=None, **options).fit(X[train], y[train])
    given = model.base_score(X[test])
    fused = model.fused_score(X[test], base_score=given)
    return tuple(macro_average_precision(y[test], model.classes_, scores) for scores in (given, fused))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=DATA_SETS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--folds", type=int, default=0, help="cross-fit and choose the weights; 0: the defaults"
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.sets:
        X, y = load(name, data_directory())
        print(f"{name}: {X.shape[0]} rows, {X.shape[1]} genes, {len(np.unique(y))} classes", flush=True)
        halves = []
        for seed in range(arguments.seeds):
            halves.append(run_half(X, y, seed, arguments.folds))
            print(f"  seed {seed}: base {halves[-1][0]:.3f}, fused {halves[-1][1]:.3f}", flush=True)
        base, fused = np.mean(halves, axis=0)
        rose = sum(after > before for before, after in halves)
        print(f"  mean: base {base:.3f}, fused {fused:.3f}, higher in {rose} of {len(halves)}", flush=True)


if __name__ == "__main__":
    main()
