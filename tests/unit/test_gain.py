"""The paired bootstrap of the gain in average precision."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from drr import gain_interval, separation
from drr.fusion.bootstrap import interval_tails


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
        gains.append(
            precision(y[drawn], fused[drawn], sample_weight, drawn, rng)
            - precision(y[drawn], base[drawn], sample_weight, drawn, rng)
        )
    return np.array(gains)


def precision(y, score, sample_weight, drawn, rng):
    """Average precision with weights, or without them over random orders of equal scores."""
    if sample_weight is not None:
        return average_precision_score(y, score, sample_weight=sample_weight[drawn])
    orders = [rng.permutation(len(y)) for _ in range(2)]
    return np.mean([average_precision_score(y, np.argsort(np.lexsort((k, score)))) for k in orders])


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
    if decimals or weighted:
        gain = average_precision_score(y, fused, sample_weight=sample_weight) - average_precision_score(
            y, base, sample_weight=sample_weight
        )
        np.testing.assert_allclose(result.gain, gain, rtol=1e-12)
    # The share of reference resamples beyond each end is a binomial proportion, within 4 standard errors.
    tail, _ = interval_tails(0.6, 20)
    assert 0.17 < tail < 0.2
    tolerance = 4 * np.sqrt(tail * (1 - tail) / n_reference)
    assert abs(np.mean(expected < result.low) - tail) < tolerance
    assert abs(np.mean(expected > result.high) - tail) < tolerance


def test_ties_count_as_in_random_order(rng):
    y = np.arange(60) < 15
    base = rng.integers(0, 3, size=60).astype(float)
    fused = base + 0.1 * rng.random(60)
    result = gain_interval(y, base, fused, n_resamples=9, random_state=0)
    broken = [average_precision_score(y, base + 0.1 * rng.random(60)) for _ in range(4000)]
    assert result.base_average_precision == pytest.approx(
        np.mean(broken), abs=4 * np.std(broken) / np.sqrt(4000)
    )
    assert result.base_average_precision > average_precision_score(y, base)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_positive", [10, 12, 15, 20, 30, 50])
def test_noise_added_to_noise_is_no_gain(n_positive, ties):
    rng = np.random.default_rng(n_positive)
    y = np.arange(600) < n_positive
    claims = []
    for _ in range(400):
        base = rng.poisson(1.0, size=600).astype(float) if ties else rng.normal(size=600)
        fused = base / base.std() + 0.5 * rng.normal(size=600)
        result = gain_interval(y, base, fused, n_resamples=199, random_state=0)
        claims.append([result.is_gain, result.is_loss])
    # Nominal are 2.5 % on each side; two standard errors of 400 draws are 1.6 %.
    assert np.mean(claims, axis=0).max() <= 0.04


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


@pytest.mark.parametrize("n_positive", [1, 9])
def test_below_ten_rare_rows_there_is_no_interval_and_no_verdict(n_positive):
    y = np.arange(90) < n_positive
    result = gain_interval(y, -y.astype(float), y, n_resamples=50)
    assert result.gain > 0
    assert np.isnan([result.low, result.high]).all()
    assert not result.is_gain
    assert not result.is_loss
    assert str(result).endswith(f"no interval: {n_positive} rare rows are fewer than 10")
    assert np.isnan(separation(y + np.arange(90), y * 2.0 - np.arange(90), y).d1_interval.low)


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
