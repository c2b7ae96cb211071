"""Tables of one column: their embedded rows are a smooth curve, nearly dependent from a dozen of them on."""

from __future__ import annotations

import numpy as np
import pytest

import drr


@pytest.mark.parametrize("draw", ["normal", "exponential", "standard_t"])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_the_floor_of_a_curve_takes_few_passes(draw, n_columns):
    rng = np.random.default_rng(0)
    shape = 20_000, n_columns
    y = np.arange(shape[0]) % 20 == 0
    X = (rng.standard_t(2, size=shape) if draw == "standard_t" else getattr(rng, draw)(size=shape)) + y[
        :, None
    ]
    features = drr.RakingFeatureMap(random_state=0).fit_transform(X)
    floor = drr.find_floor(features[~y], features[y].mean(axis=0))
    assert floor.gap <= 1e-10 * floor.base_discrepancy  # and that is no reason to warn
    assert floor.n_passes < 50
    # No more rows carry weight than a curve or a sheet of this smoothness has dimensions.
    assert np.count_nonzero(floor.weights) < (40 if n_columns == 1 else 90)
    # The bounds, from outside.
    rows = features[~y] - features[y].mean(axis=0)
    assert np.linalg.norm(floor.weights @ rows) == pytest.approx(floor.value, rel=1e-9, abs=1e-15)
    lowest = (rows @ floor.residual).min() / np.linalg.norm(floor.residual)
    assert max(0.0, lowest) == pytest.approx(floor.lower_bound, rel=1e-9, abs=1e-13)


def test_a_switch_that_came_too_early_is_taken_back(rng):
    """Two rows that nearly coincide begin the corral; the others need the fast method all the same."""
    rows = rng.normal(size=(400, 60)) + 0.6
    rows[1] = rows[0] + 1e-8 * rng.normal(size=60)
    floor = drr.find_floor(rows, np.zeros(60))
    assert floor.status is drr.Status.CONVERGED
