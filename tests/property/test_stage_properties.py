"""What must hold for every separation, calibration and cut."""

import warnings

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from drr import (
    CostMatrix,
    FalsePositiveRateAtMost,
    PrecisionAtLeast,
    RecallAtLeast,
    TopK,
    fusion_deflection,
    optimal_weight,
    theory,
)
from drr.calibration import fit_calibration
from drr.decision import choose_cut, place_cut
from drr.fusion import standardise

# Subnormal numbers have no relative accuracy to keep.
deflections = st.floats(0, 10, allow_subnormal=False)
weights = st.floats(0, 10, allow_subnormal=False)
correlations = st.floats(-0.99, 0.99)


@st.composite
def scored_rows(draw):
    n_rows = draw(st.integers(2, 25))
    levels = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e9, 1e9))
    score = draw(arrays(np.float64, n_rows, elements=levels))
    y = draw(arrays(np.bool_, n_rows))
    y[0], y[-1] = True, False
    return score, y


@given(deflections, deflections, correlations, st.floats(0, 50))
def test_no_weight_beats_the_optimal_one(d1, d2, rho, w):
    best = fusion_deflection(d1, d2, rho, optimal_weight(d1, d2, rho))
    assert fusion_deflection(d1, d2, rho, w) <= best + 1e-9 * max(best, 1.0)
    assert best >= max(d1, d2) * (1 - 1e-9)


@given(st.floats(0.01, 10), st.floats(0, 10), correlations, st.floats(0.01, 10))
def test_threshold_and_condition_agree(d1, d2, rho, w):
    ratio, threshold = d2 / d1, theory.fusion_threshold(rho, w)
    assume(abs(ratio - threshold) > 1e-6)
    assert theory.fusion_gains(d1, d2, rho, w) == (ratio > threshold)


@given(st.floats(0, 8), st.floats(0, 8), st.floats(0.001, 0.999))
def test_areas_grow_with_the_deflection(d, more, share):
    assume(more > 1e-3)
    assert theory.binormal_auprc(d + more, share) > theory.binormal_auprc(d, share) * (1 - 1e-12)
    assert share * (1 - 1e-9) <= theory.binormal_auprc(d, share) <= 1 + 1e-12
    assert theory.binormal_auc(d + more) >= theory.binormal_auc(d)
    assert theory.cantelli_bound(d + more) < theory.cantelli_bound(d)


@given(deflections, deflections, st.floats(0.001, 0.999), weights)
def test_marginal_and_effective_weights_are_inverse(d1, d2, share, w):
    effective = theory.effective_weight(w, d1, d2, share)
    np.testing.assert_allclose(theory.marginal_weight(effective, d1, d2, share), w, rtol=1e-12)


@given(scored_rows())
def test_standardised_scores_have_mean_zero_and_unit_or_no_scale(data):
    score, _ = data
    result = standardise(score)
    z = result.transform(score)
    assert np.isfinite(z).all()
    assert abs(z.mean()) < 1e-6
    assert result.is_constant or abs(z.std() - 1) < 1e-6


@given(scored_rows(), st.sampled_from(["sigmoid", "isotonic"]), st.booleans())
def test_constrained_probabilities_never_fall_with_the_score(data, method, constrained):
    score, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        calibration = fit_calibration(score, y, method, constrained=constrained)
    probability = calibration.predict(np.sort(score))
    assert np.isfinite(probability).all()
    assert ((probability >= 0) & (probability <= 1)).all()
    if constrained or method == "isotonic":
        assert (np.diff(probability) >= 0).all()


@given(scored_rows(), st.data())
def test_cuts_separate_the_levels_they_should(data, draw):
    levels = np.unique(data[0])[::-1]
    n_levels = draw.draw(st.integers(0, len(levels)))
    assert (levels > place_cut(levels, n_levels)).sum() == n_levels


@given(scored_rows(), st.floats(0, 1))
def test_rules_keep_their_promises(data, rate):
    score, y = data
    n_positive, n_negative = y.sum(), (~y).sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        recall_cut = choose_cut(score, y, RecallAtLeast(rate))
        rate_cut = choose_cut(score, y, FalsePositiveRateAtMost(rate))
        precision_cut = choose_cut(score, y, PrecisionAtLeast(rate))
        top_cut = choose_cut(score, y, TopK(3))
        cost_cut = choose_cut(score, y, CostMatrix(1.0, 3.0))
    assert (y & (score > recall_cut)).sum() >= rate * n_positive - 1e-9
    assert (~y & (score > rate_cut)).sum() <= rate * n_negative + 1e-9
    assert (score > top_cut).sum() <= 3
    labelled = score > precision_cut
    assert labelled.any(), "the most precise cut labels something positive"
    errors = (~y & (score > cost_cut)).sum() + 3 * (y & ~(score > cost_cut)).sum()
    assert errors <= min(n_negative, 3 * n_positive), "no worse than labelling all or none"
