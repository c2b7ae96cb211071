"""What folds that share one map and one Gram matrix save: ``DRR_DATA=... python -m benchmarks.shared_map``.

The duals of a cross-fitted classifier, fitted on given base scores so that nothing but the duals takes time: once with
a map and solves of its own for every fold and class, once sharing what can be shared. Printed are processor seconds of
the two, in turns, and the mean over classes and halves of the average precision of the fused score on the other half of
the rows, with a random forest that is fitted once as the base of both.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict, train_test_split

from benchmarks.multiclass import load
from benchmarks.tabular import data_directory, load_table
from drr import DRRClassifier, RakingDual

SETS = ("Baron_H1", "yeast", "abalone", "us_crime")
GENES = ("Baron_H1", "deSouto_Ramaswamy_2001")


class SeparateDual(RakingDual):
    """A dual that shares nothing: only RakingDual itself is known to learn its map without labels."""


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a table and its classes, of genes those with ten rows or more."""
    if name not in GENES:
        table = load_table(name, data_directory())
        return table.X, table.y
    X, y = load(name, data_directory())
    kept = np.bincount(y)[y] >= 10
    return X[kept], y[kept]


def rescore(dual: RakingDual, scores: np.ndarray, X: Any, y: np.ndarray) -> tuple[DRRClassifier, float]:
    """Fit a classifier on base scores; also return its processor seconds."""
    started = time.process_time()
    model = DRRClassifier.from_scores(scores, X, y, dual=dual, random_state=0)
    return model, time.process_time() - started


def precision(y: np.ndarray, classes: np.ndarray, scores: np.ndarray) -> float:
    """Return the average precision of the rare class, or its mean over three classes or more."""
    if scores.ndim == 1:
        return float(
            average_precision_score(y == classes[np.argmin([np.sum(y == k) for k in classes])], scores)
        )
    return float(np.mean([average_precision_score(y == k, scores[:, j]) for j, k in enumerate(classes)]))


def compare_half(X: Any, y: np.ndarray, seed: int) -> dict[str, tuple[float, float]]:
    """Return seconds and average precision of both ways, learned on one half and scored on the other."""
    parts = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    train, test = (X.iloc[rows] if hasattr(X, "iloc") else X[rows] for rows in parts)
    y_train, y_test = (y[rows] for rows in parts)
    forest = RandomForestClassifier(random_state=0)
    given = cross_val_predict(forest, train, y_train, cv=3, method="predict_proba")
    new = forest.fit(train, y_train).predict_proba(test)
    if given.shape[1] == 2:
        rare = int(np.argmin(np.bincount(np.searchsorted(forest.classes_, y_train))))
        given, new = given[:, rare], new[:, rare]
    found = {}
    for name, kind in {"separate": SeparateDual, "shared": RakingDual}.items():
        model, seconds = rescore(kind(limit_direction=True, n_threads=1), given, train, y_train)
        fused = model.fused_score(test, base_score=new)
        found[name] = (seconds, precision(y_test, model.classes_, fused))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--halves", type=int, default=3)
    parser.add_argument("--time-only", action="store_true", help="all rows once, with random base scores")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.sets:
        X, y = rows_of(name)
        if options.time_only:
            scores = np.random.default_rng(0).normal(size=(len(y), len(np.unique(y))))
            given = scores if scores.shape[1] > 2 else scores[:, 0]
            seconds = [
                rescore(kind(limit_direction=True, n_threads=1), given, X, y)[1]
                for kind in (RakingDual, SeparateDual)
            ]
            print(
                f"{name}: {seconds[1]:.2f} s separate, {seconds[0]:.2f} s shared, {seconds[1] / seconds[0]:.1f} times",
                flush=True,
            )
            continue
        halves = [compare_half(X, y, seed) for seed in range(options.halves)]
        for way in ("separate", "shared"):
            seconds, precisions = np.mean([half[way] for half in halves], axis=0)
            print(f"{name}, {way}: {seconds:.3f} s, average precision {precisions:.4f}", flush=True)


if __name__ == "__main__":
    main()
