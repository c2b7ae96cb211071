"""The dual against independent answers: 40-digit Newton, finite differences, another package, a conic solver."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.optimize
import scipy.special
from sklearn.exceptions import ConvergenceWarning

import drr
from drr._native import core


def problem(n_rows, n_columns, seed, shift=0.5):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_rows, n_columns)) * rng.uniform(0.3, 2.0, n_columns)
    target = shift * rng.normal(size=n_columns) / np.sqrt(n_columns)
    return features, target


def tolerance_at(features, target, eta, base_weights=None):
    floor = drr.find_floor(features, target, base_weights=base_weights)
    return drr.choose_tolerance(floor, floor.base_discrepancy, eta=eta)


def newton_of_forty_digits(features, target, tolerance, base_weights, start):
    """argmin log Σ dᵢ exp(aᵢᵀθ) + δ‖θ‖ by undamped Newton in 40 digits, from a point near the minimum."""
    with mpmath.workdps(40):
        rows = [
            [mpmath.mpf(x) - mpmath.mpf(t) for x, t in zip(row, target, strict=True)]
            for row in features.tolist()
        ]
        d = [mpmath.mpf(x) for x in base_weights.tolist()]
        delta, n_columns = mpmath.mpf(tolerance), len(target)
        theta = mpmath.matrix(start.tolist())
        for _ in range(6):
            e = [di * mpmath.exp(mpmath.fdot(row, theta)) for di, row in zip(d, rows, strict=True)]
            total = mpmath.fsum(e)
            w = [x / total for x in e]
            mean = [
                mpmath.fsum(wi * row[k] for wi, row in zip(w, rows, strict=True)) for k in range(n_columns)
            ]
            norm = mpmath.sqrt(mpmath.fdot(theta, theta))
            gradient = mpmath.matrix([mean[k] + delta * theta[k] / norm for k in range(n_columns)])
            hessian = mpmath.matrix(n_columns, n_columns)
            for i in range(n_columns):
                for j in range(n_columns):
                    second = mpmath.fsum(wi * row[i] * row[j] for wi, row in zip(w, rows, strict=True))
                    bend = (norm**2 if i == j else 0) - theta[i] * theta[j]
                    hessian[i, j] = second - mean[i] * mean[j] + delta * bend / norm**3
            theta = theta - mpmath.lu_solve(hessian, gradient)
        assert mpmath.norm(gradient) < mpmath.mpf(10) ** -25
        return np.array([float(x) for x in theta])


@pytest.mark.parametrize(("seed", "eta"), [(0, 0.5), (1, 0.05), (2, 0.005), (3, 0.05)])
def test_theta_against_forty_digits(seed, eta):
    features, target = problem(60, 4, seed)
    d = np.random.default_rng(seed).uniform(0.2, 1, 60) if seed % 2 else np.ones(60)
    d /= d.sum()
    delta = tolerance_at(features, target, eta, d)
    dual = drr.solve_dual(features, target, delta, base_weights=d)
    exact = newton_of_forty_digits(features, target, delta, d, dual.theta)
    np.testing.assert_allclose(dual.theta, exact, rtol=0, atol=1e-9 * np.linalg.norm(exact))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("eta", [0.5, 0.05])
def test_weights_against_empirical_calibration(seed, eta):
    calibration = pytest.importorskip(
        "empirical_calibration", reason="needs the empirical_calibration package"
    )
    features, target = problem(400, 10, seed, shift=1.0)
    delta = tolerance_at(features, target, eta)
    weights, converged = calibration.calibrate(
        features, target[None, :], objective=calibration.Objective.ENTROPY, l2_norm=delta
    )
    assert converged
    dual = drr.solve_dual(features, target, delta)
    np.testing.assert_allclose(dual.weights, weights, rtol=0, atol=1e-10)


def test_derivatives_against_finite_differences():
    features, target = problem(80, 5, 7)
    delta = 0.2
    theta = np.array([0.3, -0.2, 0.5, 0.1, -0.4])

    def objective(theta):
        return drr.tilt(features - target, theta).log_partition + delta * np.linalg.norm(theta)

    figures = core.certify_dual(features, target, delta, theta)
    gradient = features.T @ figures["weights"] - target + delta * theta / np.linalg.norm(theta)
    step = 1e-6
    numeric = [(objective(theta + step * e) - objective(theta - step * e)) / (2 * step) for e in np.eye(5)]
    np.testing.assert_allclose(gradient, numeric, rtol=0, atol=1e-8)
    assert figures["gradient_norm"] == pytest.approx(np.linalg.norm(gradient), rel=1e-12)
    assert figures["gap"] == pytest.approx(theta @ gradient, rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_certificates_recomputed_in_numpy(seed):
    """KL(w‖d) + f(θ) is the gap for feasible weights; the returned arrays must show it themselves."""
    features, target = problem(300, 20, seed, shift=2.0)
    raking = drr.rake(features, target)
    dual, delta = raking.dual, raking.tolerance
    d = np.full(300, 1 / 300)
    rows = features - target
    scores = rows @ dual.theta
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    np.testing.assert_allclose(dual.weights, weights, rtol=1e-11)
    objective = np.log(d @ np.exp(scores)) + delta * np.linalg.norm(dual.theta)
    discrepancy = np.linalg.norm(rows.T @ weights)
    share = 0.0
    if discrepancy > delta:  # by rounding: mixed with the floor's weights until feasible
        x = rows.T @ raking.floor.weights
        assert np.linalg.norm(x) < delta
        share = min(1.0, (discrepancy - delta) / (discrepancy - np.linalg.norm(x)))
    mixed = (1 - share) * weights + share * raking.floor.weights
    assert np.linalg.norm(rows.T @ mixed) <= delta * (1 + 1e-14)
    positive = mixed > 0
    gap = mixed[positive] @ np.log(mixed[positive] / d[positive]) + objective
    # Both are differences of numbers of order one, so they agree only to their round-off.
    assert gap == pytest.approx(dual.gap, abs=1e-9)
    assert -1e-12 < gap < 1e-8


@pytest.mark.parametrize("eta", [0.5, 0.05])
@pytest.mark.parametrize("n_columns", [10, 650])
def test_paper_against_auto(eta, n_columns):
    features, target = problem(1500, n_columns, 11, shift=1.0)
    features /= np.sqrt(n_columns)  # the published constants are for features of the size of the study's maps
    target /= np.sqrt(n_columns)
    delta = tolerance_at(features, target, eta)
    paper, ours = (drr.solve_dual(features, target, delta, method=method) for method in ("paper", "auto"))
    assert paper.status is ours.status is drr.Status.CONVERGED
    # The smoothing of 1e-10 and the fallback gradient of 1e-6 are what remains between them.
    assert paper.kl == pytest.approx(ours.kl, rel=1e-5)
    np.testing.assert_allclose(paper.weights, ours.weights, rtol=0, atol=1e-4 * ours.weights.max())


@pytest.mark.parametrize("seed", range(3))
def test_objective_against_a_conic_solver(seed):
    cvxpy = pytest.importorskip("cvxpy", reason="needs cvxpy with Clarabel")
    features, target = problem(40, 4, seed, shift=1.0)
    delta = tolerance_at(features, target, 0.1)
    w = cvxpy.Variable(40)
    d = np.full(40, 1 / 40)
    primal = cvxpy.Problem(
        cvxpy.Minimize(cvxpy.sum(cvxpy.kl_div(w, d))),
        [cvxpy.sum(w) == 1, cvxpy.norm(features.T @ w - target) <= delta],
    )
    # At its own tolerances Clarabel's weights are off by up to 2e-5, by how much depends on its version.
    primal.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10)
    dual = drr.solve_dual(features, target, delta)
    assert dual.kl == pytest.approx(primal.value, rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(dual.weights, w.value, atol=1e-5)


@pytest.mark.parametrize("n_iter", [1, 2])
def test_the_gap_of_a_solve_that_stopped_early_is_the_divergence_of_mixed_weights(n_iter):
    """KL(w′‖d) + f(θ) ≥ 0 for w′ = (1 − t)w + t·v, v the floor's weights and t the share at which w′ is feasible."""
    features, target = problem(300, 6, 5, shift=2.0)
    floor = drr.find_floor(features, target)
    delta = drr.choose_tolerance(floor, floor.base_discrepancy, eta=0.01)
    with pytest.warns(ConvergenceWarning):
        dual = drr.solve_dual(features, target, delta, floor=floor, max_iter=n_iter)
    rows, d = features - target, np.full(300, 1 / 300)
    w = d * np.exp(rows @ dual.theta)
    w /= w.sum()
    assert np.linalg.norm(w @ rows) > 1.01 * delta

    def excess(t):
        return np.linalg.norm(((1 - t) * w + t * floor.weights) @ rows) - delta

    share = scipy.optimize.brentq(excess, 0.0, 1.0, xtol=1e-15)
    assert 0.01 < share < 0.99
    mixed = (1 - share) * w + share * floor.weights
    objective = np.log(d @ np.exp(rows @ dual.theta)) + delta * np.linalg.norm(dual.theta)
    gap = mixed @ np.log(mixed / d) + objective
    assert gap > 1e-4
    assert dual.gap == pytest.approx(gap, rel=1e-9)


def published_newton(features, target, tolerance, n_steps):
    """The published iteration with its constants: δ√(‖θ‖² + ε²), a ridge, and Armijo's rule with halving."""
    epsilon = ridge = 1e-10
    rows = features - target

    def value(theta):
        return scipy.special.logsumexp(rows @ theta, b=1 / len(rows)) + tolerance * np.sqrt(
            theta @ theta + epsilon**2
        )

    theta = np.zeros(len(target))
    for _ in range(n_steps):
        weights = scipy.special.softmax(rows @ theta)
        mean, r = weights @ rows, np.sqrt(theta @ theta + epsilon**2)
        gradient = mean + tolerance / r * theta
        bend = tolerance / r * (np.eye(len(theta)) - np.outer(theta, theta) / r**2)
        covariance = (rows - mean).T @ ((rows - mean) * weights[:, None])
        direction = -np.linalg.solve(covariance + bend + ridge * np.eye(len(theta)), gradient)
        step = 1.0
        while value(theta + step * direction) > value(theta) + 1e-4 * step * (gradient @ direction):
            step /= 2
        theta = theta + step * direction
    return theta


@pytest.mark.parametrize("n_steps", [1, 2, 3, 4])
def test_the_published_steps_one_by_one(n_steps):
    """The first ones are as short as the smoothing of the norm at zero: there its whole curvature counts."""
    features, target = problem(200, 3, 4, shift=1.0)
    delta = 0.4 * np.linalg.norm(features.mean(axis=0) - target)
    with pytest.warns(ConvergenceWarning):
        dual = drr.solve_dual(features, target, delta, method="paper", max_iter=n_steps)
    np.testing.assert_allclose(dual.theta, published_newton(features, target, delta, n_steps), rtol=1e-4)
