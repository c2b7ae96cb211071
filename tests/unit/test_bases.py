"""Bases as other packages and users write them: their labels, their probabilities, their weights, their seeds."""

from __future__ import annotations

import contextlib
import importlib
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

import drr
from drr import DRRClassifier


@pytest.fixture
def two_classes(rng):
    y = (np.arange(240) % 8 == 0).astype(int)
    return rng.normal(size=(240, 3)) + y[:, None], y


class OneColumn(ClassifierMixin, BaseEstimator):
    """A network's wrapper: a single probability per row, as a vector or as a column."""

    def __init__(self, width=1):
        self.width = width

    def fit(self, X, y):
        self.inner_ = LogisticRegression().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        second = self.inner_.predict_proba(X)[:, 1]
        return {0: second, 1: second[:, None], 3: np.stack([second] * 3, axis=1)}[self.width]


@pytest.mark.parametrize("width", [0, 1])
def test_one_column_of_probabilities_is_that_of_the_second_class(two_classes, width):
    X, y = two_classes
    one = DRRClassifier(OneColumn(width), random_state=0).fit(X, y)
    two = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    np.testing.assert_allclose(one.base_score(X), two.base_score(X))
    first = DRRClassifier(OneColumn(width), pos_label=0, random_state=0).fit(X, y)
    np.testing.assert_allclose(first.base_score(X), 1 - two.base_score(X))


def test_other_columns_of_probabilities_are_an_error_with_their_shape(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match=r"OneColumn returns shape \(\d+, 3\) for 2 classes"):
        DRRClassifier(OneColumn(3), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"OneColumn returns shape \(\d+, 1\) for 3 classes"):
        DRRClassifier(OneColumn(1), random_state=0).fit(X, np.arange(240) % 3)


class Weights:
    """What offers itself as an array and nothing else."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._values, dtype=dtype)


def test_weights_that_only_offer_an_array_are_divided_among_the_rows(two_classes):
    X, y = two_classes
    weights = np.linspace(1, 2, 240)
    offered = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y, Weights(weights))
    plain = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(offered.fused_score(X), plain.fused_score(X))


def test_weights_are_an_argument_that_other_estimators_see(two_classes):
    X, y = two_classes
    weights = np.linspace(1, 5, 240)
    model = DRRClassifier(DecisionTreeClassifier(max_depth=3), random_state=0)
    assert has_fit_parameter(model, "sample_weight")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calibrated = CalibratedClassifierCV(model, cv=3)
        weighted = calibrated.fit(X, y, sample_weight=weights).calibrated_classifiers_[0].estimator
    assert weighted.rescorings_[0].held_out.weights is not None
    MultiOutputClassifier(model).fit(X, np.stack([y, 1 - y], axis=1), sample_weight=weights)
    boosted = AdaBoostClassifier(DRRClassifier(LogisticRegression()), n_estimators=2, random_state=0)
    assert boosted.fit(X, y).predict(X).shape == y.shape


def test_a_stack_without_a_final_estimator_is_a_base(two_classes):
    X, y = two_classes
    stack = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2))], cv=3)
    model = DRRClassifier(stack, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.base_score(X), model.estimator_.predict_proba(X)[:, 1])


class CodesOnly(LogisticRegression):
    """Takes the labels 0, 1, … and no others, as XGBoost does."""

    def fit(self, X, y, sample_weight=None):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`. Got {np.unique(y)}")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("labels", [["fraud", "good"], [1, 2], [-1, 1]])
def test_a_base_that_wants_codes_gets_them(two_classes, labels):
    X, y = two_classes
    named = np.array(labels)[1 - y]
    coded = DRRClassifier(CodesOnly(), random_state=0).fit(X, named)
    plain = DRRClassifier(LogisticRegression(), random_state=0).fit(X, named)
    np.testing.assert_allclose(coded.fused_score(X), plain.fused_score(X), rtol=1e-9)
    assert coded.predict(X).tolist() == plain.predict(X).tolist()
    assert set(coded.estimator_.predict(X)) <= set(labels)


def test_the_reason_of_a_base_that_fails_for_another_reason_is_shown(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="max_iter"):
        DRRClassifier(LogisticRegression(max_iter=-1), random_state=0).fit(X, np.array(["a", "b"])[y])


def test_xgboost_takes_text_labels(two_classes):
    xgboost = pytest.importorskip("xgboost")
    X, y = two_classes
    model = DRRClassifier(xgboost.XGBClassifier(n_estimators=5), random_state=0)
    assert set(model.fit(X, np.array(["no", "yes"])[y]).predict(X)) == {"no", "yes"}


def test_a_seed_reaches_a_base_that_has_none(two_classes):
    X, y = two_classes
    base = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    first, second = (DRRClassifier(base, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.fused_score(X), second.fused_score(X))
    own = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=9))
    fitted = DRRClassifier(own, random_state=3).fit(X, y).estimator_
    assert fitted[-1].random_state == 9


def boosted_bases():
    """Every base at hand that takes missing numbers, one way or another."""
    yield pytest.param(HistGradientBoostingClassifier(max_iter=5), id="hist")
    yield pytest.param(RandomForestClassifier(5), id="forest")
    yield pytest.param(make_pipeline(SimpleImputer(), LogisticRegression()), id="imputer")
    for module, name, settings in (
        ("xgboost", "XGBClassifier", {"n_estimators": 5}),
        ("lightgbm", "LGBMClassifier", {"n_estimators": 5, "verbose": -1}),
        ("catboost", "CatBoostClassifier", {"iterations": 5, "verbose": 0, "allow_writing_files": False}),
    ):
        with contextlib.suppress(ImportError):
            yield pytest.param(getattr(importlib.import_module(module), name)(**settings), id=module)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # of LightGBM, about itself
@pytest.mark.parametrize("base", boosted_bases())
def test_missing_numbers_need_nothing_of_the_user(two_classes, base):
    X, y = two_classes
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    model = DRRClassifier(base, random_state=0)
    assert np.isfinite(model.fit(holes, y).predict_proba(holes)).all()
    late = DRRClassifier(base, random_state=0).fit(X, y)  # missing for the first time at predict
    assert np.isfinite(late.predict_proba(holes)).all()
    strict = DRRClassifier(base, random_state=0).set_params(dual__feature_map__missing="error")
    with pytest.raises(ValueError, match=r"X contains NaN at row \d+, column \d"):
        strict.fit(holes, y)


def test_the_default_takes_missing_numbers(two_classes):
    X, y = two_classes
    X[::9, 1] = np.nan
    assert np.isfinite(DRRClassifier(random_state=0).fit(X, y).fused_score(X)).all()


def test_parameters_of_parts_left_to_their_defaults_can_be_set_and_searched(two_classes):
    X, y = two_classes
    model = DRRClassifier(LogisticRegression(), random_state=0)
    assert model.set_params(dual__eta=0.2, dual__feature_map__n_random_features=4).dual.eta == 0.2
    assert model.dual.feature_map.n_random_features == 4
    grid = {"dual__eta": [0.05, 0.3], "dual__feature_map__n_random_features": [0, 8]}
    search = GridSearchCV(DRRClassifier(LogisticRegression(), random_state=0), grid, cv=2).fit(X, y)
    assert set(search.best_params_) == set(grid)
    with pytest.raises(ValueError, match="etta"):
        DRRClassifier().set_params(dual__etta=1)


def tables_with_categories():
    """The same table in every package, and rows with a level that it has not seen."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 8 == 0
    colour = np.where(rng.random(400) < 0.2 + 0.6 * y, "red", rng.choice(["green", "blue"], 400)).astype(
        object
    )
    colour[::13] = None
    frame = pd.DataFrame({"a": rng.normal(size=400) + y, "colour": colour, "member": rng.random(400) < 0.3})
    frame.loc[::9, "a"] = np.nan
    return frame, y.astype(int)


FRAMES = {
    "object": lambda frame: frame.astype({"colour": object}),
    "str": lambda frame: frame.astype({"colour": "str"}).where(frame.notna(), None),
    "string": lambda frame: frame.astype({"colour": "string"}),
    "category": lambda frame: frame.astype({"colour": "category"}),
    "polars": lambda frame: pytest.importorskip("polars").from_pandas(frame),
    "pyarrow": lambda frame: pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_default_base_takes_categories(kind, tmp_path):
    frame, y = tables_with_categories()
    expected = DRRClassifier(random_state=0).fit(frame, y).predict_proba(frame)
    model = DRRClassifier(random_state=0).fit(FRAMES[kind](frame), y)
    np.testing.assert_allclose(model.predict_proba(FRAMES[kind](frame)), expected)
    assert model.holdout_ == "out of bag"
    new = FRAMES[kind](frame.assign(colour="purple"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(model.predict_proba(new)).all()


def test_the_default_base_with_categories_takes_weights():
    frame, y = tables_with_categories()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DRRClassifier(random_state=0).fit(frame, y, sample_weight=np.linspace(1, 3, 400))
    plain = DRRClassifier(random_state=0).fit(frame, y)
    assert not np.array_equal(model.base_score(frame), plain.base_score(frame))


def test_the_default_base_with_categories_can_be_saved(tmp_path):
    pytest.importorskip("skops")
    frame, y = tables_with_categories()
    model = DRRClassifier(random_state=0).fit(frame, y)
    drr.save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(
        drr.load(tmp_path / "model.skops").fused_score(frame), model.fused_score(frame)
    )


def test_a_table_of_numbers_has_a_plain_forest():
    frame, y = tables_with_categories()
    numbers = frame[["a"]].assign(b=np.linspace(0, 1, 400), c=np.sin(np.arange(400)))
    assert type(DRRClassifier(random_state=0).fit(numbers, y).estimator_) is RandomForestClassifier
