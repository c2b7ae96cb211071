from __future__ import annotations

import numpy as np
import pytest

import drr


def test_zero_direction_returns_the_base_weights(rng):
    features = rng.standard_normal((50, 3))
    base = rng.random(50)
    tilted = drr.tilt(features, np.zeros(3), base_weights=base)
    np.testing.assert_allclose(tilted.weights, base / base.sum(), rtol=1e-14)
    assert tilted.log_partition == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(tilted.mean, base @ features / base.sum(), rtol=1e-13)


def test_a_row_of_weight_zero_is_absent(rng):
    features = rng.standard_normal((40, 3))
    theta = rng.standard_normal(3)
    base = np.ones(40)
    base[::3] = 0
    with_zeros = drr.tilt(features, theta, base_weights=base)
    without = drr.tilt(features[base > 0], theta)
    np.testing.assert_allclose(with_zeros.weights[base > 0], without.weights, rtol=1e-13)
    assert (with_zeros.weights[base == 0] == 0).all()
    assert with_zeros.log_partition == pytest.approx(without.log_partition, rel=1e-13)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 11, 12, 13, 255, 256, 257, 5000])
@pytest.mark.parametrize("n_columns", [1, 3, 7, 8, 9, 17])
def test_every_remainder_of_tiles_and_registers(rng, n_rows, n_columns):
    features = rng.standard_normal((n_rows, n_columns))
    theta = rng.standard_normal(n_columns)
    scores = np.exp(features @ theta)
    tilted = drr.tilt(features, theta)
    np.testing.assert_allclose(tilted.weights, scores / scores.sum(), rtol=1e-12)
    np.testing.assert_allclose(tilted.mean, scores @ features / scores.sum(), rtol=1e-11, atol=1e-13)


def test_results_are_frozen(rng):
    tilted = drr.tilt(rng.standard_normal((5, 2)), [1, 2])
    with pytest.raises(AttributeError):
        tilted.weights = None
