"""The learners, each behind the encoding that it needs; everything not written here is its package's default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from drr import RakingFeatureMap

Maker = Callable[[list[str], int], Any]
"""(categorical columns, seed) to an unfitted classifier of data frames"""


def _encoded(model: Any, categorical: list[str], *, scaled: bool = False) -> Pipeline:
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), categorical), remainder="passthrough"
    )
    return make_pipeline(encoder, StandardScaler(), model) if scaled else make_pipeline(encoder, model)


def _forest(categorical: list[str], seed: int) -> Any:
    return _encoded(RandomForestClassifier(random_state=seed), categorical)


def _cost_sensitive_forest(categorical: list[str], seed: int) -> Any:
    return _encoded(RandomForestClassifier(class_weight="balanced", random_state=seed), categorical)


def _balanced_forest(categorical: list[str], seed: int) -> Any:
    from imblearn.ensemble import BalancedRandomForestClassifier

    return _encoded(BalancedRandomForestClassifier(random_state=seed), categorical)


def _extra_trees(categorical: list[str], seed: int) -> Any:
    return _encoded(ExtraTreesClassifier(random_state=seed), categorical)


def _boosting(categorical: list[str], seed: int) -> Any:
    return _encoded(HistGradientBoostingClassifier(random_state=seed), categorical)


def _lightgbm(categorical: list[str], seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return _encoded(LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1), categorical)


def _xgboost(categorical: list[str], seed: int) -> Any:
    from xgboost import XGBClassifier

    return _encoded(XGBClassifier(random_state=seed, n_jobs=1), categorical)


def _catboost(categorical: list[str], seed: int) -> Any:
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(
        iterations=200, random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False
    )
    return _encoded(model, categorical)


def _logistic(categorical: list[str], seed: int) -> Any:
    return _encoded(LogisticRegression(max_iter=2000), categorical, scaled=True)


def _svm(categorical: list[str], seed: int) -> Any:
    return _encoded(SVC(), categorical, scaled=True)


def _stack(categorical: list[str], seed: int) -> Any:
    """What a user can build of scikit-learn's parts: a forest and a logistic regression on the map of the dual."""
    same_map = make_pipeline(RakingFeatureMap(random_state=seed), LogisticRegression(C=10.0, max_iter=2000))
    return StackingClassifier([("forest", _forest(categorical, seed)), ("same_map", same_map)])


LEARNERS: dict[str, Maker] = {
    "random forest": _forest,
    "HistGradientBoosting": _boosting,
    "LightGBM": _lightgbm,
    "logistic regression": _logistic,
    "balanced forest": _balanced_forest,
    "cost-sensitive forest": _cost_sensitive_forest,
    "stack": _stack,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
    "extra trees": _extra_trees,
    "RBF SVM": _svm,
}
# Only compared with: what the stack is made of is what the rescored forest is made of.
ALONE_ONLY = ("stack",)
