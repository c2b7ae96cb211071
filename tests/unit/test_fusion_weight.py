"""The weight of the dual chosen on held-out scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from drr import choose_fusion_weight
from drr.fusion import separation
from drr.fusion_weight import WEIGHT_GRID


@pytest.fixture
def scores(rng):
    y = np.arange(800) < 60
    base, dual = rng.normal(size=(2, 800)) + np.outer([1.0, 1.5], y)
    return base, dual, y


def test_a_number_is_the_weight_itself(scores):
    assert choose_fusion_weight(*scores, 0.25) == 0.25
    with pytest.raises(ValueError, match="fusion_weight must be a finite number of at least 0"):
        choose_fusion_weight(*scores, -1.0)


def test_the_grid_has_the_largest_average_precision(scores):
    base, dual, y = scores
    precisions = [average_precision_score(y, base + weight * dual) for weight in WEIGHT_GRID]
    assert choose_fusion_weight(*scores, "average_precision") == WEIGHT_GRID[int(np.argmax(precisions))]


def test_weights_of_rows_count_in_the_grid(scores, rng):
    base, dual, y = scores
    weights = rng.integers(0, 4, size=800).astype(float)
    precisions = [
        average_precision_score(y, base + weight * dual, sample_weight=weights) for weight in WEIGHT_GRID
    ]
    chosen = choose_fusion_weight(*scores, "average_precision", weights)
    assert chosen == WEIGHT_GRID[int(np.argmax(precisions))]


def test_the_closed_form_is_that_of_the_separation(scores):
    expected = separation(*scores, n_resamples=0).closed_form_weight
    assert choose_fusion_weight(*scores, "closed_form") == expected


def test_auto_is_the_mean_of_both(scores):
    both = [choose_fusion_weight(*scores, method) for method in ("closed_form", "average_precision")]
    assert choose_fusion_weight(*scores, "auto") == pytest.approx(np.mean(both))


def test_a_useless_dual_gets_no_weight_and_a_useless_base_the_largest(rng):
    y = np.arange(2000) < 100
    informative, noise = rng.normal(size=(2, 2000)) + np.outer([4.0, 0.0], y)
    for method in ("closed_form", "average_precision"):
        assert choose_fusion_weight(informative, noise, y, method) <= 0.25
        assert choose_fusion_weight(noise, informative, y, method) == max(WEIGHT_GRID)


def test_unknown_methods_are_refused(scores):
    with pytest.raises(ValueError, match="number of at least 0 or one of 'auto'"):
        choose_fusion_weight(*scores, "best")
