"""Platt's map against scikit-learn and a general optimiser; the isotonic map against scikit-learn."""

import math
import pickle

import numpy as np
import pytest
import scipy.optimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from drr.calibration import SMALLEST_SLOPE, IsotonicCalibration, SigmoidCalibration, fit_calibration

EPSILON = np.finfo(np.float64).eps


def draw(seed, n_rows=400, signal=1.5, share=0.1, decimals=6):
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < share
    y[:2] = [True, False]
    return np.round(rng.normal(size=n_rows) + signal * y, decimals), y


def smoothed_loss(parameters, score, y, weights):
    n_positive, n_negative = weights[y].sum(), weights[~y].sum()
    target = np.where(y, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    linear = parameters[0] * score + parameters[1]
    return weights @ (np.logaddexp(0, linear) - target * linear)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [0, 6], ids=["ties", "no ties"])
def test_sigmoid_minimises_platts_loss(weighted, decimals):
    score, y = draw(0, decimals=decimals)
    weights = 1 + np.random.default_rng(1).exponential(size=400) if weighted else np.ones(400)
    result = fit_calibration(score, y, sample_weight=weights if weighted else None)
    reference = scipy.optimize.minimize(
        smoothed_loss,
        [0.0, 0.0],
        args=(score, y, weights),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 5000},
    )
    np.testing.assert_allclose([result.slope, result.intercept], reference.x, atol=1e-5)
    found = smoothed_loss([result.slope, result.intercept], score, y, weights)
    assert found <= reference.fun + 1e-10


class Column(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose score is its only column."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


def test_sigmoid_agrees_with_scikit_learn():
    score, y = draw(2, n_rows=300)
    # The base ignores its training rows, so that one fold of doubled data calibrates on the data itself.
    X, target = np.tile(score, 2)[:, None], np.tile(y, 2).astype(int)
    halves = [(np.arange(300), np.arange(300, 600))]
    reference = CalibratedClassifierCV(Column(), method="sigmoid", cv=halves, ensemble=True).fit(X, target)
    expected = reference.predict_proba(score[:, None])[:, 1]
    np.testing.assert_allclose(fit_calibration(score, y).predict(score), expected, atol=1e-5)


def test_unconstrained_sigmoid_is_logistic_regression():
    score, y = draw(3)
    for sign in (1, -1):
        result = fit_calibration(sign * score, y, constrained=False)
        reference = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000).fit(sign * score[:, None], y)
        np.testing.assert_allclose(result.slope, reference.coef_[0, 0], rtol=1e-5)
        np.testing.assert_allclose(result.intercept, reference.intercept_[0], rtol=1e-5)
        # A maximum-likelihood fit with an intercept reproduces the prior exactly.
        np.testing.assert_allclose(result.predict(sign * score).mean(), y.mean(), rtol=1e-13)


def test_a_negative_slope_warns_and_keeps_the_ranking():
    score, y = draw(4)
    with pytest.warns(UserWarning, match=r"400 calibration rows \(\d+ positive\) ask for a slope of -"):
        result = fit_calibration(-score, y)
    np.testing.assert_allclose(result.slope * np.std(score), SMALLEST_SLOPE, rtol=1e-12)
    probability = result.predict(-score)
    assert (np.diff(probability[np.argsort(-score)]) >= 0).all()
    assert len(np.unique(probability)) == len(np.unique(score))
    # Only the intercept is free: the mean probability is the mean of the smoothed targets.
    n1, n0 = y.sum(), (~y).sum()
    mean_target = (n1 * (n1 + 1) / (n1 + 2) + n0 / (n0 + 2)) / 400
    np.testing.assert_allclose(probability.mean(), mean_target, rtol=1e-13)


@pytest.mark.parametrize("constrained", [True, False])
def test_separable_rows_stay_finite(constrained):
    score, y = np.arange(20.0), np.arange(20) >= 15
    result = fit_calibration(score, y, constrained=constrained)
    assert np.isfinite([result.slope, result.intercept]).all()
    assert result.slope > 0
    probability = result.predict(score)
    assert probability[~y].max() < 0.5 < probability[y].min()
    reference = scipy.optimize.minimize(
        smoothed_loss, [result.slope, result.intercept], args=(score, y, np.ones(20)), tol=1e-10
    )
    assert smoothed_loss([result.slope, result.intercept], score, y, np.ones(20)) <= reference.fun + 1e-9


def test_unconstrained_fit_of_rows_separated_the_wrong_way():
    result = fit_calibration([0.0, 1.0, 2.0, 3.0], [1, 1, 0, 0], constrained=False)
    assert np.isfinite(result.slope)
    assert result.slope < 0


def test_constant_scores():
    y = np.arange(10) < 2
    with pytest.warns(UserWarning, match="slope of 0 "):
        result = fit_calibration(np.full(10, 7.0), y)
    np.testing.assert_allclose(result.predict([7.0]), (2 * 3 / 4 + 8 / 10) / 10, rtol=1e-13)
    plain = fit_calibration(np.full(10, 7.0), y, constrained=False)
    assert plain.slope == 0
    np.testing.assert_allclose(plain.predict([7.0, 100.0]), 0.2, rtol=1e-13)


@pytest.mark.parametrize(("scale", "offset"), [(1e-8, 0.0), (1e8, 0.0), (1.0, 1e4)])
def test_probabilities_do_not_depend_on_offset_and_scale(scale, offset):
    score, y = draw(5)
    expected = fit_calibration(score, y).predict(score)
    moved = score * scale + offset
    np.testing.assert_allclose(fit_calibration(moved, y).predict(moved), expected, rtol=1e-8)


def test_outliers_do_not_stop_the_fit():
    score, y = draw(6)
    score[0] = 1e6  # a positive row
    result = fit_calibration(score, y)
    base = smoothed_loss([result.slope, result.intercept], score, y, np.ones(400))
    for change in ([1e-3 * result.slope, 0.0], [0.0, 1e-3], [-1e-3 * result.slope, 0.0], [0.0, -1e-3]):
        moved = [result.slope + change[0], result.intercept + change[1]]
        assert smoothed_loss(moved, score, y, np.ones(400)) >= base


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("seed", range(7, 17))
def test_integer_weights_are_repeated_rows(seed, method):
    score, y = draw(seed, n_rows=100)
    counts = np.random.default_rng(seed - 7).integers(0, 4, size=100)
    counts[:2] = 1
    weighted = fit_calibration(score, y, method, sample_weight=counts).predict(score)
    repeated = fit_calibration(np.repeat(score, counts), np.repeat(y, counts), method).predict(score)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("constrained", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_sigmoid_converges_to_the_rounding_of_its_gradient(seed, constrained):
    """The loss alone stops changing at 1e-8 of the minimiser; the sums are exact here (`math.fsum`)."""
    score, y = draw(seed, n_rows=1000)
    result = fit_calibration(score, y, constrained=constrained)
    n1, n0 = y.sum(), (~y).sum()
    target = np.where(y, (n1 + 1) / (n1 + 2), 1 / (n0 + 2)) if constrained else y.astype(float)
    excess = result.predict(score) - target
    for direction in (score, np.ones(1000)):
        gradient = math.fsum(direction * excess)
        assert abs(gradient) <= 8 * EPSILON * math.fsum(np.abs(direction) * (np.abs(excess) + target))


@pytest.mark.parametrize("scale", [1e-12, 1 / 400, 0.5])
def test_weights_that_cannot_be_counts_are_relative(scale):
    """Smoothed as if by a few rows, probabilities of a class of a tenth would be near one half."""
    score, y = draw(8)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, size=400)
    expected = fit_calibration(score, y, sample_weight=weights / weights.mean())
    found = fit_calibration(score, y, sample_weight=scale * weights / weights.mean())
    np.testing.assert_allclose(
        [found.slope, found.intercept], [expected.slope, expected.intercept], rtol=1e-12
    )


@pytest.mark.parametrize("decimals", [0, 6])
def test_isotonic_agrees_with_scikit_learn(decimals):
    score, y = draw(8, decimals=decimals)
    reference = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(score, y)
    result = fit_calibration(score, y, "isotonic")
    queries = np.linspace(-6, 8, 500)
    np.testing.assert_allclose(result.predict(queries), reference.predict(queries), atol=1e-12)
    assert (np.diff(result.predict(queries)) >= 0).all()
    np.testing.assert_allclose(result.predict(score).mean(), y.mean(), rtol=1e-12)


def test_isotonic_of_a_constant_score_is_the_prior():
    result = fit_calibration(np.zeros(10), np.arange(10) < 3, "isotonic")
    np.testing.assert_allclose(result.predict([-1.0, 0.0, 1.0]), 0.3, rtol=1e-12)


def test_results_are_plain_and_pickle():
    score, y = draw(9)
    for method, kind in (("sigmoid", SigmoidCalibration), ("isotonic", IsotonicCalibration)):
        result = fit_calibration(score, y, method)
        assert isinstance(result, kind)
        restored = pickle.loads(pickle.dumps(result))
        assert (restored.predict(score) == result.predict(score)).all()
        with pytest.raises(AttributeError):
            result.slope = 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [1, 1]), "one class only, 1"),
        (([1.0, 2.0], [0, 0]), "one class only, 0"),
        (([1.0, np.nan], [0, 1]), "score must be finite, got nan at position 1"),
        (([1.0, 2.0, 3.0], [0, 1]), r"y must have shape \(3,\)"),
        (([1.0, 2.0], [0, 1], "platt"), "method must be 'sigmoid' or 'isotonic', got 'platt'"),
        (([1.0, 2.0], [0, 1], "sigmoid", [1.0]), r"sample_weight must have shape \(2,\)"),
        (([1.0, 2.0], [0, 1], "sigmoid", [0.0, 1.0]), "zero on every negative row"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_calibration(*arguments)


def test_bad_scores_to_predict_are_named():
    with pytest.raises(ValueError, match="score must be finite, got inf at position 0"):
        SigmoidCalibration(1.0, 0.0).predict([np.inf])


@pytest.mark.parametrize(
    ("method", "constrained"), [("sigmoid", True), ("sigmoid", False), ("isotonic", True)]
)
def test_rows_of_weight_zero_are_absent(method, constrained):
    """Also from the question whether a cut separates the classes, which one of them would deny."""
    score, y = np.arange(20.0), np.arange(20) >= 15
    with_it = np.append(score, 40.0), np.append(y, False), np.append(np.full(20, 0.1), 0.0)
    found = fit_calibration(*with_it[:2], method, with_it[2], constrained=constrained)
    expected = fit_calibration(score, y, method, np.full(20, 0.1), constrained=constrained)
    np.testing.assert_array_equal(found.predict(score), expected.predict(score))
