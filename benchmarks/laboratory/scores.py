"""Scores of bases and of second scores, of training rows that their models did not see and of the test half."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import QuantileTransformer

from benchmarks.bases.learners import LEARNERS
from benchmarks.tabular import MASTER_SEED, data_directory, load_table
from drr import RakingDual, RakingFeatureMap
from drr.composition.base_score import base_scores
from drr.composition.out_of_bag import fit_out_of_bag, has_out_of_bag, out_of_bag_scores

# The largest tables with a part of their training rows.
MAX_ROWS = {"isolet": 1000, "mammography": 3500}
BASES = ("random forest", "LightGBM", "logistic regression", "cost-sensitive forest")
N_FOLDS = 5
# Ranks are mapped to normal quantiles within three standard deviations.
MAX_QUANTILE = 3.0
RARE = np.array([1])
Scores = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Half:
    """A training half with its folds, and the test half."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    X_test: pd.DataFrame
    y_test: NDArray[np.int64]
    categorical: list[str]
    seed: int

    def folds(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        return StratifiedKFold(N_FOLDS, shuffle=True, random_state=self.seed).split(self.X, self.y)

    def save(self, path: Path, scores: Scores, *, one_model: bool = False) -> None:
        """Write scores with the fold of each row; one model for all rows is one fold."""
        fold = np.zeros(len(self.y), dtype=np.int64)
        for number, (_, held_out) in enumerate(self.folds()):
            fold[held_out] = 0 if one_model else number
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, y=self.y, y_test=self.y_test, fold=fold, **scores)


def load_half(name: str, half: int) -> Half:
    table = load_table(name, data_directory())
    _, train, test = list(table.outer_splits(half + 1))[half]
    if len(train) > MAX_ROWS.get(name, len(train)):
        train, _ = train_test_split(
            train, train_size=MAX_ROWS[name], stratify=table.y[train], random_state=half
        )
        train.sort()
    X, y = table.X, table.y
    return Half(X.iloc[train], y[train], X.iloc[test], y[test], table.categorical, MASTER_SEED + half)


def store_bases(folder: Path, name: str, half: int) -> None:
    """Out of the bag or by folds, whichever the classifier would use."""
    for learner in BASES:
        path = folder / "bases" / f"{name}-{half}-{learner}.npz"
        if path.exists():
            continue
        rows = load_half(name, half)
        model = LEARNERS[learner](rows.categorical, rows.seed)
        is_out_of_bag = has_out_of_bag(model)
        if is_out_of_bag:
            model = fit_out_of_bag(model, rows.X, rows.y, {})
            held_out = out_of_bag_scores(model, rows.X, RARE)[:, 0]
        else:
            held_out = np.empty(len(rows.y))
            for fit, rest in rows.folds():
                fold_model = LEARNERS[learner](rows.categorical, rows.seed).fit(rows.X.iloc[fit], rows.y[fit])
                held_out[rest] = base_scores(fold_model, rows.X.iloc[rest], RARE)[:, 0]
            model.fit(rows.X, rows.y)
        scores = {"held": held_out, "test": base_scores(model, rows.X_test, RARE)[:, 0]}
        rows.save(path, scores, one_model=is_out_of_bag)


def store_seconds(folder: Path, name: str, half: int) -> None:
    """Every second score, by folds."""
    path = folder / "seconds" / f"{name}-{half}.npz"
    if path.exists():
        return
    rows = load_half(name, half)
    scores: Scores = {}
    for key, test in second_scores(rows, rows.X, rows.y, rows.X_test).items():
        scores[f"held:{key}"], scores[f"test:{key}"] = np.empty(len(rows.y)), test
    for fit, rest in rows.folds():
        for key, held_out in second_scores(rows, rows.X.iloc[fit], rows.y[fit], rows.X.iloc[rest]).items():
            scores[f"held:{key}"][rest] = held_out
    rows.save(path, scores)


def second_scores(rows: Half, X: pd.DataFrame, y: NDArray[np.int64], X_new: pd.DataFrame) -> Scores:
    """Fit all second scores on some rows and score others."""
    rank = rank_columns(X, rows.categorical)
    scores = {}
    for table, n_features, draw in (
        *(("raw", n_features, 0) for n_features in (0, 128, 256, 512)),
        *(("raw", 128, draw) for draw in (1, 2)),
        ("ranks", 128, 0),
    ):
        seen, new = (rank(X), rank(X_new)) if table == "ranks" else (X, X_new)
        feature_map = RakingFeatureMap(n_features, random_state=rows.seed + 1000 * draw, sparse_output=False)
        features, new_features = feature_map.fit(seen).transform(seen), feature_map.transform(new)
        for eta in (0.05, 0.2):
            theta = (
                RakingDual(feature_map, eta=eta, limit_direction=True, pos_label=1).fit(seen, y).direction_
            )
            scores[f"{table} {n_features} draw {draw} eta {eta}"] = new_features @ theta
        if (table, n_features, draw) == ("raw", 128, 0):
            regression = LogisticRegression(C=10.0, max_iter=1000).fit(features, y)
            scores["raw regression"] = regression.decision_function(new_features)
    return scores


def rank_columns(X: pd.DataFrame, categorical: list[str]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return the map of numeric columns to normal quantiles of their ranks in X."""
    numeric = [name for name in X.columns if name not in categorical]
    if not numeric:
        return lambda table: table
    quantiles = QuantileTransformer(n_quantiles=min(500, len(X)), output_distribution="normal")
    quantiles.fit(X[numeric])

    def apply(table: pd.DataFrame) -> pd.DataFrame:
        ranked = np.clip(quantiles.transform(table[numeric]), -MAX_QUANTILE, MAX_QUANTILE)
        return table.assign(**dict(zip(numeric, ranked.T, strict=True)))

    return apply
