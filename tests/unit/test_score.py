"""RakingDual: what it fits, what it reports, and what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import StandardScaler

import drr
from drr import RakingDual, RakingFeatureMap


@pytest.fixture
def two_classes(rng):
    y = np.arange(300) < 24
    return rng.normal(size=(300, 4)) + 1.2 * y[:, None], y


def test_the_composition_equals_its_stages(two_classes):
    X, y = two_classes
    dual = RakingDual(random_state=3, eta=0.1).fit(X, y)
    feature_map = RakingFeatureMap(random_state=3).fit(X)
    features = feature_map.transform(X)
    raking = drr.rake(features[~y], features[y].mean(axis=0), eta=0.1)
    np.testing.assert_allclose(
        dual.theta_, raking.dual.theta, rtol=1e-9, atol=1e-9 * np.abs(dual.theta_).max()
    )
    np.testing.assert_allclose(dual.score_samples(X), features @ raking.dual.theta, atol=1e-8)
    assert dual.tolerance_ == pytest.approx(raking.tolerance, rel=1e-12)
    assert dual.ess_ == pytest.approx(1 / np.sum(dual.weights_**2))
    assert dual.floor_.value == pytest.approx(raking.floor.value)
    assert dual.eta_ == 0.1
    np.testing.assert_array_equal(dual.majority_, np.flatnonzero(~y))


def test_the_density_ratio_averages_one_over_the_majority(two_classes):
    X, y = two_classes
    dual = RakingDual(random_state=0).fit(X, y)
    assert np.exp(dual.log_density_ratio(X[~y])).mean() == pytest.approx(1.0, rel=1e-9)


def test_weights_act_like_repeated_rows(two_classes, rng):
    X, y = two_classes
    feature_map = FrozenEstimator(RakingFeatureMap(random_state=0).fit(X))
    counts = rng.integers(0, 4, size=len(y))
    weighted = RakingDual(feature_map).fit(X, y, sample_weight=counts)
    repeated = RakingDual(feature_map).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.score_samples(X), repeated.score_samples(X), atol=1e-6)
    assert weighted.tolerance_ == pytest.approx(repeated.tolerance_, rel=1e-9)
    assert (weighted.weights_[counts[~y] == 0] == 0).all()


def test_the_rarer_class_is_the_rare_one_whatever_its_label(two_classes):
    X, y = two_classes
    first = RakingDual(random_state=0).fit(X, np.where(y, "a", "b"))
    last = RakingDual(random_state=0).fit(X, np.where(y, 7, 3))
    assert (first.pos_label_, last.pos_label_) == ("a", 7)
    np.testing.assert_array_equal(first.score_samples(X), last.score_samples(X))
    swapped = RakingDual(random_state=0, pos_label="b").fit(X, np.where(y, "a", "b"))
    assert swapped.pos_label_ == "b"
    assert len(swapped.weights_) == y.sum()


def test_three_classes_need_a_label(two_classes):
    X, y = two_classes
    three = y.astype(int)
    three[100:150] = 2
    with pytest.raises(ValueError, match="3 classes, 0, 1, 2; pass pos_label"):
        RakingDual().fit(X, three)
    dual = RakingDual(random_state=0, pos_label=1).fit(X, three)
    assert len(dual.weights_) == 300 - 24


def test_the_table_shows_what_raking_reached(two_classes):
    X, y = two_classes
    dual = RakingDual(random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    table = dual.moment_table()
    assert list(table.index[:4]) == list("abcd")
    assert len(table) == 4 + 128
    assert np.linalg.norm(table["gap_after"]) == pytest.approx(dual.tolerance_, rel=1e-6)
    assert np.linalg.norm(table["gap_before"]) == pytest.approx(dual.raking_.base_discrepancy, rel=1e-9)
    np.testing.assert_array_equal(table["theta"], dual.theta_)
    worst = dual.diagnostics_.worst_moments
    assert worst[0].after == pytest.approx(table["gap_after"].iloc[np.argmax(np.abs(table["gap_after"]))])
    assert abs(worst[0].after) >= abs(worst[-1].after)


def test_diagnostics_carry_the_figures(two_classes):
    X, y = two_classes
    dual = RakingDual(random_state=0).fit(X, y)
    figures = dual.diagnostics_
    assert figures.floor_lower_bound <= figures.floor <= figures.tolerance < figures.base_discrepancy
    assert figures.discrepancy == pytest.approx(figures.tolerance, rel=1e-6)
    assert figures.ess_share == pytest.approx(dual.ess_ / (~y).sum())
    assert figures.kl > 0
    assert not figures.is_zero
    assert "effective rows" in str(figures)


def test_levels_absent_from_the_majority_are_named():
    frame = pd.DataFrame({"colour": ["red", "blue"] * 20 + ["green", "red"], "size": np.arange(42.0)})
    y = np.arange(42) >= 40
    dual = RakingDual(RakingFeatureMap(8, random_state=0)).fit(frame, y)
    assert dual.diagnostics_.absent_levels == ("colour=green",)
    assert "colour=green" in str(dual.diagnostics_)


@pytest.mark.parametrize("sparse", [False, True])
def test_scores_do_not_need_the_features(two_classes, sparse):
    X, y = two_classes
    table = scipy.sparse.csr_array(X) if sparse else X
    dual = RakingDual(random_state=0).fit(table, y)
    np.testing.assert_allclose(
        dual.score_samples(table), dual.feature_map_.transform(table) @ dual.theta_, atol=1e-9
    )


def test_any_transformer_serves_as_a_map(two_classes):
    X, y = two_classes
    dual = RakingDual(StandardScaler()).fit(X, y)
    z = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(dual.score_samples(X), z @ dual.theta_)
    assert list(dual.moment_table().index) == ["x0", "x1", "x2", "x3"]


def test_float32_features_agree(two_classes):
    X, y = two_classes
    double = RakingDual(RakingFeatureMap(random_state=0)).fit(X, y)
    single = RakingDual(RakingFeatureMap(random_state=0, dtype=np.float32)).fit(X, y)
    scale = np.abs(double.score_samples(X)).max()
    np.testing.assert_allclose(single.score_samples(X), double.score_samples(X), atol=1e-4 * scale)


def test_features_beyond_the_caches_have_single_precision_unless_a_map_says_otherwise(rng):
    y = np.arange(65_000) < 200
    X = rng.normal(size=(len(y), 3)) + y[:, None]
    default = RakingDual(random_state=0).fit(X, y)
    asked = RakingDual(RakingFeatureMap(random_state=0)).fit(X, y)
    assert np.dtype(default.feature_map_.dtype) == np.float32
    assert np.dtype(asked.feature_map_.dtype) == np.float64
    assert default.raking_.dual.status is asked.raking_.dual.status is drr.Status.CONVERGED
    scores = asked.log_density_ratio(X)
    np.testing.assert_allclose(default.log_density_ratio(X), scores, rtol=0, atol=1e-6 * scores.std())
    fewer = RakingDual(random_state=0).fit(X[:10_000], y[:10_000])
    assert np.dtype(fewer.feature_map_.dtype) == np.float64


@pytest.mark.parametrize("min_ess", [30, 100.0, 0.5])
def test_the_smallest_tolerance_that_keeps_the_effective_size(two_classes, min_ess):
    X, y = two_classes
    wanted = min_ess if min_ess >= 1 else min_ess * (~y).sum()
    dual = RakingDual(random_state=0, min_ess=min_ess).fit(X, y)
    assert wanted <= dual.ess_ <= 1.01 * wanted
    # The same η by itself gives the same dual; a slightly smaller one no longer keeps the size.
    plain = RakingDual(random_state=0, eta=dual.eta_).fit(X, y)
    np.testing.assert_allclose(plain.score_samples(X), dual.score_samples(X), atol=1e-6)
    assert RakingDual(random_state=0, eta=dual.eta_ * 0.99).fit(X, y).ess_ < wanted


def test_an_effective_size_that_cannot_be_kept(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="more effective rows than the majority has before raking, 276"):
        RakingDual(min_ess=277).fit(X, y)
    with pytest.raises(ValueError, match="min_ess must be a positive number"):
        RakingDual(min_ess=-1).fit(X, y)


def test_all_columns_constant_is_a_zero_dual_with_a_warning():
    X, y = np.ones((40, 3)), np.arange(40) < 5
    with pytest.warns(UserWarning, match="The dual is zero.*same mean in every moment"):
        dual = RakingDual(random_state=0).fit(X, y)
    assert dual.diagnostics_.is_zero
    assert (dual.score_samples(X) == 0).all()
    assert dual.ess_ == pytest.approx(35)


def test_a_zero_dual_names_what_to_change(two_classes):
    X, y = two_classes
    with pytest.warns(UserWarning, match=r"eta=1.*Lower eta"):
        RakingDual(RakingFeatureMap(0), eta=1.0).fit(X, y)
    with pytest.warns(UserWarning, match="min_ess asks for nearly all"):
        RakingDual(RakingFeatureMap(0), min_ess=(~y).sum()).fit(X, y)
    far = X + 1e4 * y[:, None]
    with pytest.warns(UserWarning, match="within 5 % of the base discrepancy"):
        RakingDual(RakingFeatureMap(0)).fit(far, y)


def test_a_single_minority_row_is_enough(two_classes):
    X, _ = two_classes
    one = np.arange(300) == 5
    dual = RakingDual(random_state=0).fit(X, one)
    assert np.isfinite(dual.score_samples(X)).all()


def test_what_is_refused(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="one class only, True"):
        RakingDual().fit(X, np.ones(300, dtype=bool))
    with pytest.raises(ValueError, match="pos_label=5 is not a label of y, which has False, True"):
        RakingDual(pos_label=5).fit(X, y)
    with pytest.raises(ValueError, match="eta must be in"):
        RakingDual(eta=1.5).fit(X, y)
    with pytest.raises(ValueError, match="method must be 'auto' or 'paper'"):
        RakingDual(method="fast").fit(X, y)
    with pytest.raises(ValueError, match="sample_weight is zero on every positive row"):
        RakingDual().fit(X, y, sample_weight=(~y).astype(float))
    X = X.copy()
    X[17, 2] = np.nan
    with pytest.raises(ValueError, match="NaN at row 17, column 2"):
        RakingDual().set_params(feature_map__missing="error").fit(X, y)


def test_missing_extra_and_reordered_columns_are_named(two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X, columns=list("abcd"))
    dual = RakingDual(random_state=0).fit(frame, y)
    with pytest.raises(ValueError, match="yet now missing:\n- c"):
        dual.score_samples(frame[["a", "b", "d"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- e"):
        dual.score_samples(frame.assign(e=0.0))
    with pytest.raises(ValueError, match="Column 1 is 'c', but was 'b'"):
        dual.score_samples(frame[["a", "c", "b", "d"]])


def test_pickle_and_clone(two_classes):
    X, y = two_classes
    dual = RakingDual(random_state=0, eta=0.2).fit(X, y)
    copy = pickle.loads(pickle.dumps(dual))
    np.testing.assert_array_equal(copy.score_samples(X), dual.score_samples(X))
    assert clone(dual).get_params()["eta"] == 0.2
    assert b"_core_x86" not in pickle.dumps(dual)


def test_frames_out_of_transform_do_not_matter(two_classes):
    import sklearn

    X, y = two_classes
    plain = RakingDual(random_state=0).fit(X, y).score_samples(X)
    with sklearn.config_context(transform_output="pandas"):
        framed = RakingDual(random_state=0).fit(X, y).score_samples(X)
    np.testing.assert_array_equal(plain, framed)


def test_a_start_changes_the_way_but_not_the_answer(two_classes):
    X, y = two_classes
    features = RakingFeatureMap(random_state=0).fit_transform(X)
    target = features[y].mean(axis=0)
    floor = drr.find_floor(features[~y], target)
    near = drr.solve_dual(features[~y], target, 0.21, floor=floor)
    cold = drr.solve_dual(features[~y], target, 0.2, floor=floor)
    warm = drr.solve_dual(features[~y], target, 0.2, floor=floor, start=near)
    assert warm.n_iter <= cold.n_iter
    np.testing.assert_allclose(warm.theta, cold.theta, rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="start has 132 columns, but features has 3"):
        drr.solve_dual(features[~y][:, :3], target[:3], 0.2, start=near)


def test_a_dual_of_zero_can_score_by_the_limit_of_its_direction(rng):
    y = np.arange(300) < 30
    X = rng.normal(size=(300, 3)) + np.outer(y, [2.0, 1.0, 0.0])
    feature_map = RakingFeatureMap(0)
    with pytest.warns(UserWarning, match="every score is zero"):
        zero = RakingDual(feature_map, eta=1.0).fit(X, y)
    assert not zero.score_samples(X).any()
    with pytest.warns(UserWarning, match="rows are scored by the difference of the means"):
        limit = RakingDual(feature_map, eta=1.0, limit_direction=True).fit(X, y)
    assert limit.diagnostics_.is_zero
    assert limit.diagnostics_.is_limit
    assert "its limit, the difference of the means" in str(limit.diagnostics_)
    assert not limit.theta_.any()
    # The direction of a dual whose tolerance is just below the distance of the means.
    near = RakingDual(feature_map, eta=0.9999, limit_direction=True).fit(X, y)
    assert not near.diagnostics_.is_limit
    np.testing.assert_array_equal(near.direction_, near.theta_)
    np.testing.assert_allclose(near.theta_ / np.linalg.norm(near.theta_), limit.direction_, atol=1e-3)
    np.testing.assert_allclose(limit.score_samples(X), limit.embed(X) @ limit.direction_, atol=1e-12)
    assert average_precision_score(y, limit.score_samples(X)) > 0.5


def test_equal_means_have_no_limit_direction():
    with pytest.warns(UserWarning, match="same mean in every moment"):
        dual = RakingDual(limit_direction=True).fit(np.ones((20, 2)), np.arange(20) < 5)
    assert not dual.diagnostics_.is_limit
    assert not dual.score_samples(np.ones((3, 2))).any()


def test_wide_tables_have_no_random_features_by_default(rng):
    y = np.arange(60) < 10
    wide, narrow = rng.normal(size=(60, 121)) + y[:, None], rng.normal(size=(60, 120)) + y[:, None]
    assert len(RakingDual(random_state=0).fit(wide, y).theta_) == 121
    assert len(RakingDual(random_state=0).fit(narrow, y).theta_) == 120 + 128
    assert len(RakingDual(RakingFeatureMap(), random_state=0).fit(wide, y).theta_) == 121 + 128
