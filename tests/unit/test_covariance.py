"""The covariance of weighted rows, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

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
