"""The base classifiers by name, each behind the encoding that it needs of categories and missing values."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from drr.cli._errors import OptionError, in_one_line
from drr.cli._rules import BASES
from drr.features.preparation import Kind

# Boosted trees of other packages: the class, and how it is told to be quiet, to repeat itself and to share the machine.
_BOOSTED: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "xgboost": ("XGBClassifier", {"verbosity": 0}, "random_state", "n_jobs"),
    "lightgbm": ("LGBMClassifier", {"verbose": -1}, "random_state", "n_jobs"),
    "catboost": (
        "CatBoostClassifier",
        {"verbose": 0, "allow_writing_files": False},
        "random_seed",
        "thread_count",
    ),
}
# What a prepared table holds as numbers.
_NUMERIC = ("number", "date")
# The most levels of one column, as many as boosted trees take; rarer ones share the last.
MAX_LEVELS = 250


def make_base(name: str, kinds: dict[str, Kind], seed: int, n_jobs: int | None) -> Any:
    """Make the base that a user names, ready for the columns of a table."""
    if name == "rf":
        return _encoded(RandomForestClassifier(random_state=seed, n_jobs=n_jobs), kinds)
    if name == "hist":
        return _boosting(kinds, seed)
    if name == "logistic":
        return _encoded(LogisticRegression(max_iter=1000), kinds, scaled=True)
    if name in _BOOSTED:
        return _encoded(_boosted_elsewhere(name, seed, n_jobs), kinds)
    if ":" in name:
        classifier = _from_factory(name)
        # A pipeline reads the columns by itself, as its author wrote it.
        return classifier if isinstance(classifier, Pipeline) else _encoded(classifier, kinds)
    raise OptionError(f"--base {name} is not known; use {', '.join(BASES)} or module:factory")


def _boosted_elsewhere(name: str, seed: int, n_jobs: int | None) -> Any:
    """Make boosted trees of a package that is not a requirement."""
    class_name, settings, seed_name, jobs_name = _BOOSTED[name]
    try:
        module = importlib.import_module(name)
    except ImportError:
        raise OptionError(f"--base {name} needs the package: pip install {name}") from None
    settings = settings | {seed_name: seed} | ({} if n_jobs is None else {jobs_name: n_jobs})
    return getattr(module, class_name)(**settings)


def _encoded(classifier: Any, kinds: dict[str, Kind], *, scaled: bool = False) -> Pipeline:
    """Encode one column per level, and missing numbers as the median with an indicator."""
    numeric: Any = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    if scaled:
        numeric = Pipeline([("impute", numeric), ("scale", StandardScaler())])
    levels = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MAX_LEVELS, sparse_output=False
    )
    return Pipeline([("encode", _by_kind(numeric, levels, kinds)), ("classify", classifier)])


def _boosting(kinds: dict[str, Kind], seed: int) -> Pipeline:
    """Make boosted trees, which take missing numbers and codes of categories as they are."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, max_categories=MAX_LEVELS)
    n_numeric = sum(kind in _NUMERIC for kind in kinds.values())
    classifier = HistGradientBoostingClassifier(
        categorical_features=list(range(n_numeric, len(kinds))) or None, random_state=seed
    )
    return Pipeline([("encode", _by_kind("passthrough", codes, kinds)), ("classify", classifier)])


def _by_kind(numeric: Any, levels: Any, kinds: dict[str, Kind]) -> ColumnTransformer:
    """Transform columns by their kind; the numeric ones come first."""
    parts = [
        ("numbers", numeric, [name for name, kind in kinds.items() if kind in _NUMERIC]),
        ("levels", levels, [name for name, kind in kinds.items() if kind not in _NUMERIC]),
    ]
    return ColumnTransformer([part for part in parts if part[2]], sparse_threshold=0.0)


def _from_factory(name: str) -> Any:
    module_name, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:  # users keep the module they are working on there
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise OptionError(f"--base {name}: cannot import {module_name!r} ({in_one_line(error)})") from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        raise OptionError(f"--base {name}: {module_name} has no function or class {attribute!r}")
    try:
        classifier = factory()
    except Exception as error:
        raise OptionError(f"--base {name}: {attribute}() failed ({in_one_line(error)})") from error
    if not (hasattr(classifier, "fit") and is_classifier(classifier)):
        raise OptionError(
            f"--base {name}: {attribute}() returns a {type(classifier).__name__}, not a scikit-learn classifier"
        )
    return classifier
