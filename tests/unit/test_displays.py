"""The display classes: what they show is compared with scikit-learn's metric and with the fitted dual."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from drr import (
    DRRClassifier,
    FusionCurveDisplay,
    MomentBalanceDisplay,
    RakingDual,
    RakingFeatureMap,
    RakingResampler,
    WeightConcentrationDisplay,
)


@pytest.fixture
def axes():
    matplotlib = pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    yield ax
    plt.close("all")


@pytest.fixture
def rows(rng):
    y = np.where(np.arange(600) % 10 == 0, "rare", "usual")
    return rng.normal(size=(600, 3)) + (y == "rare")[:, None], y


@pytest.fixture
def classifier(rows):
    dual = RakingDual(RakingFeatureMap(8, random_state=0))
    return DRRClassifier(LogisticRegression(), dual=dual, fusion_weight=0.8, random_state=0).fit(*rows)


@pytest.fixture
def three_classes(rng):
    y = np.repeat(["a", "b", "c"], (300, 60, 40))
    X = rng.normal(size=(400, 3)) + np.searchsorted(["a", "b", "c"], y)[:, None]
    return DRRClassifier(LogisticRegression(), fusion_weight=0.5, random_state=0).fit(X, y), X, y


def test_the_fusion_curve_is_scikit_learns_average_precision(axes, rows, classifier):
    X, y = rows
    display = FusionCurveDisplay.from_estimator(classifier, X, y, n_resamples=49, ax=axes)
    rescoring = classifier.rescorings_[0]
    base = rescoring.base_standardisation.transform(classifier.base_score(X))
    dual = rescoring.dual_standardisation.transform(classifier.dual_score(X))
    drawn_weights, drawn = display.line_.get_data()
    expected = [average_precision_score(y == "rare", base + weight * dual) for weight in drawn_weights]
    np.testing.assert_allclose(drawn, expected, rtol=1e-12)
    assert drawn_weights[0] == 0
    assert 0.8 in drawn_weights
    assert drawn_weights[-1] >= 2
    assert display.dual_average_precision == pytest.approx(average_precision_score(y == "rare", dual))
    assert all(gain.low <= gain.high for gain in display.gains)
    assert (display.gains[0].low, display.gains[0].high) == (0, 0)
    assert display.ax_ is axes
    assert display.figure_ is axes.figure
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "w = 0.8 in use" in labels


def test_the_fusion_curve_uses_the_held_out_rows_by_default(axes, classifier):
    display = FusionCurveDisplay.from_estimator(
        classifier, n_resamples=9, weights=[1.0], ax=axes, name="mine"
    )
    held_out = classifier.rescorings_[0].held_out
    expected = [
        average_precision_score(held_out.positive, held_out.base + weight * held_out.dual)
        for weight in (0, 0.8, 1)
    ]
    np.testing.assert_allclose(display.average_precision, expected, rtol=1e-12)
    assert display.line_.get_label() == "mine"


def test_the_fusion_curve_of_scores_standardises_them(axes, rng):
    y = np.arange(300) < 30
    base, dual = rng.normal(size=(2, 300)) + y
    display = FusionCurveDisplay.from_scores(
        10 + 7 * base, -3 + 0.2 * dual, y, n_resamples=9, weights=[0.5, 2]
    )
    z = [(score - score.mean()) / score.std() for score in (base, dual)]
    expected = [average_precision_score(y, z[0] + weight * z[1]) for weight in (0, 0.5, 2)]
    np.testing.assert_allclose(display.average_precision, expected, rtol=1e-12)


def test_the_fusion_curve_sees_through_a_pipeline(axes, rows):
    X, y = rows
    pipeline = make_pipeline(
        StandardScaler(), DRRClassifier(LogisticRegression(), fusion_weight=0.5, random_state=0)
    ).fit(X, y)
    display = FusionCurveDisplay.from_estimator(pipeline, X, y, n_resamples=9, ax=axes)
    scaled = pipeline[:-1].transform(X)
    expected = average_precision_score(y == "rare", pipeline[-1].fused_score(scaled))
    assert display.average_precision[display.weights == 0.5] == pytest.approx(expected)


def test_the_fusion_curve_sees_through_pipelines_of_any_length(axes, rows, classifier):
    X, y = rows
    expected = FusionCurveDisplay.from_estimator(classifier, X, y, n_resamples=9, ax=axes).average_precision
    for pipeline in (
        make_pipeline(classifier),
        make_pipeline("passthrough", classifier),
        make_pipeline(make_pipeline(None, classifier)),
    ):
        display = FusionCurveDisplay.from_estimator(pipeline, X, y, n_resamples=9, ax=axes)
        np.testing.assert_array_equal(display.average_precision, expected)
        assert MomentBalanceDisplay.from_estimator(pipeline).n_hidden == 8


def test_samplers_within_a_pipeline_act_only_in_fit(axes, rows):
    pipelines = pytest.importorskip("imblearn.pipeline")
    X, y = rows
    steps = (
        StandardScaler(),
        RakingResampler(mode="add", random_state=0),
        DRRClassifier(LogisticRegression(), fusion_weight=0.5, random_state=0),
    )
    pipeline = pipelines.make_pipeline(*steps).fit(X, y)
    display = FusionCurveDisplay.from_estimator(pipeline, X, y, n_resamples=9, ax=axes)
    expected = average_precision_score(y == "rare", pipeline[-1].fused_score(pipeline[0].transform(X)))
    assert display.average_precision[display.weights == 0.5] == pytest.approx(expected)


def test_of_a_search_the_best_estimator_is_shown(axes, rows):
    X, y = rows
    model = make_pipeline(StandardScaler(), DRRClassifier(LogisticRegression(), random_state=0))
    search = GridSearchCV(model, {"drrclassifier__fusion_weight": [0.25, 1.5]}, cv=2).fit(X, y)
    display = FusionCurveDisplay.from_estimator(search, X, y, n_resamples=9, ax=axes)
    direct = FusionCurveDisplay.from_estimator(search.best_estimator_, X, y, n_resamples=9, ax=axes)
    np.testing.assert_array_equal(display.average_precision, direct.average_precision)
    ess = search.best_estimator_[-1].dual_.ess_
    assert WeightConcentrationDisplay.from_estimator(search).ess == pytest.approx(ess)
    assert MomentBalanceDisplay.from_estimator(search).discrepancy_after > 0


def test_the_fusion_curve_of_a_rescored_column_takes_its_base_scores(axes, rows, three_classes):
    X, y = rows
    rescored = DRRClassifier.from_scores(X[:, 0], X[:, 1:], y, fusion_weight=0.5, random_state=0)
    display = FusionCurveDisplay.from_estimator(
        rescored, X[::2, 1:], y[::2], base_score=X[::2, 0], n_resamples=9, ax=axes
    )
    fused = rescored.fused_score(X[::2, 1:], base_score=X[::2, 0])
    assert display.average_precision[display.weights == 0.5] == pytest.approx(
        average_precision_score(y[::2] == "rare", fused)
    )
    with pytest.raises(ValueError, match="pass the scores of the new rows as base_score"):
        FusionCurveDisplay.from_estimator(rescored, X[:, 1:], y, ax=axes)
    with pytest.raises(ValueError, match=r"base_score must have shape \(600,\), got \(3,\)"):
        FusionCurveDisplay.from_estimator(rescored, X[:, 1:], y, base_score=[1, 2, 3], ax=axes)
    with pytest.raises(ValueError, match="base_score belongs to the rows of X"):
        FusionCurveDisplay.from_estimator(rescored, base_score=X[:, 0], ax=axes)
    classifier, X, y = three_classes
    by_class = FusionCurveDisplay.from_estimator(
        classifier, X, y, base_score=classifier.base_score(X), pos_label="b", n_resamples=9, ax=axes
    )
    direct = FusionCurveDisplay.from_estimator(classifier, X, y, pos_label="b", n_resamples=9, ax=axes)
    np.testing.assert_array_equal(by_class.average_precision, direct.average_precision)


@pytest.mark.parametrize(
    ("make", "got"),
    [
        (lambda X, y: RakingDual(random_state=0).fit(X, y), "got a RakingDual;"),
        (
            lambda X, y: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y),
            "got a Pipeline that ends in a LogisticRegression;",
        ),
        (
            lambda X, y: GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=2, refit=False).fit(X, y),
            "got a GridSearchCV;",
        ),
    ],
    ids=["dual", "pipeline", "search without refit"],
)
def test_what_has_no_fused_score_has_no_fusion_curve(axes, rows, make, got):
    X, y = rows
    with pytest.raises(TypeError, match=f"fitted DRRClassifier, a Pipeline .* or a search .*{got}"):
        FusionCurveDisplay.from_estimator(make(X, y), X, y, ax=axes)


def test_with_three_classes_one_is_named(axes, three_classes):
    classifier, X, y = three_classes
    display = FusionCurveDisplay.from_estimator(classifier, X, y, pos_label="c", n_resamples=9, ax=axes)
    expected = average_precision_score(y == "c", classifier.fused_score(X)[:, 2])
    assert display.average_precision[display.weights == 0.5] == pytest.approx(expected)
    shown = WeightConcentrationDisplay.from_estimator(classifier, pos_label="b", ax=axes)
    assert shown.ess == pytest.approx(classifier.dual_[1].ess_)
    with pytest.raises(ValueError, match=r"pass pos_label.*'a', 'b', 'c'"):
        FusionCurveDisplay.from_estimator(classifier, ax=axes)
    with pytest.raises(ValueError, match=r"pos_label='d' is not among"):
        MomentBalanceDisplay.from_estimator(classifier, pos_label="d", ax=axes)


def test_bad_input_to_the_fusion_curve(axes, rows, classifier):
    with pytest.raises(ValueError, match="y was not given"):
        FusionCurveDisplay.from_estimator(classifier, rows[0], ax=axes)
    with pytest.raises(ValueError, match="pos_label='usual' is not among the classes scored"):
        FusionCurveDisplay.from_estimator(classifier, pos_label="usual", ax=axes)
    with pytest.raises(NotFittedError):
        FusionCurveDisplay.from_estimator(DRRClassifier(), ax=axes)
    with pytest.raises(ValueError, match="weight must be a finite number of at least 0, got -1"):
        FusionCurveDisplay.from_scores([0, 1, 2], [1, 2, 3], [0, 0, 1], weights=[-1.0])


def test_moment_balance_shows_the_gaps_of_the_dual(axes, classifier):
    dual = classifier.dual_
    display = MomentBalanceDisplay.from_estimator(classifier, ax=axes)
    assert display.discrepancy_before == pytest.approx(dual.diagnostics_.base_discrepancy)
    assert display.discrepancy_after == pytest.approx(dual.diagnostics_.discrepancy)
    assert display.n_hidden == 8
    table = dual.moment_table().loc[list(display.moments.names)]
    np.testing.assert_allclose(display.before_.get_offsets()[:, 0], table["gap_before"])
    np.testing.assert_allclose(display.after_.get_offsets()[:, 0], table["gap_after"])
    assert {tick.get_text() for tick in axes.get_yticklabels()} == {"x0", "x1", "x2"}


def test_moment_balance_keeps_the_largest_gaps(axes, classifier):
    display = MomentBalanceDisplay.from_estimator(
        classifier.dual_, random_features=True, max_moments=4, ax=axes
    )
    table = classifier.dual_.moment_table()
    size = table[["gap_before", "gap_after"]].abs().max(axis=1)
    assert list(display.moments.names) == list(size.sort_values(ascending=False).index[:4])
    assert display.n_hidden == 7


def test_weight_concentration_counts_effective_rows(axes, rows, classifier):
    display = WeightConcentrationDisplay.from_estimator(classifier, ax=axes)
    dual = classifier.dual_
    assert display.ess == pytest.approx(dual.ess_)
    n_rows, share = display.line_.get_data()
    assert (n_rows[0], n_rows[-1]) == (1, len(dual.weights_))
    assert share[0] == pytest.approx(dual.weights_.max())
    assert share[-1] == pytest.approx(1)
    half = display.rows_holding(0.5)
    heaviest = np.sort(dual.weights_)[::-1]
    assert heaviest[:half].sum() >= 0.5 > heaviest[: half - 1].sum()
    resampler = RakingResampler(random_state=0)
    resampler.fit_resample(*rows)
    assert WeightConcentrationDisplay.from_estimator(resampler).ess == pytest.approx(resampler.dual_.ess_)


def test_estimators_without_a_dual_are_refused(axes, rows):
    X, y = rows
    with pytest.raises(TypeError, match="LogisticRegression holds no raking dual"):
        WeightConcentrationDisplay.from_estimator(LogisticRegression().fit(X, y))
    with pytest.raises(ValueError, match="must not be negative"):
        WeightConcentrationDisplay.from_weights([1.0, -1.0])
    dual = RakingDual(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="the dual scores the class 'rare'"):
        MomentBalanceDisplay.from_estimator(dual, pos_label="usual")


def test_matplotlib_is_imported_only_to_draw(monkeypatch):
    code = "import sys, drr; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"density-ratio-rescoring\[plot\]"):
        WeightConcentrationDisplay.from_weights([1.0, 2.0])
