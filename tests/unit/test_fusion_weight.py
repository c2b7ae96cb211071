"""The weight of the dual chosen on held-out scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

from drr import choose_fusion_weight
from drr.fusion.separation import MAX_CLOSED_FORM_WEIGHT, separation
from drr.fusion.weight import N_RESAMPLES, WEIGHT_GRID, fuse_crosswise


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


def cautious_angle_by_hand(base, dual, y, n_resamples):
    """Rows drawn one by one within each class, and scikit-learn's metric."""
    rng = np.random.default_rng(1)
    members = [np.flatnonzero(y), np.flatnonzero(~y)]
    precisions = np.empty((len(WEIGHT_GRID), n_resamples))
    for k in range(n_resamples):
        rows = np.concatenate([rng.choice(each, len(each)) for each in members])
        precisions[:, k] = [
            average_precision_score(y[rows], base[rows] + weight * dual[rows]) for weight in WEIGHT_GRID
        ]
    angles = np.arctan(WEIGHT_GRID)
    best = [angles[np.flatnonzero(each >= each.max() - 1e-12)[0]] for each in precisions.T]
    leader = precisions[np.argmax(precisions.mean(axis=1))]
    close = [np.mean(leader - each) <= np.std(leader - each) for each in precisions]
    return (np.mean(best) + angles[np.argmax(close)]) / 2, np.std(best), angles[np.argmax(close)]


@pytest.mark.parametrize("n_positive", [12, 60])
def test_auto_lies_between_the_best_and_the_smallest_weight_that_is_hardly_worse(scores, n_positive):
    base, dual, y = (each[60 - n_positive : 360] for each in scores)
    expected, deviation, cautious = cautious_angle_by_hand(base, dual, y, 400)
    angle = np.arctan(choose_fusion_weight(base, dual, y, "auto"))
    # Half the difference of two means of independent resamples, and the neighbours of the cautious angle.
    angles = np.arctan(WEIGHT_GRID)
    step = np.diff(angles)[max(0, np.searchsorted(angles, cautious) - 1)]
    allowed = 2 * deviation * np.sqrt(1 / N_RESAMPLES + 1 / 400) + step / 2
    assert angle == pytest.approx(expected, abs=allowed)
    assert N_RESAMPLES == 100


def test_auto_is_the_same_for_the_same_scores(scores):
    assert choose_fusion_weight(*scores, "auto") == choose_fusion_weight(*scores, "auto")


def test_auto_leaves_a_perfect_base_alone():
    y = np.arange(100) < 10
    perfect = np.where(y, 3.0, -1.0)
    assert choose_fusion_weight(perfect, perfect, y, "auto") == 0.0
    constant = np.zeros(100)
    assert choose_fusion_weight(np.arange(100.0), constant, y, "auto") == 0.0


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


def test_a_row_has_no_part_in_the_weight_by_which_it_is_judged(scores):
    base, dual, y = scores
    fused = fuse_crosswise(base, dual, y, "auto")
    for others, rows in StratifiedKFold(5, shuffle=True, random_state=0).split(base, y):
        weight = choose_fusion_weight(base[others], dual[others], y[others])
        np.testing.assert_allclose(
            fused[rows], (base[rows] + weight * dual[rows]) / np.hypot(1, weight), atol=1e-12
        )


def test_a_weight_that_chases_noise_is_judged_without_favour(rng):
    y = np.arange(600) < 20
    claimed, honest = [], []
    for _ in range(60):
        base, dual = rng.normal(size=(2, 600))
        base_precision = average_precision_score(y, base)
        weight = choose_fusion_weight(base, dual, y, "average_precision")
        claimed.append(average_precision_score(y, base + weight * dual) - base_precision)
        fused = fuse_crosswise(base, dual, y, "average_precision")
        honest.append(average_precision_score(y, fused) - base_precision)
    assert np.mean(claimed) > 2 * np.std(claimed) / np.sqrt(60)
    assert abs(np.mean(honest)) < 2 * np.std(honest) / np.sqrt(60)
