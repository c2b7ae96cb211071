"""Estimators on rows that are read in passes: the same fits as in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import drr
from drr import DRRClassifier, RakingDual, RakingFeatureMap, RakingResampler, WeightConcentrationDisplay
from drr.report import render_report

rng = np.random.default_rng(11)
N = 6000
Y = rng.random(N) < 0.03
X = rng.standard_normal((N, 5)) + 0.8 * Y[:, None]
BLOCKS = np.array_split(X, 7)
FRAME = pd.DataFrame(X, columns=list("abcde")).assign(
    kind=pd.Categorical(rng.choice(["low", "mid", "high"], N, p=[0.6, 0.39, 0.01])),
    place=rng.choice(["here", "there"], N),
)
FRAMES = [FRAME.iloc[begin : begin + 1500] for begin in range(0, N, 1500)]
FITTED = ("mean_", "scale_", "norm_", "gamma_", "random_weights_", "random_offset_")


def assert_same_map(one, other):
    for name in FITTED:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-14, err_msg=name
        )
    assert one.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()


def assert_same_dual(one, other):
    scale = np.linalg.norm(other.theta_)
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * scale)
    assert one.tolerance_ == pytest.approx(other.tolerance_, rel=1e-9)
    assert one.ess_ == pytest.approx(other.ess_, rel=1e-8)
    np.testing.assert_allclose(one.moments_.raked, other.moments_.raked, atol=1e-9)
    np.testing.assert_allclose(one.moments_.base, other.moments_.base, atol=1e-12)
    assert one.diagnostics_.ess_share == pytest.approx(other.diagnostics_.ess_share, rel=1e-8)


@pytest.mark.parametrize("options", [{}, {"min_frequency": 0.02}, {"max_categories": 2}], ids=str)
def test_map_of_frames(options):
    source = drr.open_rows(FRAMES)
    one = RakingFeatureMap(16, random_state=0, **options).fit(source)
    other = RakingFeatureMap(16, random_state=0, **options).fit(FRAME)
    assert_same_map(one, other)
    assert one.feature_names_in_.tolist() == FRAME.columns.tolist()
    features = np.concatenate(list(one.transform(source).blocks()))
    np.testing.assert_allclose(features, other.transform(FRAME), atol=1e-13)


def test_map_with_missing_values():
    holes = X.copy()
    holes[rng.random(X.shape) < 0.1] = np.nan
    holes[:, 4] = 3.5  # and a constant column
    one = RakingFeatureMap(8, random_state=0, missing="impute").fit(drr.open_rows(np.array_split(holes, 5)))
    other = RakingFeatureMap(8, random_state=0, missing="impute").fit(holes)
    assert_same_map(one, other)


def test_missing_values_are_named_by_block():
    holes = X.copy()
    holes[3210, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN at row 210, column 1.*in block 3 .*begins at row 3000 of all"):
        RakingDual().set_params(feature_map__missing="error").fit(drr.open_rows(holes, block_rows=1000), Y)


@pytest.mark.parametrize("storage", [None, "directory"])
def test_dual_of_blocks(tmp_path, storage):
    storage = tmp_path if storage else None
    feature_map = RakingFeatureMap(32, random_state=0)
    one = RakingDual(feature_map, feature_storage=storage).fit(drr.open_rows(BLOCKS), Y)
    other = RakingDual(feature_map).fit(X, Y)
    assert_same_dual(one, other)
    assert one.weights_ is None
    assert one.pos_label_ == other.pos_label_
    np.testing.assert_allclose(one.score_samples(drr.open_rows(BLOCKS)), other.score_samples(X), atol=1e-7)
    np.testing.assert_allclose(one.score_samples(X), other.score_samples(X), atol=1e-7)
    assert not list(tmp_path.iterdir())  # stored features are removed


def test_storage_changes_no_number(tmp_path):
    theta = [
        RakingDual(random_state=0, feature_storage=storage).fit(drr.open_rows(BLOCKS), Y).theta_
        for storage in (None, tmp_path, "auto")
    ]
    np.testing.assert_allclose(theta[1], theta[0], rtol=0, atol=1e-9 * np.linalg.norm(theta[0]))
    np.testing.assert_allclose(theta[2], theta[0], rtol=0, atol=1e-9 * np.linalg.norm(theta[0]))


def test_dual_of_frames_with_weights():
    weights = rng.exponential(size=N)
    weights[rng.random(N) < 0.1] = 0
    feature_map = RakingFeatureMap(8, random_state=0)
    one = RakingDual(feature_map).fit(drr.open_rows(FRAMES), Y, sample_weight=weights)
    other = RakingDual(feature_map).fit(FRAME, Y, sample_weight=weights)
    assert_same_dual(one, other)


def test_dual_of_parquet_with_the_label_in_a_column(tmp_path):
    pytest.importorskip("pyarrow")
    FRAME.assign(fraud=Y).to_parquet(tmp_path / "rows.parquet")
    feature_map = RakingFeatureMap(8, random_state=0)
    one = RakingDual(feature_map).fit(tmp_path / "rows.parquet", "fraud")
    other = RakingDual(feature_map).fit(FRAME, Y)
    assert_same_dual(one, other)
    assert one.classes_.dtype == bool


def test_integer_labels_in_a_column_stay_integers(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame(X, columns=list("abcde")).assign(fraud=Y.astype(int)).to_parquet(tmp_path / "rows.parquet")
    dual = RakingDual(random_state=0).fit(tmp_path / "rows.parquet", "fraud")
    assert dual.classes_.dtype.kind == "i"
    assert dual.n_features_in_ == 5


def test_blocks_with_one_class_only():
    order = np.argsort(Y)  # all rare rows come last
    feature_map = RakingFeatureMap(8, random_state=0)
    blocks = [X[order][:4000], X[order][4000:5950], X[order][5950:]]
    one = RakingDual(feature_map).fit(drr.open_rows(blocks), Y[order])
    assert_same_dual(one, RakingDual(feature_map).fit(X[order], Y[order]))


def test_categories_that_differ_between_blocks_are_refused():
    other = FRAMES[1].assign(kind=FRAMES[1]["kind"].cat.remove_unused_categories().cat.add_categories("new"))
    with pytest.raises(
        ValueError, match=r"the categories of column 'kind' differ between blocks 0 and 1.*'new'"
    ):
        RakingDual().fit(drr.open_rows([FRAMES[0], other]), Y[:3000])


def test_frames_with_other_columns_are_refused():
    with pytest.raises(ValueError, match="blocks 0 and 1 have the columns"):
        RakingFeatureMap().fit(drr.open_rows([FRAMES[0], FRAMES[1].rename(columns={"a": "z"})]))


@pytest.mark.parametrize(
    ("y", "message"),
    [(None, "y is None"), (Y[:100], "y has 100 entries"), (np.zeros(N), "one class only")],
    ids=["none", "short", "one class"],
)
def test_wrong_labels(y, message):
    with pytest.raises(ValueError, match=message):
        RakingDual().fit(drr.open_rows(BLOCKS), y)


def test_what_needs_memory_is_refused():
    with pytest.raises(ValueError, match="min_ess solves many duals"):
        RakingDual(min_ess=0.1).fit(drr.open_rows(BLOCKS), Y)
    with pytest.raises(TypeError, match="need a RakingFeatureMap, got StandardScaler"):
        RakingDual(StandardScaler()).fit(drr.open_rows(BLOCKS), Y)


def test_what_needs_the_weights_says_so():
    source = drr.open_rows(BLOCKS)
    dual = RakingDual(random_state=0).fit(source, Y)
    with pytest.raises(ValueError, match=r"from_estimator needs the raked weight.*log_density_ratio\(rows\)"):
        WeightConcentrationDisplay.from_estimator(dual)
    with pytest.raises(ValueError, match="RakingResampler needs the raked weight"):
        RakingResampler(dual).fit_resample(X, Y)
    with pytest.raises(TypeError, match="RakingResampler copies rows and needs them in memory"):
        RakingResampler().fit(source, Y)
    # What the message advises: these are the weights.
    weights = np.exp(dual.log_density_ratio(X[~Y])) / (~Y).sum()
    assert weights.sum() == pytest.approx(1, rel=1e-6)
    assert 1 / (weights**2).sum() == pytest.approx(dual.ess_, rel=1e-5)
    assert len(dual.moment_table()) == len(dual.theta_)


def test_report_of_a_classifier_fitted_on_a_source():
    base = LogisticRegression().fit(X, Y)
    model = DRRClassifier(base, random_state=0).fit(drr.open_rows(BLOCKS), Y)
    page = render_report(model, X, Y)
    assert "the weight of each was not kept" in page


def test_classifier_with_a_fitted_base():
    base = LogisticRegression().fit(X[::2], Y[::2])
    dual = RakingDual(RakingFeatureMap(16, random_state=0))
    held_out = np.arange(0, N, 3)
    split = (np.setdiff1d(np.arange(N), held_out), held_out)
    one = DRRClassifier(base, dual=dual, holdout=split).fit(drr.open_rows(BLOCKS), Y)
    other = DRRClassifier(base, dual=dual, holdout=split).fit(X, Y)
    assert_same_dual(one.dual_, other.dual_)
    assert one.threshold_ == pytest.approx(other.threshold_, abs=1e-7)
    expected = other.predict_proba(X)
    np.testing.assert_allclose(one.predict_proba(X), expected, atol=1e-7)
    np.testing.assert_allclose(one.predict_proba(drr.open_rows(BLOCKS)), expected, atol=1e-7)


def test_classifier_of_three_classes():
    """The duals share the map of the first, and every row is embedded once for all of them."""
    y = np.where(Y, "rare", np.where(X[:, 0] + X[:, 1] > 0, "left", "right"))
    base = LogisticRegression().fit(X[::2], y[::2])
    dual = RakingDual(RakingFeatureMap(8, random_state=0))
    split = (np.flatnonzero(np.arange(N) % 3), np.arange(0, N, 3))
    one = DRRClassifier(base, dual=dual, holdout=split).fit(drr.open_rows(BLOCKS), y)
    other = DRRClassifier(base, dual=dual, holdout=split).fit(X, y)
    expected = other.predict_proba(X)
    np.testing.assert_allclose(one.predict_proba(drr.open_rows(BLOCKS)), expected, atol=1e-7)
    np.testing.assert_allclose(one.predict_proba(X), expected, atol=1e-7)


def test_classifier_draws_its_own_split():
    base = LogisticRegression().fit(X, Y)
    one = DRRClassifier(base, random_state=0).fit(drr.open_rows(BLOCKS), Y)
    assert one.gain_.base_average_precision > 0.05


def test_missing_values_in_rows_to_score_are_named_by_file_and_block(tmp_path):
    holes = X.copy()
    holes[3210, 1] = np.nan
    np.save(tmp_path / "rows.npy", holes)
    source = drr.open_rows(tmp_path / "rows.npy", block_rows=1000)
    place = r"NaN at row 210, column 1.*in block 3 of .*rows\.npy .*begins at row 3000 of all; rows are counted from"
    dual = RakingDual(RakingFeatureMap(4, missing="error", random_state=0)).fit(X, Y)
    model = DRRClassifier(LogisticRegression().fit(X, Y), dual=dual, random_state=0).fit(X, Y)
    for read in (
        dual.score_samples,
        model.dual_.score_samples,
        lambda rows: list(dual.feature_map_.transform(rows).blocks()),
    ):
        with pytest.raises(ValueError, match=place):
            read(source)
    with pytest.raises(ValueError, match=r"in block 3 of .*rows\.npy"):
        model.predict_proba(source)


def test_base_that_cannot_read_blocks_is_refused_with_the_reason():
    with pytest.raises(
        TypeError, match=r"LogisticRegression is not fitted yet, and cannot be .*Fit it first"
    ):
        DRRClassifier(LogisticRegression(), random_state=0).fit(drr.open_rows(BLOCKS), Y)


def test_classifier_takes_no_name_of_a_column():
    with pytest.raises(TypeError, match="y='fraud' is a text, but DRRClassifier takes the labels themselves"):
        DRRClassifier(LogisticRegression().fit(X, Y)).fit(drr.open_rows(BLOCKS), "fraud")


def test_storage_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"feature_storage: there is no directory .*absent"):
        RakingDual(random_state=0, feature_storage=tmp_path / "absent").fit(drr.open_rows(BLOCKS), Y)
