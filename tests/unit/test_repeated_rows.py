"""Equal rows are solved for once, with the answer of all rows."""

from unittest import mock

import numpy as np
import pandas
import pytest
from numpy.testing import assert_allclose

from drr import RakingDual, RakingFeatureMap
from drr.raking import fitting
from drr.raking.one_versus_rest import OneVersusRest
from drr.raking.repeated_rows import find_repetition


def categories(n_rows=3000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 12, n_rows) // 4  # three classes
    columns = {
        name: np.array(list("abcdef"))[
            np.minimum(rng.integers(0, 5, n_rows) + (rng.random(n_rows) < y / 4), 5)
        ]
        for name in "pqr"
    }
    return pandas.DataFrame(columns), y


def fit_unmerged(fit):
    """Solve for all rows, whatever repeats."""
    with mock.patch.object(fitting, "find_repetition", return_value=None):
        return fit()


def check_equal(merged, whole, X):
    assert merged.floor_.n_rows == whole.floor_.n_rows
    assert_allclose(merged.floor_.value, whole.floor_.value, rtol=1e-10, atol=1e-12)
    assert_allclose(merged.theta_, whole.theta_, rtol=0, atol=1e-8 * np.abs(whole.theta_).max())
    assert_allclose(merged.weights_, whole.weights_, rtol=1e-7, atol=1e-12)
    assert merged.ess_ == pytest.approx(whole.ess_, rel=1e-8)
    assert merged.raking_.dual.kl == pytest.approx(whole.raking_.dual.kl, rel=1e-8)
    assert_allclose(merged.log_density_ratio(X), whole.log_density_ratio(X), rtol=0, atol=1e-8)
    assert_allclose(merged.moments_.raked, whole.moments_.raked, rtol=0, atol=1e-10)
    assert merged.raking_.dual.status.is_success


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_dual_of_few_distinct_rows_is_that_of_all_rows(dtype, weighted):
    X, y = categories()
    rare = y == 2
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float) if weighted else None

    def fit():
        return RakingDual(RakingFeatureMap(dtype=dtype)).fit(X, rare, sample_weight=weights)

    merged, whole = fit(), fit_unmerged(fit)
    check_equal(merged, whole, X)
    features = merged.embed(X.iloc[merged.majority_]).astype(np.float64)
    assert find_repetition(merged, features)[0].shape[0] <= 216
    # The floor is that of its own rows and weights, each of them a row that is present.
    residual = features.T @ merged.floor_.weights - merged.moments_.target
    assert np.linalg.norm(residual) == pytest.approx(merged.floor_.value, rel=1e-6, abs=1e-8)
    if weighted:
        assert (weights[merged.majority_][merged.floor_.support] > 0).all()
        assert (merged.weights_[weights[merged.majority_] == 0] == 0).all()


def test_an_array_of_few_values_is_embedded_by_value():
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 20 == 0
    X = np.round(rng.normal(10.0 * y, 5.0)).reshape(-1, 1)
    merged, whole = (
        each(lambda: RakingDual(random_state=0).fit(X, y)) for each in (lambda fit: fit(), fit_unmerged)
    )
    assert len(np.unique(X)) < 60
    check_equal(merged, whole, X)


def test_all_classes_and_held_out_rows_agree():
    X, y = categories()
    held_out = np.arange(0, len(y), 4)
    fit = np.setdiff1d(np.arange(len(y)), held_out)

    def solve():
        duals = OneVersusRest(RakingDual(limit_direction=True), X, y, range(3))
        return duals.duals, duals.score_held_out(fit, held_out)

    (merged, ratios), (whole, expected) = solve(), fit_unmerged(solve)
    for ours, theirs in zip(merged, whole, strict=True):
        check_equal(ours, theirs, X)
    assert_allclose(ratios, expected, rtol=0, atol=1e-8)


def test_what_counts_single_rows_is_not_merged():
    features = np.repeat(np.random.default_rng(0).normal(size=(20, 3)), 100, axis=0)
    assert find_repetition(RakingDual(), features)[0].shape == (20, 3)
    assert find_repetition(RakingDual(min_ess=0.5), features) is None
    assert find_repetition(RakingDual(method="paper"), features) is None


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
def test_whole_numbers_are_told_apart(dtype):
    rows = np.random.default_rng(0).integers(0, 6, (5000, 3)).astype(dtype)
    distinct, repetition = find_repetition(RakingDual(), rows)
    assert len(distinct) == len(np.unique(rows, axis=0))
    assert np.array_equal(distinct[repetition.which], rows)


def test_rows_that_differ_or_are_not_finite_are_not_merged():
    rng = np.random.default_rng(0)
    assert find_repetition(RakingDual(), rng.normal(size=(5000, 2))) is None
    half = np.where(np.arange(5000)[:, None] % 2, rng.normal(size=(5000, 2)), 1.0)
    assert find_repetition(RakingDual(), half) is None
    endless = np.repeat(np.array([[1.0], [np.inf]]), 2000, axis=0)
    assert find_repetition(RakingDual(), endless) is None
    assert find_repetition(RakingDual(), np.ones((5000, 2), dtype=bool)) is None
