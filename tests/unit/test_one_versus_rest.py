"""Duals of several classes at once: the same as one by one, and from one Gram matrix if the rows are wide."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer

from drr import DRRClassifier, RakingDual, RakingFeatureMap, Status
from drr._native import core
from drr.raking.one_versus_rest import OneVersusRest, fit_one_versus_rest
from drr.raking.problem import ArrayProblem
from drr.raking.span import RowSpan, SpanProblem, is_worthwhile


def classes_of(rng, n_rows, n_columns, n_classes=4):
    y = rng.permutation(np.arange(n_rows) % n_classes)
    y[: n_rows // 3] = 0
    centres = rng.normal(size=(n_classes, n_columns)) * 2 / np.sqrt(n_columns)
    return rng.normal(size=(n_rows, n_columns)) + 3 * centres[y], y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("settings", [{}, {"min_ess": 0.3}, {"eta": 0.3}])
@pytest.mark.parametrize("shape", [(150, 400), (300, 6)], ids=["wide", "tall"])
def test_equal_to_one_by_one(rng, shape, settings, weighted):
    X, y = classes_of(rng, *shape)
    weights = rng.exponential(size=len(y)) * (rng.random(len(y)) < 0.9) if weighted else None
    dual = RakingDual(random_state=0, **settings)
    together = fit_one_versus_rest(dual, X, y, np.unique(y), weights)
    for label, each in zip(np.unique(y), together, strict=True):
        alone = clone(dual).set_params(pos_label=label).fit(X, y, weights)
        assert (each.pos_label_, each.eta_) == (alone.pos_label_, pytest.approx(alone.eta_, rel=2e-3))
        np.testing.assert_array_equal(each.majority_, alone.majority_)
        assert each.raking_.dual.status.is_success
        assert each.floor_.value == pytest.approx(alone.floor_.value, rel=1e-9)
        if "min_ess" in settings:  # found by bisection, to a thousandth
            continue
        np.testing.assert_allclose(each.weights_, alone.weights_, rtol=0, atol=1e-8 * alone.weights_.max())
        scale = np.abs(alone.theta_).max()
        np.testing.assert_allclose(each.theta_, alone.theta_, rtol=0, atol=1e-7 * scale)
        np.testing.assert_allclose(each.floor_.weights.sum(), 1.0)
        assert each.floor_.weights.shape == alone.floor_.weights.shape
        np.testing.assert_allclose(each.log_density_ratio(X), alone.log_density_ratio(X), atol=1e-6 * scale)
        np.testing.assert_allclose(each.moments_.base, alone.moments_.base, atol=1e-13)
        np.testing.assert_allclose(each.moments_.target, alone.moments_.target, atol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("eta", [0.05, 0.99], ids=["tilted", "zero"])
@pytest.mark.parametrize("shape", [(150, 400), (300, 6)], ids=["wide", "tall"])
@pytest.mark.filterwarnings("ignore:The dual is zero")
def test_a_fold_is_scored_as_by_duals_that_share_only_the_map(rng, shape, eta, weighted):
    X, y = classes_of(rng, *shape)
    weights = rng.exponential(size=len(y)) * (rng.random(len(y)) < 0.9) if weighted else None
    dual = RakingDual(random_state=0, eta=eta, limit_direction=True)
    shared = OneVersusRest(dual, X, y, np.unique(y), weights, n_folds=5)
    feature_map = FrozenEstimator(shared.duals[0].feature_map_)
    order = rng.permutation(len(y))
    held_out, fit = order[:40], order[40:]
    found = shared.score_held_out(fit, held_out)
    for k, label in enumerate(np.unique(y)):
        alone = clone(dual).set_params(pos_label=label, feature_map=feature_map)
        alone.fit(X[fit], y[fit], None if weights is None else weights[fit])
        expected = alone.log_density_ratio(X[held_out])
        np.testing.assert_allclose(found[:, k], expected, atol=1e-6 * np.abs(expected).max())


def test_a_fold_does_not_see_the_rows_that_it_holds_out(rng):
    X, y = classes_of(rng, 150, 400)
    held_out, fit = np.arange(30), np.arange(30, 150)
    relabelled = y.copy()
    relabelled[held_out] = rng.permutation(y[held_out])
    before, after = (
        OneVersusRest(RakingDual(random_state=0), X, each, np.unique(y), n_folds=5)
        for each in (y, relabelled)
    )
    scores = before.score_held_out(fit, held_out)
    np.testing.assert_allclose(after.score_held_out(fit, held_out), scores, atol=1e-6 * np.abs(scores).max())


class SupervisedMap(RakingFeatureMap):
    """A map that might learn from the labels."""


@pytest.mark.parametrize(("kind", "n_fits"), [(RakingFeatureMap, 1), (SupervisedMap, 6)])
def test_only_a_map_that_knows_no_labels_is_fitted_on_held_out_rows(rng, monkeypatch, kind, n_fits):
    X, y = classes_of(rng, 300, 6, n_classes=2)
    sizes = []
    fit = RakingFeatureMap.fit
    monkeypatch.setattr(
        RakingFeatureMap, "fit", lambda self, X, y=None: sizes.append(X.shape[0]) or fit(self, X, y)
    )
    dual = RakingDual(kind(random_state=0))
    DRRClassifier(LogisticRegression(), dual=dual, holdout=5, random_state=0).fit(X, y)
    assert sorted(sizes, reverse=True) == [300] + [240] * (n_fits - 1)


def test_wide_rows_are_solved_in_their_span(rng):
    X, y = classes_of(rng, 150, 400)
    for each in fit_one_versus_rest(RakingDual(random_state=0), X, y, np.unique(y)):
        assert each.raking_.dual.method == "span"


def test_one_map_and_one_embedding(rng, monkeypatch):
    X, y = classes_of(rng, 150, 400)
    calls = []
    transform = RakingFeatureMap.transform
    monkeypatch.setattr(
        RakingFeatureMap, "transform", lambda self, X: calls.append(len(X)) or transform(self, X)
    )
    duals = fit_one_versus_rest(RakingDual(random_state=0), X, y, np.unique(y))
    assert calls == [150]
    assert {id(each.feature_map_.estimator) for each in duals[1:]} == {id(duals[0].feature_map_)}


def test_the_classifier_uses_it(rng):
    X, y = classes_of(rng, 150, 400)
    model = DRRClassifier(LogisticRegression(), holdout=0.3, random_state=0).fit(X, y)
    assert {dual.raking_.dual.method for dual in model.dual_} <= {"span", "zero"}


def span_problem(rng, rows, n_target=5):
    target = np.where(np.arange(len(rows)) < n_target, 1.0 / n_target, 0.0)
    weights = np.where(np.arange(len(rows)) < n_target, 0.0, 1.0 / (len(rows) - n_target))
    return SpanProblem(rows, RowSpan(core.gram(rows)), target, weights, 1), ArrayProblem(
        rows, target @ rows, weights, 1
    )


@pytest.mark.parametrize("repeats", [1, 3])  # equal rows have a singular Gram matrix
def test_certificates_are_those_of_the_rows(rng, repeats):
    rows = np.repeat(rng.normal(size=(30, 200)) + 0.3, repeats, axis=0)
    inside, outside = span_problem(rng, rows)
    floors = [each.find_floor("auto", 0, None) for each in (inside, outside)]
    assert floors[0].status is Status.CONVERGED
    assert floors[0].value == pytest.approx(floors[1].value, rel=1e-10)
    np.testing.assert_allclose(floors[0].residual, rows.T @ floors[0].weights - inside.target, atol=1e-13)
    tolerance = 0.5 * (floors[0].value + floors[0].base_discrepancy)
    one, other = (
        each.solve_dual(tolerance, floor, None, "auto", 0, None)
        for each, floor in zip((inside, outside), floors, strict=True)
    )
    assert one.status is other.status is Status.CONVERGED
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-9 * other.weights.max())
    np.testing.assert_allclose(one.mean, rows.T @ one.weights, atol=1e-13)


def test_what_is_spoiled_inside_is_solved_outside(rng, monkeypatch):
    rows = rng.normal(size=(40, 100)) + 0.3
    inside, outside = span_problem(rng, rows)
    inside._span.coordinates *= 1 + 1e-5 * rng.normal(size=inside._span.coordinates.shape)
    floor = inside.find_floor("auto", 0, None)
    assert floor.status is Status.CONVERGED
    assert floor.value == pytest.approx(outside.find_floor("auto", 0, None).value, rel=1e-9)
    inside.find_floor("auto", 0, None)
    monkeypatch.setattr(inside._span, "combination", lambda theta: np.ones(40))
    dual = inside.solve_dual(
        0.5 * (floor.value + floor.base_discrepancy), inside._floor, None, "auto", 0, None
    )
    assert dual.status is Status.CONVERGED
    assert dual.method != "span"


def test_numbers_that_are_not_finite_are_named(rng):
    X, y = classes_of(rng, 60, 100)
    spoil = FunctionTransformer(lambda rows: np.where(rows == X[7, 3], np.nan, rows))
    with pytest.raises(ValueError, match="row 7, column 3"):
        fit_one_versus_rest(RakingDual(spoil), X, y, np.unique(y))


def test_a_gram_matrix_must_pay(rng):
    assert is_worthwhile(np.ones((1000, 2000)), 3)
    assert not is_worthwhile(np.ones((1000, 2000)), 1)
    assert not is_worthwhile(np.ones((1000, 900)), 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gram_and_combination_against_numpy(rng, dtype):
    rows = rng.normal(size=(70, 1100)).astype(dtype)
    wide = rows.astype(np.float64)
    np.testing.assert_allclose(core.gram(rows), wide @ wide.T, atol=1e-11)
    coefficients = rng.normal(size=70)
    found = core.combine(rows, coefficients)
    np.testing.assert_allclose(found, coefficients @ wide, atol=1e-12)
    np.testing.assert_array_equal(core.combine(rows, coefficients, n_threads=3), found)
    np.testing.assert_array_equal(core.gram(rows, n_threads=3), core.gram(rows))


def test_a_dual_of_zero_is_explained_once_per_class_with_a_remedy_that_can_be_followed(rng):
    X, y = rng.normal(size=(60, 2000)), np.array(["a", "b", "c"])[np.arange(60) % 3]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    texts = [str(each.message) for each in caught if "dual is zero" in str(each.message)]
    assert [next(k for k in "abc" if f"for class {k!r}" in text) for text in texts] == ["a", "b", "c"]
    assert all("Use fewer columns, chosen without the labels, or" in text for text in texts)
    with pytest.warns(UserWarning, match="Use fewer random features or columns, chosen without"):
        RakingDual(RakingFeatureMap(128), pos_label="a").fit(X, y)
