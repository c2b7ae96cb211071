"""Tables of one column: their embedded rows are a smooth curve, nearly dependent from a dozen of them on."""

from __future__ import annotations

import numpy as np
import pytest

import drr


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_floor_of_a_curve_takes_few_passes(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(3000) < 150
    X = rng.normal(size=(3000, 1)) + y[:, None]
    features = drr.RakingFeatureMap(random_state=0).fit_transform(X)
    floor = drr.find_floor(features[~y], features[y].mean(axis=0))
    assert floor.gap <= 1e-10 * floor.base_discrepancy  # and that is no reason to warn
    assert floor.n_passes < 40
    # No more rows carry weight than a curve of this smoothness has dimensions.
    assert np.count_nonzero(floor.weights) < 30


def test_a_switch_that_came_too_early_is_taken_back(rng):
    """Two rows that nearly coincide begin the corral; the others need the fast method all the same."""
    rows = rng.normal(size=(400, 60)) + 0.6
    rows[1] = rows[0] + 1e-8 * rng.normal(size=60)
    floor = drr.find_floor(rows, np.zeros(60))
    assert floor.status is drr.Status.CONVERGED
