"""The paired bootstrap of the gain in average precision."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from drr import gain_interval


def draw(seed, n_positive=40, n_negative=960, gain=1.0, decimals=6):
    rng = np.random.default_rng(seed)
    y = np.arange(n_positive + n_negative) < n_positive
    base = np.round(rng.normal(size=len(y)) + 1.5 * y, decimals)
    fused = np.round(base + rng.normal(size=len(y)) + gain * y, decimals)
    return y, base, fused


def reference_gains(y, base, fused, n_resamples, seed, *, stratify=True, sample_weight=None):
    """The same bootstrap, by scikit-learn's metric on resampled rows."""
    rng = np.random.default_rng(seed)
    gains, rows = [], np.arange(len(y))
    while len(gains) < n_resamples:
        if stratify:
            drawn = np.concatenate(
                [rng.choice(rows[y == label], size=(y == label).sum()) for label in (0, 1)]
            )
        else:
            drawn = rng.choice(rows, size=len(rows))
        if not 0 < y[drawn].sum() < len(y):
            continue
        w = None if sample_weight is None else sample_weight[drawn]
        gains.append(
            average_precision_score(y[drawn], fused[drawn], sample_weight=w)
            - average_precision_score(y[drawn], base[drawn], sample_weight=w)
        )
    return np.array(gains)


@pytest.mark.parametrize(
    ("decimals", "stratify", "weighted"),
    [(0, True, False), (6, True, False), (6, False, False), (0, True, True)],
)
def test_interval_is_that_of_a_plain_bootstrap(decimals, stratify, weighted):
    y, base, fused = draw(0, n_positive=20, n_negative=180, decimals=decimals)
    sample_weight = np.random.default_rng(1).integers(1, 4, size=200) / 2 if weighted else None
    n_reference = 500
    expected = reference_gains(
        y, base, fused, n_reference, seed=5, stratify=stratify, sample_weight=sample_weight
    )
    result = gain_interval(
        y,
        base,
        fused,
        level=0.6,
        n_resamples=20_000,
        random_state=0,
        stratify=stratify,
        sample_weight=sample_weight,
    )
    gain = average_precision_score(y, fused, sample_weight=sample_weight) - average_precision_score(
        y, base, sample_weight=sample_weight
    )
    np.testing.assert_allclose(result.gain, gain, rtol=1e-12)
    # The share of reference resamples beyond each end is a binomial proportion: 0.2 ± 4 standard errors.
    tolerance = 4 * np.sqrt(0.2 * 0.8 / n_reference)
    assert abs(np.mean(expected < result.low) - 0.2) < tolerance
    assert abs(np.mean(expected > result.high) - 0.2) < tolerance


def test_figures_are_consistent():
    y, base, fused = draw(1)
    result = gain_interval(y, base, fused, n_resamples=500, random_state=0)
    np.testing.assert_allclose(result.base_average_precision, average_precision_score(y, base), rtol=1e-12)
    np.testing.assert_allclose(result.fused_average_precision, average_precision_score(y, fused), rtol=1e-12)
    assert result.gain == result.fused_average_precision - result.base_average_precision
    assert (result.level, result.n_resamples) == (0.95, 500)
    assert pickle.loads(pickle.dumps(result)) == result
    assert gain_interval(y, base, fused, n_resamples=500, random_state=0) == result
    assert gain_interval(y, base, fused, n_resamples=500, random_state=1) != result


def test_a_wider_level_gives_a_wider_interval():
    y, base, fused = draw(2)
    narrow = gain_interval(y, base, fused, level=0.5, n_resamples=999, random_state=0)
    wide = gain_interval(y, base, fused, level=0.99, n_resamples=999, random_state=0)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_gain_and_loss_are_told_apart():
    y, base, fused = draw(3, gain=3.0)
    assert gain_interval(y, base, fused, n_resamples=999, random_state=0).is_gain
    swapped = gain_interval(y, fused, base, n_resamples=999, random_state=0)
    assert swapped.is_loss
    assert not swapped.is_gain


def test_the_same_ranking_has_no_gain():
    y, base, _ = draw(4)
    result = gain_interval(y, base, np.exp(base), n_resamples=99, random_state=0)
    assert (result.gain, result.low, result.high) == (0.0, 0.0, 0.0)
    assert not result.is_gain
    assert not result.is_loss


def test_one_positive_row_is_enough():
    y = np.arange(30) < 1
    rng = np.random.default_rng(0)
    result = gain_interval(y, rng.normal(size=30), rng.normal(size=30), n_resamples=50, stratify=False)
    assert np.isfinite([result.gain, result.low, result.high]).all()


def test_rows_of_weight_zero_are_absent():
    y, base, fused = draw(5, n_positive=20, n_negative=100)
    weight = (np.arange(120) % 3 > 0).astype(float)
    present = weight > 0
    with_zeros = gain_interval(y, base, fused, sample_weight=weight, n_resamples=99, random_state=0)
    without = gain_interval(y[present], base[present], fused[present], n_resamples=99, random_state=0)
    np.testing.assert_allclose(
        [with_zeros.gain, with_zeros.low, with_zeros.high],
        [without.gain, without.low, without.high],
        rtol=1e-12,
    )


def test_labels_of_any_kind():
    y, base, fused = draw(6)
    expected = gain_interval(y, base, fused, n_resamples=50, random_state=0)
    names = np.where(y, "fraud", "honest")
    assert gain_interval(names, base, fused, n_resamples=50, random_state=0, pos_label="fraud") == expected
    assert gain_interval(np.where(y, 1, -1), base, fused, n_resamples=50, random_state=0) == expected
    assert gain_interval(y.tolist(), list(base), list(fused), n_resamples=50, random_state=0) == expected


def test_no_matrix_of_all_resamples_is_built():
    y, base, fused = draw(7, n_positive=500, n_negative=4500)
    tracemalloc.start()
    gain_interval(y, base, fused, n_resamples=2000, random_state=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2000 * 5000 * 8 / 10


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 0], [1.0, 2.0], [1.0, 2.0]), {}, "one class only, 0"),
        (([0, 1], [1.0, 2.0], [1.0, 2.0, 3.0]), {}, r"fused_score must have shape \(2,\)"),
        (([0, 1], [1.0, np.nan], [1.0, 2.0]), {}, "base_score must be finite, got nan at position 1"),
        (([0, np.nan], [1.0, 2.0], [1.0, 2.0]), {}, "missing label at position 1"),
        (([None, "a"], [1.0, 2.0], [1.0, 2.0]), {"pos_label": "a"}, "missing label at position 0"),
        (([0, 1], [1.0, 2.0], [1.0, 2.0]), {"pos_label": 3}, "pos_label=3 is not a label of y"),
        (([0, 1], [1.0, 2.0], [1.0, 2.0]), {"n_resamples": 0}, "n_resamples must be a positive integer"),
        (([0, 1], [1.0, 2.0], [1.0, 2.0]), {"n_resamples": 1.5}, "n_resamples must be a positive integer"),
        (([0, 1], [1.0, 2.0], [1.0, 2.0]), {"level": 95}, "level must be a number"),
        (([0, 1], [1.0, 2.0], [1.0, 2.0]), {"random_state": -1}, "random_state must be"),
    ],
)
def test_bad_arguments_are_named(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        gain_interval(*arguments, **options)


def test_text_scores_are_refused():
    with pytest.raises(TypeError, match="base_score must be numeric"):
        gain_interval([0, 1], ["a", "b"], [1.0, 2.0])
