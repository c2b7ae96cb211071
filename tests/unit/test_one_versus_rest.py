"""Duals of several classes at once: the same as one by one, and from one Gram matrix if the rows are wide."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer

from drr import DRRClassifier, RakingDual, RakingFeatureMap, Status
from drr._native import core
from drr.raking.one_versus_rest import fit_one_versus_rest
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
    return SpanProblem(RowSpan(rows, 1), target, weights), ArrayProblem(rows, target @ rows, weights, 1)


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
    monkeypatch.setattr(inside._span, "direction", lambda theta: np.ones(100))
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
