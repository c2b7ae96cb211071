"""The covariance of weighted rows, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import drr
from drr._native import core

KINDS = {
    "double": lambda rows: rows,
    "single": lambda rows: rows.astype(np.float32),
    "sparse": lambda rows: scipy.sparse.csr_array(np.where(np.abs(rows) > 1, rows, 0.0)),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("n_columns", [1, 7, 130])  # threads share rows, or for many columns the output
def test_against_numpy(rng, kind, n_columns):
    rows = kind(rng.standard_normal((3000, n_columns)))
    weights = rng.exponential(size=3000) * (rng.random(3000) < 0.8)
    centre = rng.standard_normal(n_columns)
    dense = rows.toarray() if scipy.sparse.issparse(rows) else rows.astype(np.float64)
    expected = (dense - centre).T @ ((dense - centre) * weights[:, None])
    one = core.covariance(rows, centre, weights, 1)
    np.testing.assert_allclose(one, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_array_equal(one, one.T)
    np.testing.assert_array_equal(core.covariance(rows, centre, weights, 3), one)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("n_columns", [1, 7, 130])
def test_weighted_covariance_against_extended_precision(rng, kind, n_columns):
    rows = kind(rng.standard_normal((2000, n_columns)) + 50)
    weights = rng.exponential(size=2000) * (rng.random(2000) < 0.8)
    dense = (rows.toarray() if scipy.sparse.issparse(rows) else rows).astype(np.longdouble)
    shares = weights.astype(np.longdouble) / weights.astype(np.longdouble).sum()
    centred = dense - shares @ dense
    expected = (centred.T * shares) @ centred
    found = drr.weighted_covariance(rows, weights, n_threads=1)
    np.testing.assert_allclose(found, expected.astype(float), rtol=0, atol=1e-12 * float(expected.max()))
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(drr.weighted_covariance(rows, weights, n_threads=3), found)
    np.testing.assert_allclose(drr.weighted_covariance(rows, 7 * weights), found, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], "weights must not be negative"),
        ([0.0, 0.0], "at least one must be positive"),
        ([1.0], r"weights must have shape \(2,\)"),
        ([1.0, np.nan], "weights"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=message):
        drr.weighted_covariance([[1.0], [2.0]], weights)
