"""Keep small models of this version, which every later one must load: ``python tools/keep_models.py``.

Part of a release. Writes tests/data/models/VERSION: one file per kind of model, fitted to generated rows, and beside it
in JSON the rows to score and what the model says of them. `tests/contract/test_kept_models.py` reads every version.
What was released is never written again; before that, ``--replace`` does.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import drr

MODELS = Path(__file__).parents[1] / "tests" / "data" / "models"
N_ROWS = 240
N_SCORED = 12


def make_table() -> tuple[pandas.DataFrame, np.ndarray]:
    """Three columns of numbers and a category; one row in eight is rare."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(N_ROWS) % 8 == 0, "rare", "common")
    X = pandas.DataFrame(rng.normal(size=(N_ROWS, 3)) + (y == "rare")[:, None], columns=["a", "b", "c"])
    X["colour"] = pandas.Categorical(np.array(["blue", "green", "red"])[rng.integers(3, size=N_ROWS)])
    return X, y


def feature_map() -> drr.RakingFeatureMap:
    return drr.RakingFeatureMap(8, random_state=0)


def keep_feature_map(X: pandas.DataFrame, y: np.ndarray) -> Any:
    return feature_map().fit(X)


def keep_dual(X: pandas.DataFrame, y: np.ndarray) -> Any:
    return drr.RakingDual(feature_map(), random_state=0).fit(X, y)


def keep_logistic(X: pandas.DataFrame, y: np.ndarray) -> Any:
    model = drr.DRRClassifier(
        LogisticRegression(), dual=drr.RakingDual(feature_map()), threshold=drr.TopK(9), random_state=0
    )
    return model.fit(X[["a", "b", "c"]], y)


def keep_forest(X: pandas.DataFrame, y: np.ndarray) -> Any:
    model = drr.DRRClassifier(
        RandomForestClassifier(3, max_depth=3, random_state=0),
        dual=drr.RakingDual(feature_map()),
        holdout=3,
        fusion_weight="auto",
        calibration="isotonic",
        random_state=0,
    )
    return model.fit(X[["a", "b", "c"]], y)


def keep_boosting(X: pandas.DataFrame, y: np.ndarray) -> Any:
    model = drr.DRRClassifier(
        HistGradientBoostingClassifier(max_iter=3, max_depth=2, random_state=0),
        dual=drr.RakingDual(feature_map()),
        threshold=drr.RecallAtLeast(0.8),
        random_state=0,
    )
    return model.fit(X[["a", "b", "c"]], y)


def keep_three_classes(X: pandas.DataFrame, y: np.ndarray) -> Any:
    classes = np.where(X["a"] > 1, "high", y)
    model = drr.DRRClassifier(LogisticRegression(), dual=drr.RakingDual(feature_map()), random_state=0)
    return model.fit(X[["b", "c"]], classes)


def keep_rescored(X: pandas.DataFrame, y: np.ndarray) -> Any:
    """Without a base: the scores are given."""
    dual = drr.RakingDual(feature_map())
    return drr.DRRClassifier.from_scores(X["a"], X[["b", "c", "colour"]], y, dual=dual, random_state=0)


def keep_resampler(X: pandas.DataFrame, y: np.ndarray) -> Any:
    model = drr.RakingResampler(drr.RakingDual(feature_map()), random_state=0)
    model.fit_resample(X, y)
    return model


KEPT: dict[str, Callable[[pandas.DataFrame, np.ndarray], Any]] = {
    "feature_map": keep_feature_map,
    "dual": keep_dual,
    "logistic": keep_logistic,
    "forest": keep_forest,
    "boosting": keep_boosting,
    "three_classes": keep_three_classes,
    "rescored": keep_rescored,
    "resampler": keep_resampler,
}


def outputs(model: Any, rows: pandas.DataFrame) -> dict[str, Any]:
    """What a model says of some rows, by the name of the method."""
    columns = rows[list(model.feature_names_in_)]
    if isinstance(model, drr.RakingFeatureMap):
        return {"transform": model.transform(columns).tolist()}
    if isinstance(model, drr.RakingDual):
        return {"log_density_ratio": model.log_density_ratio(columns).tolist()}
    if isinstance(model, drr.RakingResampler):
        return outputs(model.dual_, rows) | {"sample_indices_": model.sample_indices_.tolist()}
    given = {"base_score": rows["a"]} if model.estimator is None else {}
    names = ("fused_score", "predict_proba", "predict")
    return {name: getattr(model, name)(columns, **given).tolist() for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--replace", action="store_true", help="overwrite models of a version not yet released"
    )
    arguments = parser.parse_args()
    folder = MODELS / drr.__version__
    if folder.exists() and not arguments.replace:
        raise SystemExit(f"{folder} exists: released models stay as they are (--replace: not released yet)")
    folder.mkdir(parents=True, exist_ok=True)
    X, y = make_table()
    rows = X.iloc[:N_SCORED]
    for name, fit in KEPT.items():
        model = fit(X, y)
        drr.save(model, folder / f"{name}.skops")
        kept = {"rows": rows.to_dict("list"), "outputs": outputs(model, rows)}
        (folder / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")
        print(f"{folder / name}.skops: {(folder / f'{name}.skops').stat().st_size} bytes")


if __name__ == "__main__":
    main()
