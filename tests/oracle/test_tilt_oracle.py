"""The tilted log-sum-exp against 40-digit arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.sparse

import drr

N_DISTINCT = 1500


def reference(rows, counts, theta):
    """Λ, the weight of one copy of each distinct row, and the mean, in 40 digits."""
    with mpmath.workdps(40):
        products = [mpmath.fdot(map(mpmath.mpf, row), map(mpmath.mpf, theta)) for row in rows.tolist()]
        largest = max(products)
        terms = [
            count * mpmath.exp(product - largest) for product, count in zip(products, counts, strict=True)
        ]
        total = mpmath.fsum(terms)
        n = sum(counts)
        log_partition = largest + mpmath.log(total) - mpmath.log(n)
        weights = [mpmath.exp(product - largest) / total for product in products]
        mean = [
            mpmath.fsum(t * mpmath.mpf(v) for t, v in zip(terms, column, strict=True)) / total
            for column in rows.T.tolist()
        ]
        return float(log_partition), np.array([float(w) for w in weights]), np.array([float(m) for m in mean])


def check(tilted, expected, copies):
    log_partition, weights, mean = expected
    assert tilted.log_partition == pytest.approx(log_partition, rel=1e-13, abs=0)
    got = tilted.weights
    wanted = weights[copies]
    visible = wanted > 1e-300
    np.testing.assert_allclose(got[visible], wanted[visible], rtol=1e-10, atol=0)
    assert (got[~visible] <= 1e-300).all()
    np.testing.assert_allclose(tilted.mean, mean, rtol=1e-11, atol=1e-13 * np.abs(mean).max())
    assert got.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("form", ["float64", "float32", "csr float64", "csr float32"])
@pytest.mark.parametrize("largest_score", [3.0, 1e4])
def test_a_million_rows_against_40_digits(rng, form, largest_score):
    dtype = np.float32 if form.endswith("float32") else np.float64
    rows = rng.standard_normal((N_DISTINCT, 5)).astype(dtype)
    if form.startswith("csr"):
        rows[rng.random(rows.shape) < 0.6] = 0
    theta = rng.standard_normal(5)
    theta *= largest_score / np.abs(rows.astype(np.float64) @ theta).max()
    # Distinct rows repeated to a million in random order: the reference needs each of them once.
    copies = rng.integers(0, N_DISTINCT, 1_000_000)
    features = rows[copies]
    if form.startswith("csr"):
        features = scipy.sparse.csr_array(features)
    expected = reference(rows, np.bincount(copies, minlength=N_DISTINCT).tolist(), theta)
    check(drr.tilt(features, theta), expected, copies)


def test_base_weights_against_40_digits(rng):
    rows = rng.standard_normal((400, 3))
    counts = rng.integers(0, 4, 400)
    theta = np.array([30.0, -20.0, 10.0])
    expected = reference(rows, counts.tolist(), theta)
    tilted = drr.tilt(rows, theta, base_weights=counts)
    assert tilted.log_partition == pytest.approx(expected[0], rel=1e-13, abs=0)
    np.testing.assert_allclose(tilted.weights, counts * expected[1], rtol=1e-10)
    assert (tilted.weights[counts == 0] == 0).all()


def test_the_mean_is_the_gradient_of_the_log_partition(rng):
    features = rng.standard_normal((300, 4))
    theta = rng.standard_normal(4)
    step = 1e-5
    for k, unit in enumerate(np.eye(4)):
        slope = (
            drr.tilt(features, theta + step * unit).log_partition
            - drr.tilt(features, theta - step * unit).log_partition
        ) / (2 * step)
        assert drr.tilt(features, theta).mean[k] == pytest.approx(slope, abs=1e-9)
