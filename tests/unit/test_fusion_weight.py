"""The weight of the dual chosen on held-out scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from drr import choose_fusion_weight
from drr.fusion.separation import MAX_CLOSED_FORM_WEIGHT, separation
from drr.fusion.weight import N_RESAMPLES, WEIGHT_GRID


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


def mean_best_weight_by_hand(base, dual, y, n_resamples):
    """Rows drawn one by one within each class, scikit-learn's metric, ties averaged."""
    rng = np.random.default_rng(1)
    members = [np.flatnonzero(y), np.flatnonzero(~y)]
    best = []
    for _ in range(n_resamples):
        rows = np.concatenate([rng.choice(each, len(each)) for each in members])
        precisions = np.array(
            [average_precision_score(y[rows], base[rows] + weight * dual[rows]) for weight in WEIGHT_GRID]
        )
        best.append(np.mean(np.array(WEIGHT_GRID)[precisions >= precisions.max() - 1e-12]))
    return np.mean(best), np.std(best)


@pytest.mark.parametrize("n_positive", [12, 60])
def test_auto_is_the_mean_of_the_best_weights_of_resamples(scores, n_positive):
    base, dual, y = (each[60 - n_positive : 360] for each in scores)
    expected, deviation = mean_best_weight_by_hand(base, dual, y, 100)
    # Two means of 100 independent resamples: four standard errors of their difference.
    allowed = 4 * deviation * np.sqrt(2 / N_RESAMPLES)
    assert choose_fusion_weight(base, dual, y, "auto") == pytest.approx(expected, abs=allowed)
    assert N_RESAMPLES == 100


def test_auto_is_the_same_for_the_same_scores(scores):
    assert choose_fusion_weight(*scores, "auto") == choose_fusion_weight(*scores, "auto")


def test_auto_takes_the_middle_where_every_weight_is_perfect():
    y = np.arange(100) < 10
    perfect = np.where(y, 3.0, -1.0)
    assert choose_fusion_weight(perfect, perfect, y, "auto") == pytest.approx(np.mean(WEIGHT_GRID))


def test_weights_of_rows_count_in_auto(scores):
    base, dual, y = scores
    present = np.arange(800) % 3 > 0
    absent = choose_fusion_weight(base, dual, y, "auto", present.astype(float))
    assert absent == choose_fusion_weight(
        base[present], dual[present], y[present], "auto", np.ones(present.sum())
    )
    doubled = choose_fusion_weight(base, dual, y, "auto", np.where(base > 0, 2.0, 1.0))
    assert doubled != choose_fusion_weight(base, dual, y, "auto")


def test_a_useless_dual_gets_no_weight_and_a_useless_base_the_largest(rng):
    y = np.arange(2000) < 100
    informative, noise = rng.normal(size=(2, 2000)) + np.outer([4.0, 0.0], y)
    for method in ("closed_form", "average_precision", "auto"):
        assert choose_fusion_weight(informative, noise, y, method) <= 0.25
    assert choose_fusion_weight(noise, informative, y, "closed_form") == MAX_CLOSED_FORM_WEIGHT
    assert choose_fusion_weight(noise, informative, y, "average_precision") == max(WEIGHT_GRID)
    assert choose_fusion_weight(noise, informative, y, "auto") > 4


def test_unknown_methods_are_refused(scores):
    with pytest.raises(ValueError, match="number of at least 0 or one of 'auto'"):
        choose_fusion_weight(*scores, "best")
