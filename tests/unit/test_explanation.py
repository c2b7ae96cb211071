"""Parts of the dual's score by column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from drr import DRRClassifier, RakingDual, RakingFeatureMap


@pytest.fixture
def table(rng):
    y = np.arange(300) % 6 == 0
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=300) + y,
            "colour": np.where(rng.random(300) < 0.3 + 0.5 * y, "red", "blue"),
            "b": rng.normal(size=300),
        }
    )
    frame.loc[::7, "b"] = np.nan
    return frame, y


@pytest.mark.parametrize("n_random_features", [0, 16])
@pytest.mark.parametrize("sparse_output", [True, False])
def test_parts_add_up_to_the_score(table, n_random_features, sparse_output):
    frame, y = table
    feature_map = RakingFeatureMap(n_random_features, sparse_output=sparse_output, random_state=0)
    dual = RakingDual(feature_map).fit(frame, y)
    parts = dual.explain(frame)
    assert list(parts.columns) == ["a", "colour", "b", "fourier"][: 4 if n_random_features else 3]
    np.testing.assert_allclose(parts.sum(axis=1), dual.score_samples(frame), atol=1e-12)


def test_a_part_is_what_a_change_of_its_column_changes(table):
    frame, y = table
    dual = RakingDual(RakingFeatureMap(0)).fit(frame, y)
    other = frame.assign(colour="blue", b=0.5)
    moved = dual.score_samples(other) - dual.score_samples(frame)
    parts = dual.explain(other) - dual.explain(frame)
    np.testing.assert_allclose(parts["a"], 0)
    np.testing.assert_allclose(parts["colour"] + parts["b"], moved, atol=1e-12)


def test_other_feature_maps_have_no_parts(table):
    frame, y = table
    dual = RakingDual(StandardScaler()).fit(frame[["a"]].assign(c=np.arange(300.0)), y)
    with pytest.raises(TypeError, match=r"StandardScaler.*RakingFeatureMap"):
        dual.explain(frame[["a"]])


def test_shapley_values_of_a_linear_dual_are_its_parts(rng):
    shap = pytest.importorskip("shap")
    y = np.arange(300) % 6 == 0
    X = rng.normal(size=(300, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    dual = RakingDual(RakingFeatureMap(0)).fit(X, y)
    background = shap.maskers.Independent(X, max_samples=len(X))
    values = shap.Explainer(dual.score_samples, background, algorithm="exact")(X[:10], silent=True).values
    parts = dual.explain(X)
    np.testing.assert_allclose(values, parts[:10] - parts.mean(axis=0), atol=1e-9)


def test_importance_and_dependence_work_on_the_classifier(rng):
    y = np.arange(300) % 6 == 0
    X = pd.DataFrame(
        rng.normal(size=(300, 3)) + y[:, None] * [2.0, 0.5, 0.0], columns=["strong", "weak", "noise"]
    )
    model = DRRClassifier(LogisticRegression(), dual=RakingDual(RakingFeatureMap(0)), random_state=0).fit(
        X, y
    )
    importance = permutation_importance(
        model, X, y, scoring="average_precision", n_repeats=5, random_state=0
    ).importances_mean
    assert importance.argmax() == 0
    assert importance[0] > 5 * abs(importance[2])
    dependence = partial_dependence(model, X, ["strong"], grid_resolution=8)
    assert (np.diff(dependence["average"][0]) > 0).all()
    grid = dependence["grid_values"][0]
    moved = [model.predict_proba(X.assign(strong=value))[:, 1].mean() for value in grid]
    np.testing.assert_allclose(dependence["average"][0], moved, atol=1e-12)
