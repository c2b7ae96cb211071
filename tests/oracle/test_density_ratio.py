"""The dual as a log density ratio: known ratios are recovered, within bounds that theory gives.

Where rows are drawn, the estimate is compared with the truth by its own asymptotic covariance: θ̂ solves mean_θ̂(φ) = μ̂₁,
so θ̂ − θ ≈ H⁻¹(noise of μ̂₁ − noise of the tilted majority mean), with H the covariance of φ under the tilt.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from sklearn.linear_model import LogisticRegression

from drr import RakingDual, RakingFeatureMap, rake, solve_dual
from drr.theory import gaussian_dual

SHARPEST = 1e-4  # η: the tolerance is then next to nothing


def tilted(features, theta, base_weights=None):
    """Weights ∝ d·exp(Φθ), by NumPy."""
    score = features @ theta
    weights = np.exp(score - score.max()) * (1.0 if base_weights is None else base_weights)
    return weights / weights.sum()


def covariance(features, weights):
    centred = features - weights @ features
    return (centred.T * weights) @ centred


@pytest.mark.parametrize("weighted", [False, True])
def test_a_log_linear_tilt_of_the_rows_is_recovered(rng, weighted):
    """If the target is the mean of a tilt, that tilt is the answer, up to δ over the least curvature."""
    features = rng.normal(size=(400, 5))
    base_weights = rng.exponential(size=400) if weighted else None
    theta = rng.normal(size=5)
    truth = tilted(features, theta, base_weights)
    tolerance = 1e-5
    dual = solve_dual(features, truth @ features, tolerance, base_weights=base_weights)
    least_curvature = np.linalg.eigvalsh(covariance(features, truth))[0]
    error = np.linalg.norm(dual.theta - theta)
    assert error <= 1.01 * tolerance / least_curvature
    assert error >= 0.1 * tolerance / np.linalg.eigvalsh(covariance(features, truth))[-1], (
        "the bound is no slack"
    )
    # The constant: θᵀφ − Λ is the log of the new weight over the old.
    old = np.full(400, 1 / 400) if base_weights is None else base_weights / base_weights.sum()
    np.testing.assert_allclose(
        features @ dual.theta - dual.log_partition, np.log(truth / old), atol=100 * tolerance
    )


def test_a_log_linear_density_ratio_is_recovered_from_draws(rng):
    """Rows uniform on a square, rare rows drawn from a density that is log-linear in the features of the map."""
    n_majority, n_drawn = 40_000, 40_000
    feature_map = RakingFeatureMap(2, gamma=0.5, random_state=3)
    majority = rng.uniform(-2, 2, size=(n_majority, 2))
    features = feature_map.fit(majority).transform(majority)
    theta = np.array([4.0, -2.0, 1.5, -1.0])
    candidates = rng.uniform(-2, 2, size=(n_drawn, 2))
    score = feature_map.transform(candidates) @ theta
    rare = candidates[rng.random(n_drawn) < np.exp(score - score.max())]
    assert len(rare) > 2000

    rare_features = feature_map.transform(rare)
    raking = rake(features, rare_features.mean(axis=0), eta=SHARPEST)
    estimate = raking.dual.theta

    weights = tilted(features, theta)
    curvature = covariance(features, weights)
    influence = weights[:, None] * n_majority * (features - weights @ features)
    noise = np.cov(rare_features.T) / len(rare) + influence.T @ influence / n_majority**2
    sandwich = np.linalg.solve(curvature, np.linalg.solve(curvature, noise).T)
    distance = (estimate - theta) @ np.linalg.solve(sandwich, estimate - theta)
    assert distance < scipy.stats.chi2(4).ppf(0.9999)
    assert theta @ np.linalg.solve(sandwich, theta) > 100, "the test can fail"


def test_gaussian_classes_give_the_discriminant_direction(rng):
    n_rows, mean0, mean1 = 200_000, np.array([0.5, -1.0, 2.0]), np.array([1.0, -0.5, 1.6])
    root = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [-0.3, 0.2, 0.5]])
    sigma = root @ root.T
    rows = mean0 + rng.normal(size=(n_rows, 3)) @ root.T
    theta = gaussian_dual(mean0, mean1, sigma)
    np.testing.assert_allclose(theta, np.linalg.inv(sigma) @ (mean1 - mean0), rtol=1e-12)
    dual = rake(rows, mean1, eta=SHARPEST).dual
    # The noise is that of the majority alone, for the target is exact.
    influence = n_rows * tilted(rows, theta)[:, None] * (rows - mean1)
    sandwich = np.linalg.inv(sigma) @ (influence.T @ influence / n_rows**2) @ np.linalg.inv(sigma)
    distance = (dual.theta - theta) @ np.linalg.solve(sandwich, dual.theta - theta)
    assert distance < scipy.stats.chi2(3).ppf(0.9999)


def test_the_estimator_scores_gaussian_rows_by_their_log_density_ratio(rng):
    """The whole estimator, with its own scaling: the score of normal classes is the discriminant, with its constant."""
    y = np.arange(60_000) < 10_000
    mean0, mean1 = np.zeros(2), np.array([0.8, -0.5])
    sigma = np.array([[1.0, 0.5], [0.5, 2.0]])
    rows = rng.multivariate_normal(mean0, sigma, size=len(y)) + np.outer(y, mean1)
    dual = RakingDual(RakingFeatureMap(0), eta=SHARPEST, pos_label=True).fit(rows, y)
    points = rng.normal(size=(50, 2))
    ratio = scipy.stats.multivariate_normal(mean1, sigma).logpdf(points) - scipy.stats.multivariate_normal(
        mean0, sigma
    ).logpdf(points)
    np.testing.assert_allclose(dual.log_density_ratio(points), ratio, atol=0.12)
    assert np.std(ratio) > 0.5, "the test can fail"


def test_owens_limit(rng):
    """As the rare class loses all weight, the slopes of a logistic regression become the dual of exact matching.

    In the limit only the mean of the rare rows matters: they may be replaced by copies of it.
    """
    majority, rare = rng.normal(size=(500, 3)), 0.6 + 0.5 * rng.normal(size=(12, 3))
    target = rare.mean(axis=0)
    theta = solve_dual(majority, target, 1e-6).theta
    y = np.arange(512) >= 500
    for rows in (rare, np.tile(target, (12, 1))):
        errors = []
        for weight in (1.0, 1e-2, 1e-4):
            # A penalty far below rounding, not none: scikit-learn 1.8 warns of C=inf.
            logistic = LogisticRegression(C=1e100, solver="newton-cholesky", tol=1e-12, max_iter=1000)
            logistic.fit(np.vstack([majority, rows]), y, sample_weight=np.where(y, weight, 1.0))
            errors.append(np.linalg.norm(logistic.coef_[0] - theta))
        assert errors[0] > 1e-2 > errors[1] > errors[2]
        assert errors[2] < 1e-4  # first order in the weight
