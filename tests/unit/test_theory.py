"""Formulas against closed forms, numerical integration, and Monte Carlo within its standard error."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse
import scipy.stats
from sklearn.metrics import average_precision_score, roc_auc_score

from drr import theory

CASES = [(1.0, 1.0, 0.3), (1.0, 0.6, 0.3), (3.4, 3.2, 0.55), (0.9, 1.3, 0.58), (2.0, 0.5, -0.4)]


def draw_scores(d1, d2, rho, n_positive, n_negative, seed):
    rng = np.random.default_rng(seed)
    noise = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=n_positive + n_negative)
    positive = np.arange(n_positive + n_negative) < n_positive
    return noise + np.outer(positive, [d1, d2]), positive


@pytest.mark.parametrize(("d1", "d2", "rho"), CASES)
@pytest.mark.parametrize("w", [0.0, 0.5, 3.0])
def test_deflection_is_that_of_drawn_scores(d1, d2, rho, w):
    n = 100_000
    scores, positive = draw_scores(d1, d2, rho, n, n, seed=1)
    fused = scores[:, 0] + w * scores[:, 1]
    noise = np.sqrt((fused[positive].var() + fused[~positive].var()) / 2)
    estimate = (fused[positive].mean() - fused[~positive].mean()) / noise
    expected = theory.fusion_deflection(d1, d2, rho, w)
    standard_error = np.sqrt(2 / n + expected**2 / (4 * n))  # delta method: mean difference, pooled deviation
    assert abs(estimate - expected) < 4 * standard_error


def test_deflection_at_the_limits():
    assert theory.fusion_deflection(1.0, 2.0, 0.3, np.inf) == 2.0
    assert theory.fusion_deflection(1.0, 2.0, 0.3, 0.0) == 1.0
    assert theory.fusion_deflection(1.0, 2.0, -1.0, 1.0) == np.inf
    assert theory.fusion_deflection(0.0, 0.0, -1.0, 1.0) == 0.0
    np.testing.assert_allclose(theory.fusion_deflection(1.0, 0.0, 0.0, 0.7), 1 / np.sqrt(1.49))


def test_gain_condition_is_the_sign_of_the_change():
    d1, d2, rho, w = np.meshgrid(
        [0.0, 0.3, 1.0, 4.0], [0.0, 0.2, 1.1, 5.0], [-0.7, 0.0, 0.6, 0.95], [0.1, 0.5, 2.0]
    )
    change = theory.fusion_deflection(d1, d2, rho, w) - d1
    assert (np.abs(change) > 1e-9).sum() > 150
    decided = np.abs(change) > 1e-9
    np.testing.assert_array_equal(theory.fusion_gains(d1, d2, rho, w)[decided], (change > 0)[decided])
    assert not theory.fusion_gains(1.0, 1.0, 1.0, 0.5)
    assert not theory.fusion_gains(1.0, 5.0, 0.0, 0.0)


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.99])
def test_threshold_is_where_the_change_vanishes(rho):
    np.testing.assert_allclose(theory.fusion_threshold(rho), np.sqrt(5 + 4 * rho) - 2, rtol=1e-12, atol=1e-15)
    for w in (1e-8, 0.1, 0.5, 3.0):
        ratio = theory.fusion_threshold(rho, w)
        np.testing.assert_allclose(theory.fusion_deflection(2.0, 2.0 * ratio, rho, w), 2.0, rtol=1e-12)
    np.testing.assert_allclose(theory.fusion_threshold(rho, 0.0), rho, atol=1e-15)


@pytest.mark.parametrize(("d1", "d2", "rho"), [*CASES, (0.0, 1.0, -0.5), (1.0, 0.0, -0.5)])
def test_interior_optimum_maximises_the_deflection(d1, d2, rho):
    best = theory.optimal_weight(d1, d2, rho)
    assert 0 < best < np.inf
    value = theory.fusion_deflection(d1, d2, rho, best)
    grid = np.linspace(0, 10 * best, 2001)
    assert (theory.fusion_deflection(d1, d2, rho, grid) <= value + 1e-12).all()
    np.testing.assert_allclose(value**2, (d1**2 - 2 * rho * d1 * d2 + d2**2) / (1 - rho**2), rtol=1e-12)


def test_the_outer_cases_of_the_optimum():
    assert theory.optimal_weight(1.0, 0.3, 0.3) == 0.0
    assert theory.optimal_weight(1.0, 0.1, 0.3) == 0.0
    assert theory.optimal_weight(0.3, 1.0, 0.3) == np.inf
    assert theory.optimal_weight(0.0, 1.0, 0.0) == np.inf
    assert theory.optimal_weight(0.0, 0.0, 0.5) == 0.0
    assert theory.optimal_weight(1.0, 1.0, 1.0) == 0.0
    assert theory.optimal_weight(1.0, 2.0, 1.0) == np.inf


def test_a_negative_deflection_is_no_signal():
    assert theory.optimal_weight(1.0, -2.0, 0.3) == theory.optimal_weight(1.0, 0.0, 0.3) == 0.0
    assert theory.optimal_weight(-1.0, 2.0, 0.3) == np.inf
    assert theory.optimal_weight(-1.0, -2.0, 0.3) == 0.0


@pytest.mark.parametrize(("d1", "d2", "rho"), CASES)
@pytest.mark.parametrize("share", [0.01, 0.3])
def test_marginal_condition_in_the_published_form(d1, d2, rho, share):
    ratio, q = d2 / d1, share * (1 - share) * d1**2
    published = 0.5 * np.sqrt((1 + q) / (1 + q * ratio**2)) * (1 - ratio**2) < 2 * (ratio - rho)
    assert theory.marginal_fusion_gains(d1, d2, rho, share) == published
    effective = theory.effective_weight(0.5, d1, d2, share)
    assert published == (theory.fusion_deflection(d1, d2, rho, effective) > d1)


def test_effective_weight_is_that_of_marginally_standardised_scores():
    d1, d2, rho, n = 3.0, 1.0, 0.4, 200_000
    scores, positive = draw_scores(d1, d2, rho, n // 10, n, seed=3)
    share = positive.mean()
    marginal = scores / scores.std(axis=0)
    fused = marginal @ [1.0, 0.5]
    centred = fused - np.where(positive, fused[positive].mean(), fused[~positive].mean())
    estimate = (fused[positive].mean() - fused[~positive].mean()) / centred.std()
    effective = theory.effective_weight(0.5, d1, d2, share)
    expected = theory.fusion_deflection(d1, d2, rho, effective)
    standard_error = np.sqrt(10 / n + 1 / n + expected**2 / (2 * n))
    assert abs(estimate - expected) < 4 * standard_error
    assert abs(theory.fusion_deflection(d1, d2, rho, 0.5) - expected) > 8 * standard_error, (
        "the test can fail"
    )
    np.testing.assert_allclose(theory.marginal_weight(effective, d1, d2, share), 0.5, rtol=1e-12)


@pytest.mark.parametrize("d", [-1.0, 0.0, 0.5, 2.0, 6.0])
def test_binormal_auc_integrates_the_roc_curve(d):
    def true_positive_rate(false_positive_rate):
        return scipy.stats.norm.cdf(scipy.stats.norm.ppf(false_positive_rate) + d)

    area, _ = scipy.integrate.quad(true_positive_rate, 0, 1, epsabs=1e-10, limit=200)
    np.testing.assert_allclose(theory.binormal_auc(d), area, atol=1e-8)


@pytest.mark.parametrize("d", [-1.0, 0.5, 2.0, 6.0])
@pytest.mark.parametrize("share", [0.001, 0.05, 0.5])
def test_binormal_auprc_integrates_precision_over_recall(d, share):
    def precision(recall):
        false_positive_rate = scipy.stats.norm.sf(scipy.stats.norm.isf(recall) + d)
        return share * recall / (share * recall + (1 - share) * false_positive_rate)

    parts = [1e-14, 1e-9, 1e-6, 1e-3, 0.1, 0.9, 1]
    area = sum(scipy.integrate.quad(precision, a, b, epsabs=1e-12)[0] for a, b in pairwise(parts))
    np.testing.assert_allclose(theory.binormal_auprc(d, share), area, rtol=1e-7)


def test_binormal_auprc_at_the_limits():
    np.testing.assert_allclose(theory.binormal_auprc(0.0, [0.01, 0.5]), [0.01, 0.5], rtol=1e-12)
    np.testing.assert_allclose(theory.binormal_auprc(40.0, 0.01), 1.0, rtol=1e-12)


def test_binormal_areas_are_those_of_drawn_scores():
    repeats, precision, auc = 60, [], []
    for seed in range(repeats):
        scores, positive = draw_scores(1.5, 0.0, 0.0, 1000, 19_000, seed)
        precision.append(average_precision_score(positive, scores[:, 0]))
        auc.append(roc_auc_score(positive, scores[:, 0]))
    assert abs(np.mean(auc) - theory.binormal_auc(1.5)) < 4 * np.std(auc) / np.sqrt(repeats)
    # The average precision of a finite sample is biased by the order of 1/n1, here 0.001.
    error = 4 * np.std(precision) / np.sqrt(repeats) + 1e-3
    assert abs(np.mean(precision) - theory.binormal_auprc(1.5, 0.05)) < error


def test_cantelli_bound_holds_and_is_attained():
    d = 3.0
    bound = theory.cantelli_bound(d)
    assert scipy.stats.norm.sf(d / 2) < bound
    # The law that attains it: mass `bound` at the cut, the rest at one point, mean zero, variance one.
    distance = d / 2
    rest = -bound * distance / (1 - bound)
    np.testing.assert_allclose(bound * distance**2 + (1 - bound) * rest**2, 1.0, rtol=1e-12)
    assert theory.cantelli_bound([0.0, -2.0]).tolist() == [1.0, 1.0]


def test_pps_covariance_is_that_of_drawn_means():
    rng = np.random.default_rng(5)
    features, weights = rng.normal(size=(60, 3)), rng.exponential(size=60) ** 2
    m, repeats = 20, 20_000
    probabilities = weights / weights.sum()
    counts = rng.multinomial(m, probabilities, size=repeats)
    means = counts @ features / m
    expected = theory.pps_covariance(features, weights, m)
    centred = means - probabilities @ features
    products = centred[:, :, None] * centred[:, None, :]
    standard_error = products.std(axis=0) / np.sqrt(repeats)
    assert (np.abs(products.mean(axis=0) - expected) < 4 * standard_error).all()
    sparse = theory.pps_covariance(scipy.sparse.csr_array(features), weights, m)
    np.testing.assert_allclose(sparse, expected, rtol=1e-12)


def test_pps_variance_identity_adds_to_the_plug_in_variance():
    """With exact matching, Var(mean of draws) = Σ₁/n₁ + E(Σ_w/m): the law of total variance."""
    rng = np.random.default_rng(6)
    rows, n1, m, repeats = np.array([-2.0, 0.5, 2.0]), 3, 7, 40_000
    targets = rng.uniform(-1, 1, size=(repeats, n1)).mean(axis=1)  # minority means; Σ₁ = 1/3
    # Exact matching with two rows: weights of −2 and 2 whose mean is the target.
    upper = (targets + 2) / 4
    drawn = np.where(rng.random((repeats, m)) < upper[:, None], 2.0, -2.0).mean(axis=1)
    sigma = [theory.pps_covariance(rows[:, None], [1 - p, 0.0, p], m)[0, 0] for p in upper[:2000]]
    expected = (1 / 3) / n1 + np.mean(sigma)
    deviations = drawn**2  # the population mean of the minority is zero
    standard_error = np.hypot(deviations.std() / np.sqrt(repeats), np.std(sigma) / np.sqrt(2000))
    assert abs(deviations.mean() - expected) < 4 * standard_error
    assert (1 / 3) / n1 > 8 * standard_error, "the test can fail"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.fusion_deflection(1, 1, 1.5, 0.5), r"rho .* got 1.5"),
        (lambda: theory.fusion_deflection(1, np.nan, 0, 0.5), "d2 must not be NaN"),
        (lambda: theory.fusion_deflection(1, 1, 0, -0.5), "w must not be negative, got -0.5"),
        (lambda: theory.fusion_gains(1, -1, 0), "d2 must not be negative, got -1"),
        (lambda: theory.fusion_gains(1, 1, 0, np.inf), "w must be finite"),
        (lambda: theory.optimal_weight(np.inf, 1, 0), "d1 must be finite"),
        (lambda: theory.effective_weight(0.5, 1, 1, 0.0), r"minority_share must lie in \(0, 1\), got 0"),
        (lambda: theory.binormal_auprc(1, [0.5, 1.0]), r"minority_share must lie in \(0, 1\), got 1"),
        (
            lambda: theory.gaussian_dual([0.0], [1.0, 2.0], np.eye(2)),
            r"got shapes \(1,\), \(2,\) and \(2, 2\)",
        ),
        (
            lambda: theory.gaussian_dual([0, 0], [1, 1], np.ones((2, 2))),
            "covariance must be positive definite",
        ),
        (lambda: theory.pps_covariance([[1.0], [2.0]], [1.0, -1.0], 3), "weights must not be negative"),
        (lambda: theory.pps_covariance([[1.0], [2.0]], [1.0], 3), r"weights must have shape \(2,\)"),
        (lambda: theory.pps_covariance([[1.0], [2.0]], [1.0, 1.0], 0), "n_draws must be a positive integer"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_arrays_broadcast():
    values = theory.fusion_deflection([[1.0], [2.0]], 1.0, [0.0, 0.5, 1.0], 0.5)
    assert values.shape == (2, 3)
    assert isinstance(theory.fusion_deflection(1, 1, 0, 0.5), float)
    assert isinstance(theory.fusion_gains(1, 1, 0, 0.5), bool)


def test_the_weight_of_a_base_that_adds_next_to_nothing_is_infinite():
    assert theory.optimal_weight(5e-324, 10.0, 0.0) == np.inf
