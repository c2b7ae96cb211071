"""No kernel reads beyond its rows: what lies around them in memory, NaN here, changes no bit of a result."""

from __future__ import annotations

import numpy as np
import pytest

import drr
from drr._native import core


def between_rows(array):
    """The same numbers as rows of a larger array."""
    n, width = array.shape
    larger = np.full((n + 2, width + 3), np.nan, dtype=array.dtype)
    larger[1:-1, :width] = array
    return larger[1:-1, :width]


def between_numbers(array):
    """The same numbers, contiguous, in the middle of a longer array."""
    longer = np.full(array.size + 128, np.nan, dtype=array.dtype)
    longer[64:-64] = array.ravel()
    return longer[64:-64].reshape(array.shape)


@pytest.mark.parametrize("surround", [between_rows, between_numbers])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(203, 1), (203, 7), (61, 19), (40, 90)])
def test_raking(rng, surround, dtype, n_rows, n_columns):
    features = rng.normal(size=(n_rows, n_columns)).astype(dtype)
    inside = surround(features)
    target = np.full(n_columns, 0.2)
    theta = rng.normal(size=n_columns)
    base_weights = rng.uniform(size=n_rows)
    guarded = between_numbers(target[None])[0]
    for plain, among_nan in [
        (drr.tilt(features, theta), drr.tilt(inside, between_numbers(theta[None])[0])),
        (drr.find_floor(features, target), drr.find_floor(inside, guarded)),
        (
            drr.rake(features, target, eta=0.3, base_weights=base_weights).dual,
            drr.rake(inside, guarded, eta=0.3, base_weights=between_numbers(base_weights[None])[0]).dual,
        ),
    ]:
        np.testing.assert_array_equal(plain.weights, among_nan.weights)


@pytest.mark.parametrize("method", ["newton", "pcg-sampled", "pcg-woodbury", "wide"])
def test_every_inner_solve(rng, method):
    features = rng.normal(size=(70, 33))
    target = np.full(33, 0.2)
    tolerance = 0.5 * (
        drr.find_floor(features, target).value + np.linalg.norm(features.mean(axis=0) - target)
    )
    plain, among_nan = (
        core.solve_dual(rows, target, tolerance, method=f"auto:{method}")
        for rows in (features, between_numbers(features))
    )
    assert plain["status"] == "converged"
    np.testing.assert_array_equal(plain["weights"], among_nan["weights"])


@pytest.mark.parametrize("surround", [between_rows, between_numbers])
@pytest.mark.parametrize("n_columns", [1, 5, 8, 13])
def test_embedding(rng, surround, n_columns):
    rows = rng.normal(size=(101, n_columns))
    feature_map = drr.RakingFeatureMap(23, random_state=0).fit(rows)
    np.testing.assert_array_equal(feature_map.transform(surround(rows)), feature_map.transform(rows))
