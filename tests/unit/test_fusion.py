"""Standardisation, fusion and the separation analysis."""

import pickle

import numpy as np
import pytest

from drr import choose_fusion_weight, fusion_deflection, optimal_weight, separation, theory
from drr.fusion import Standardisation, closed_form_weight, fuse, standardise
from drr.fusion.bootstrap import resample_totals


def draw(seed, n_positive=200, n_negative=3800, d1=2.0, d2=1.5, rho=0.4):
    rng = np.random.default_rng(seed)
    positive = np.arange(n_positive + n_negative) < n_positive
    noise = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=len(positive))
    base, dual = (noise + np.outer(positive, [d1, d2])).T
    return base, dual, positive


def test_standardisation_is_marginal_with_divisor_n():
    score = np.array([1.0, 2.0, 6.0])
    result = standardise(score)
    assert result.mean == 3.0
    np.testing.assert_allclose(result.scale, np.std(score))
    np.testing.assert_allclose(result.transform(score).std(), 1.0)
    assert pickle.loads(pickle.dumps(result)) == result


@pytest.mark.parametrize("value", [0.1, 1e6 + 0.1, -3e300])
def test_constant_scores_become_exactly_zero(value):
    result = standardise(np.full(1001, value))
    assert result == Standardisation(value, 1.0, is_constant=True)
    assert (result.transform(np.full(5, value)) == 0).all()


def test_a_near_constant_scale_divides_by_one():
    score = np.array([0.0, 1e-12, 2e-12])
    assert standardise(score).scale == 1.0
    assert standardise(score * 10).scale == np.std(score * 10)
    # As small as the rounding of the numbers: noise, not a score.
    assert standardise(np.array([1e6, np.nextafter(1e6, 2e6)])).scale == 1.0


def test_weighted_standardisation_counts_rows():
    score, counts = np.array([1.0, 4.0, 5.0]), np.array([3, 0, 2])
    repeated, weighted = standardise(np.repeat(score, counts)), standardise(score, sample_weight=counts)
    np.testing.assert_allclose([weighted.mean, weighted.scale], [repeated.mean, repeated.scale], rtol=1e-14)


def test_fuse_adds_the_weighted_dual():
    assert fuse([1.0, 2.0], [3.0, -1.0], 0.5).tolist() == [2.5, 1.5]
    with pytest.raises(ValueError, match="weight must be a finite number of at least 0"):
        fuse([1.0], [1.0], -1.0)
    with pytest.raises(ValueError, match=r"dual must have shape \(2,\)"):
        fuse([1.0, 2.0], [3.0])


def pooled_estimates(base, dual, positive):
    """The definitions, written out."""
    centred = np.stack([base, dual])
    for rows in (positive, ~positive):
        centred[:, rows] -= centred[:, rows].mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, ddof=2)
    means = np.stack([base, dual])
    distance = means[:, positive].mean(axis=1) - means[:, ~positive].mean(axis=1)
    return *(distance / deviation), np.corrcoef(centred)[0, 1]


def test_separation_is_the_pooled_within_class_one():
    base, dual, positive = draw(0)
    d1, d2, rho = pooled_estimates(base, dual, positive)
    result = separation(base, dual, positive, n_resamples=0)
    np.testing.assert_allclose([result.d1, result.d2, result.rho], [d1, d2, rho], rtol=1e-12)
    np.testing.assert_allclose(result.threshold, np.sqrt(5 + 4 * rho) - 2, rtol=1e-12)
    q = 0.05 * 0.95 * 4000 / 3998  # the marginal variance has the divisor n, the deflections have n − 2
    effective = 0.5 * np.sqrt((1 + q * d1**2) / (1 + q * d2**2))
    np.testing.assert_allclose(result.effective_weight, effective, rtol=1e-12)
    np.testing.assert_allclose(result.change, fusion_deflection(d1, d2, rho, effective) - d1, rtol=1e-10)
    np.testing.assert_allclose(result.optimal_weight, optimal_weight(d1, d2, rho), rtol=1e-12)
    np.testing.assert_allclose(
        result.closed_form_weight,
        result.optimal_weight * np.sqrt((1 + q * d2**2) / (1 + q * d1**2)),
        rtol=1e-12,
    )
    assert np.isnan(result.d1_interval.low)
    assert (result.n_positive, result.n_negative) == (200, 3800)


def test_predicted_change_is_that_of_the_deployed_score():
    """No theory on one side: standardise marginally, fuse, and measure the deflection."""
    base, dual, positive = draw(1, n_positive=600, n_negative=1400)
    fused = fuse(standardise(base).transform(base), standardise(dual).transform(dual), 0.8)
    measured, _, _ = pooled_estimates(fused, dual, positive)
    result = separation(base, dual, positive, weight=0.8, n_resamples=0)
    # Exact: the plug-in moments of the sample obey the same algebra, whatever their law.
    np.testing.assert_allclose(result.d1 + result.change, measured, rtol=1e-12)


def test_closed_form_weight_maximises_the_deflection_of_the_deployed_score():
    base, dual, positive = draw(2, n_positive=600, n_negative=1400)
    best = separation(base, dual, positive, n_resamples=0).closed_form_weight
    z_base, z_dual = standardise(base).transform(base), standardise(dual).transform(dual)

    def deflection(weight):
        return pooled_estimates(fuse(z_base, z_dual, weight), dual, positive)[0]

    assert deflection(best) > max(deflection(best * 0.99), deflection(best * 1.01))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_separation_does_not_depend_on_offset_and_scale(scale):
    base, dual, positive = draw(3)
    plain = separation(base, dual, positive, n_resamples=50, random_state=0)
    moved = separation(base * scale + 3 * scale, dual / scale, positive, n_resamples=50, random_state=0)
    for name in ("d1", "d2", "rho", "change", "d1_interval", "closed_form_weight_interval"):
        np.testing.assert_allclose(getattr(moved, name), getattr(plain, name), rtol=1e-8)


def test_intervals_cover_and_have_the_width_of_theory():
    covered = []
    for seed in range(40):
        base, dual, positive = draw(seed, n_positive=150, n_negative=850)
        result = separation(base, dual, positive, n_resamples=300, random_state=seed)
        covered.append(
            [
                result.d1_interval.low < 2.0 < result.d1_interval.high,
                result.d2_interval.low < 1.5 < result.d2_interval.high,
                result.rho_interval.low < 0.4 < result.rho_interval.high,
                result.threshold_interval.low < theory.fusion_threshold(0.4) < result.threshold_interval.high,
                result.effective_weight_interval.low
                < theory.effective_weight(0.5, 2.0, 1.5, 0.15)
                < result.effective_weight_interval.high,
            ]
        )
    assert (np.mean(covered, axis=0) > 0.8).all()
    # Delta method for d: 1/n1 + 1/n0 + d²/(2n).
    expected = 2 * 1.96 * np.sqrt(1 / 150 + 1 / 850 + 2.0**2 / 2000)
    np.testing.assert_allclose(result.d1_interval.high - result.d1_interval.low, expected, rtol=0.25)
    for name in ("threshold", "effective_weight", "change", "optimal_weight", "closed_form_weight"):
        low, high = getattr(result, f"{name}_interval")
        assert low < getattr(result, name) < high


def test_every_estimate_has_an_interval():
    """The threshold rises with ρ, so that its interval is that of ρ, transformed."""
    base, dual, positive = draw(6)
    result = separation(base, dual, positive, weight=0.8, n_resamples=99, random_state=0)
    np.testing.assert_allclose(
        result.threshold_interval, theory.fusion_threshold(np.array(result.rho_interval), 0.8), rtol=1e-12
    )
    without = separation(base, dual, positive, n_resamples=0)
    given = {"weight", "level", "n_resamples", "n_positive", "n_negative"}
    estimates = {name for name in vars(result) if not name.endswith("_interval")} - given
    for name in estimates:
        assert np.isfinite(getattr(result, f"{name}_interval")).all()
        assert np.isnan(getattr(without, f"{name}_interval")).all()


def test_same_seed_same_intervals():
    base, dual, positive = draw(4)
    first, second, third = (
        separation(base, dual, positive, n_resamples=99, random_state=s) for s in (1, 1, 2)
    )
    assert first == second
    assert first != third
    assert (
        separation(base, dual, positive, n_resamples=9, random_state=np.random.RandomState(0)).n_resamples
        == 9
    )
    assert pickle.loads(pickle.dumps(first)) == first


def test_integer_weights_are_repeated_rows():
    base, dual, positive = draw(5, n_positive=50, n_negative=300)
    counts = np.random.default_rng(0).integers(0, 4, size=350)
    weighted = separation(base, dual, positive, sample_weight=counts, n_resamples=0)
    repeated = separation(*(np.repeat(a, counts) for a in (base, dual, positive)), n_resamples=0)
    for name in ("d1", "d2", "rho", "change", "closed_form_weight"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-12)


def test_a_resample_is_judged_as_its_rows_are():
    base, dual, positive = draw(5, n_positive=50, n_negative=300)
    resampled = separation(base, dual, positive, n_resamples=1, random_state=0)
    ((counts,),) = resample_totals([np.arange(350)], positive, 1, np.random.default_rng(0))
    repeated = separation(*(np.repeat(each, counts[0]) for each in (base, dual, positive)), n_resamples=0)
    for name in ("d1", "d2", "rho", "change", "closed_form_weight"):
        np.testing.assert_allclose(
            getattr(resampled, f"{name}_interval"), getattr(repeated, name), rtol=1e-10
        )


def test_rows_of_weight_zero_are_absent():
    base, dual, positive = draw(5, n_positive=50, n_negative=300)
    weight = (np.arange(350) % 3 > 0).astype(float)
    options = {"n_resamples": 99, "random_state": 0}
    rows = weight > 0
    expected = separation(base[rows], dual[rows], positive[rows], sample_weight=weight[rows], **options)
    assert separation(base, dual, positive, sample_weight=weight, **options) == expected


def test_a_zero_dual_has_no_separation():
    base, _, positive = draw(6)
    result = separation(base, np.zeros(len(base)), positive, n_resamples=50)
    assert (result.d2, result.rho, result.closed_form_weight) == (0.0, 0.0, 0.0)
    assert result.change < 0
    assert not result.predicts_gain
    assert result.closed_form_weight_interval == (0.0, 0.0)


def test_a_useless_base_gives_the_largest_weight():
    _, dual, positive = draw(7)
    result = separation(np.zeros(len(dual)), dual, positive, n_resamples=50)
    assert result.optimal_weight == np.inf
    assert result.closed_form_weight == 4.0
    assert result.optimal_weight_interval == (np.inf, np.inf)


def test_perfect_scores_stay_finite():
    positive = np.arange(20) < 3
    result = separation(positive.astype(float), positive * 2.0, positive, n_resamples=20, random_state=0)
    assert np.isfinite([result.d1, result.d2, result.rho, result.change]).all()
    assert result.d1 > 1e6


def test_two_rows_are_enough():
    result = separation([1.0, 0.0], [0.5, 0.4], [1, 0], n_resamples=5, random_state=0)
    assert np.isfinite(result.change)


def test_closed_form_weight_is_capped_and_broadcasts():
    weights = closed_form_weight([1.0, 0.0, 1.0], [1.0, 1.0, -1.0], 0.2, 0.1, largest=2.5)
    np.testing.assert_allclose(weights, [1.0, 2.5, 0.0], rtol=1e-12)
    assert theory.effective_weight(closed_form_weight(1.0, 0.8, 0.1, 0.2), 1.0, 0.8, 0.2) == pytest.approx(
        optimal_weight(1.0, 0.8, 0.1)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [1.0], [0, 1]), r"dual_score must have shape \(2,\)"),
        (([1.0, np.nan], [1.0, 2.0], [0, 1]), "base_score must be finite, got nan at position 1"),
        (([1.0, 2.0], [np.inf, 2.0], [0, 1]), "dual_score must be finite, got inf at position 0"),
        (([1.0, 2.0], [1.0, 2.0], [1, 1]), "one class only, 1"),
        (([1.0, 2.0], [1.0, 2.0], [0, 1, 1]), r"y must have shape \(2,\)"),
        (([1.0, 2.0], [1.0, 2.0], ["a", "b"]), "pass pos_label"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0, 1, 2]), "0, 1, 2"),
        (([], [], []), "at least one score"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        separation(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, r"level must be a number in \(0, 1\), got 1.0"),
        ({"n_resamples": -1}, "n_resamples must be a positive integer"),
        ({"weight": -0.5}, "weight must be"),
        ({"random_state": "seed"}, "random_state must be"),
        ({"sample_weight": [1.0, -1.0]}, "sample_weight must not be negative, got -1.0 at position 1"),
        ({"sample_weight": [1.0, 0.0]}, "zero on every positive row"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        separation([1.0, 2.0], [0.0, 1.0], [0, 1], **options)


def test_a_base_that_ranks_worse_than_chance_counts_as_chance():
    """A second score of noise moves a deflection below zero towards zero, which is no gain."""
    rng = np.random.default_rng(0)
    positive = np.arange(2000) < 200
    base, noise = rng.normal(size=(2, 2000)) - np.outer([1.0, 0.0], positive)
    result = separation(base, noise, positive, weight=1.0, n_resamples=99, random_state=0)
    fused = standardise(base).transform(base) + standardise(noise).transform(noise)
    before, _, _ = pooled_estimates(base, noise, positive)
    after, _, _ = pooled_estimates(fused, noise, positive)
    assert before < after < 0
    np.testing.assert_allclose(result.change, after, rtol=1e-10)
    assert not result.predicts_gain
    assert result.change_interval.high < 0


@pytest.mark.parametrize("n_rare", [10, 20, 50])
def test_a_change_is_rarely_claimed_of_noise(n_rare):
    """The weight is chosen on the rows that judge it, as in a fit; nominally 2.5 % of intervals lie above zero."""
    rng = np.random.default_rng(n_rare)
    positive = np.arange(300) < n_rare
    n_above = 0
    for _ in range(100):
        base, dual = rng.normal(size=(2, 300))
        weight = choose_fusion_weight(base, dual, positive)
        result = separation(base, dual, positive, weight=weight, n_resamples=199, random_state=0)
        n_above += result.change_interval.low > 0
    assert n_above <= 5


def test_wider_intervals_keep_the_estimates():
    base, dual, positive = draw(3)
    result = separation(base, dual, positive, n_resamples=99, random_state=0)
    wider = result.widened(1.5)
    assert wider.change == result.change
    assert wider.rho_interval == result.rho_interval
    for name in ("d1", "d2", "change"):
        value, before, after = (
            getattr(each, field)
            for each, field in [(result, name), (result, f"{name}_interval"), (wider, f"{name}_interval")]
        )
        np.testing.assert_allclose(np.subtract(after, value), 1.5 * np.subtract(before, value), rtol=1e-12)


def test_a_row_of_weight_zero_is_absent_whatever_its_score():
    with_it = standardise([1.0, 2.0, 4.0, 1e18], sample_weight=[1.0, 2.0, 1.0, 0.0])
    assert with_it == standardise([1.0, 2.0, 4.0], sample_weight=[1.0, 2.0, 1.0])
    assert not with_it.is_constant
