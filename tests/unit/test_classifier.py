"""DRRClassifier: Algorithm 1 against its stages done by hand, and what its parts and settings change."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, recall_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils import get_tags

import drr
from drr import DRRClassifier, RakingDual, RakingFeatureMap, RecallAtLeast
from drr.calibration import fit_calibration
from drr.decision import choose_cut
from drr.fusion import separation, standardise


def test_algorithm_one_by_hand(two_classes):
    X, y = two_classes
    seed = 20240725
    forest = RandomForestClassifier(20, random_state=1)
    classifier = DRRClassifier(forest, holdout=0.3, fusion_weight=0.5, random_state=seed).fit(X, y)

    fit, held_out = train_test_split(np.arange(400), test_size=0.3, stratify=y, random_state=seed)
    base = clone(forest).fit(X[fit], y[fit])
    dual = RakingDual(random_state=seed).fit(X[fit], y[fit])
    z_base = standardise(base.predict_proba(X[held_out])[:, 1])
    z_dual = standardise(dual.score_samples(X[held_out]))

    def fused(rows):
        return z_base.transform(base.predict_proba(rows)[:, 1]) + 0.5 * z_dual.transform(
            dual.score_samples(rows)
        )

    s = fused(X[held_out])
    np.testing.assert_allclose(classifier.fused_score(X), fused(X), atol=1e-9)
    assert classifier.threshold_ == pytest.approx(choose_cut(s, y[held_out]), abs=1e-9)
    expected = fit_calibration(s, y[held_out]).predict(fused(X))
    np.testing.assert_allclose(classifier.predict_proba(X)[:, 1], expected, atol=1e-7)
    np.testing.assert_array_equal(classifier.base_score(X), base.predict_proba(X)[:, 1])
    np.testing.assert_array_equal(classifier.dual_score(X), dual.log_density_ratio(X))


@pytest.mark.parametrize("rare", ["first", "second"])
def test_the_decision_is_positive_exactly_for_the_second_class(two_classes, base, rare):
    X, y = two_classes
    labels = np.where(y == 1, "a", "b") if rare == "first" else np.where(y == 1, "z", "b")
    classifier = DRRClassifier(base, random_state=0).fit(X, labels)
    assert classifier.pos_label_ == ("a" if rare == "first" else "z")
    said = classifier.predict(X)
    np.testing.assert_array_equal(said == classifier.classes_[1], classifier.decision_function(X) > 0)
    np.testing.assert_array_equal(
        said == classifier.pos_label_, classifier.fused_score(X) > classifier.threshold_
    )
    column = list(classifier.classes_).index(classifier.pos_label_)
    order = np.argsort(classifier.fused_score(X))
    probabilities = classifier.predict_proba(X)
    assert (np.diff(probabilities[order, column]) >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-15)


def test_a_base_without_probabilities(two_classes):
    X, y = two_classes
    options = {"holdout": (np.arange(300), np.arange(300, 400)), "random_state": 0}
    by_margin = DRRClassifier(SVC(tol=1e-8), **options).fit(X, y)
    np.testing.assert_array_equal(by_margin.base_score(X), by_margin.estimator_.decision_function(X))
    flipped = DRRClassifier(SVC(tol=1e-8), **options).fit(X, np.where(y == 1, "a", "b"))
    np.testing.assert_array_equal(flipped.base_score(X), -flipped.estimator_.decision_function(X))
    np.testing.assert_allclose(flipped.fused_score(X), by_margin.fused_score(X), atol=1e-5)


@pytest.mark.parametrize("wrap", [FrozenEstimator, lambda model: model], ids=["frozen", "fitted"])
def test_a_fitted_base_is_used_as_it_is(two_classes, wrap):
    X, y = two_classes
    model = GaussianNB().fit(X[:100], y[:100])
    classifier = DRRClassifier(wrap(model), random_state=0).fit(X[100:], y[100:])
    np.testing.assert_array_equal(classifier.base_score(X), model.predict_proba(X)[:, 1])
    # Only the dual needed rows, and one that is fitted leaves all of them for the later stages.
    shared = RakingDual(random_state=0).fit(X[:100], y[:100])
    both = DRRClassifier(wrap(model), dual=wrap(shared)).fit(X[100:], y[100:])
    assert len(both.rescorings_[0].held_out.base) == 300
    np.testing.assert_array_equal(both.dual_score(X), shared.log_density_ratio(X))


def test_scores_without_their_model(two_classes, base):
    X, y = two_classes
    model = base.fit(X[:100], y[:100])
    with_model = DRRClassifier(FrozenEstimator(model), random_state=0).fit(X[100:], y[100:])
    score = model.predict_proba(X)[:, 1]
    from_scores = DRRClassifier.from_scores(score[100:], X[100:], y[100:], random_state=0)
    np.testing.assert_allclose(
        from_scores.fused_score(X, base_score=score), with_model.fused_score(X), atol=1e-12
    )
    np.testing.assert_array_equal(from_scores.predict(X, base_score=score), with_model.predict(X))
    np.testing.assert_allclose(
        from_scores.predict_proba(X, base_score=score), with_model.predict_proba(X), atol=1e-12
    )
    with pytest.raises(ValueError, match="fitted from scores and has no base; pass the scores"):
        from_scores.predict(X)
    with pytest.raises(ValueError, match=r"base_score must have shape \(400,\), got \(399,\)"):
        from_scores.predict(X, base_score=score[1:])
    with pytest.raises(ValueError, match="base_score must be finite, got nan at position 3"):
        from_scores.predict(X, base_score=np.where(np.arange(400) == 3, np.nan, score))


@pytest.mark.parametrize("weight", ["auto", "closed_form", "average_precision"])
def test_the_weight_can_be_chosen(two_classes, base, weight):
    X, y = two_classes
    classifier = DRRClassifier(base, fusion_weight=weight, holdout=4, random_state=0).fit(X, y)
    held_out = classifier.rescorings_[0].held_out
    expected = drr.choose_fusion_weight(held_out.base, held_out.dual, held_out.positive, weight)
    assert classifier.fusion_weight_ == expected
    if weight == "closed_form":
        figures = separation(held_out.base, held_out.dual, held_out.positive, n_resamples=0)
        assert expected == figures.closed_form_weight
    if weight == "average_precision":
        chosen = average_precision_score(held_out.positive, held_out.base + expected * held_out.dual)
        for other in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0):
            fused = held_out.base + other * held_out.dual
            assert chosen >= average_precision_score(held_out.positive, fused) - 1e-12


def test_without_the_dual_the_ranking_is_the_base(two_classes, base):
    X, y = two_classes
    classifier = DRRClassifier(base, fusion_weight=0.0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.argsort(classifier.fused_score(X)), np.argsort(classifier.base_score(X)))


def test_threshold_rules(two_classes, base):
    X, y = two_classes
    classifier = DRRClassifier(base, threshold=RecallAtLeast(0.9), random_state=0).fit(X, y)
    rescoring = classifier.rescorings_[0]
    said = rescoring.held_out_fused > classifier.threshold_
    assert recall_score(rescoring.held_out.positive, said) >= 0.9
    assert DRRClassifier(base, threshold=1.25, random_state=0).fit(X, y).threshold_ == 1.25
    by_name = DRRClassifier(base, threshold="f1", random_state=0).fit(X, y)
    assert by_name.threshold_ == choose_cut(rescoring.held_out_fused, rescoring.held_out.positive, "f1")


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_without_a_threshold_the_larger_probability_decides(two_classes, base, calibration):
    X, y = two_classes
    classifier = DRRClassifier(base, threshold=None, calibration=calibration, random_state=0).fit(X, y)
    np.testing.assert_array_equal(classifier.predict(X), classifier.predict_proba(X).argmax(axis=1))
    with pytest.raises(ValueError, match="threshold=None cuts at a probability of one half"):
        DRRClassifier(base, threshold=None, calibration=None).fit(X, y)


def test_calibrations(two_classes, base):
    X, y = two_classes
    isotonic = DRRClassifier(base, calibration="isotonic", random_state=0).fit(X, y)
    assert isotonic.predict_proba(X).sum(axis=1) == pytest.approx(1)
    none = DRRClassifier(base, calibration=None, random_state=0)
    assert not hasattr(none, "predict_proba")
    none.fit(X, y)
    assert none.calibrator_ is None
    assert not hasattr(none, "predict_proba")
    assert set(none.predict(X)) == {0, 1}
    with pytest.raises(
        ValueError, match="calibration must be 'sigmoid', 'isotonic', 'platt' or None, got 'beta'"
    ):
        DRRClassifier(base, calibration="beta").fit(X, y)


def test_separation_and_gain_come_from_the_held_out_scores(two_classes, base):
    X, y = two_classes
    classifier = DRRClassifier(base, holdout=5, fusion_weight=0.5, random_state=0).fit(X, y)
    held_out = classifier.rescorings_[0].held_out
    figures = classifier.separation_
    plain = separation(held_out.base, held_out.dual, held_out.positive, n_resamples=0)
    assert (figures.d1, figures.d2, figures.rho) == (plain.d1, plain.d2, plain.rho)
    assert figures.weight == 0.5
    assert figures.d1_interval.low < figures.d1 < figures.d1_interval.high
    assert classifier.separation_ is figures
    fused = average_precision_score(held_out.positive, classifier.rescorings_[0].held_out_fused)
    assert classifier.gain_.fused_average_precision == pytest.approx(fused)
    refitted = classifier.set_params(fusion_weight=1.0).fit(X, y)
    assert refitted.separation_.weight == 1.0


def test_a_dual_that_does_harm_is_reported_when_asked(rng):
    y = (np.arange(600) < 60).astype(int)
    noise = rng.normal(size=(600, 3))
    score = 4.0 * y + rng.normal(size=600)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        harmed = DRRClassifier.from_scores(score, noise, y, fusion_weight=4.0, random_state=0)
    with pytest.warns(UserWarning, match="the dual lowers the average precision for class 1"):
        assert not harmed.separation_.predicts_gain


def test_weights_reach_every_part(two_classes, base, rng):
    X, y = two_classes
    weights = rng.integers(0, 3, size=400).astype(float)
    fit, held_out = train_test_split(np.arange(400), test_size=0.3, stratify=y, random_state=5)
    feature_map = FrozenEstimator(RakingFeatureMap(random_state=0).fit(X))
    options = {"dual": RakingDual(feature_map), "fusion_weight": 0.5, "random_state": 0}
    weighted = DRRClassifier(base, holdout=(fit, held_out), **options).fit(X, y, sample_weight=weights)

    counts = weights.astype(int)
    rows = np.repeat(np.arange(400), counts)
    in_fit = np.isin(rows, fit)
    pair = (np.flatnonzero(in_fit), np.flatnonzero(~in_fit))
    repeated = DRRClassifier(base, holdout=pair, **options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.fused_score(X), repeated.fused_score(X), atol=2e-3)
    assert weighted.threshold_ == pytest.approx(repeated.threshold_, abs=2e-3)
    with pytest.warns(UserWarning, match="KNeighborsClassifier does not accept sample_weight"):
        DRRClassifier(KNeighborsClassifier(), **options).fit(X, y, sample_weight=weights)


def test_frames_with_categories(rng):
    y = np.arange(300) < 30
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=300) + y,
            "flag": pd.Categorical(np.where(rng.random(300) < 0.3 + 0.5 * y, "on", "off")),
        }
    )

    boosting = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=10, random_state=0)
    dual = RakingDual(RakingFeatureMap(0))
    classifier = DRRClassifier(boosting, dual=dual, random_state=0).fit(frame, y)
    assert classifier.feature_names_in_.tolist() == ["size", "flag"]
    assert "flag=on" in classifier.dual_.moment_table().index
    assert classifier.predict(frame).dtype == bool
    with pytest.raises(ValueError, match="Column 0 is 'flag', but was 'size'"):
        classifier.predict(frame[["flag", "size"]])
    with pytest.raises(ValueError, match="yet now missing:\n- flag"):
        classifier.predict(frame[["size"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- extra"):
        classifier.predict(frame.assign(extra=1.0))


def test_a_frozen_dual_survives_cloning(two_classes, base):
    X, y = two_classes
    dual = RakingDual(random_state=0).fit(X, y)
    copy = clone(DRRClassifier(base, dual=FrozenEstimator(dual), random_state=0)).fit(X, y)
    np.testing.assert_array_equal(copy.dual_score(X), dual.log_density_ratio(X))


def test_constant_columns_leave_the_base_alone():
    X, y = np.ones((60, 2)), np.arange(60) < 12
    with pytest.warns(UserWarning, match="The dual is zero"):
        classifier = DRRClassifier(LogisticRegression(), random_state=0, calibration=None).fit(X, y)
    assert (classifier.fused_score(X) == 0).all()


def test_grid_search_over_every_level(two_classes, base):
    X, y = two_classes
    classifier = DRRClassifier(base, dual=RakingDual(RakingFeatureMap(random_state=0)), random_state=0)
    grid = {
        "dual__eta": [0.05, 0.3],
        "dual__feature_map__n_random_features": [0, 16],
        "fusion_weight": [0.5, "auto"],
    }
    search = GridSearchCV(classifier, grid, scoring="average_precision", cv=3, n_jobs=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    weights = np.linspace(0.5, 1.5, 400)
    assert (
        GridSearchCV(classifier, {"fusion_weight": [0.5]}, cv=3).fit(X, y, sample_weight=weights).best_score_
        > 0
    )


def test_pickle_clone_and_refit(two_classes, base):
    X, y = two_classes
    classifier = DRRClassifier(base, random_state=0).fit(X, y)
    before = classifier.separation_
    copy = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(copy.fused_score(X), classifier.fused_score(X))
    assert copy.separation_ == before
    again = clone(classifier).fit(X, y)
    np.testing.assert_array_equal(again.fused_score(X), classifier.fused_score(X))
    assert "DRRClassifier" in classifier._repr_html_()


def test_the_default_base_is_a_random_forest(two_classes):
    X, y = two_classes
    classifier = DRRClassifier(random_state=0).fit(X, y)
    assert isinstance(classifier.estimator_, RandomForestClassifier)
    again = DRRClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(classifier.fused_score(X), again.fused_score(X))


@pytest.mark.parametrize("tag", ["sparse", "allow_nan", "categorical", "string"])
@pytest.mark.parametrize("of_base", [True, False])
@pytest.mark.parametrize("of_dual", [True, False])
def test_the_classifier_takes_what_both_its_parts_take(tag, of_base, of_dual):
    class Base(LogisticRegression):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            setattr(tags.input_tags, tag, of_base)
            return tags

    class Dual(RakingDual):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            setattr(tags.input_tags, tag, of_dual)
            return tags

    assert getattr(get_tags(DRRClassifier(Base(), dual=Dual())).input_tags, tag) is (of_base and of_dual)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_say_what_the_single_methods_say(n_classes):
    rng = np.random.default_rng(5)
    y = np.where(np.arange(400) % 10 == 0, "b", "a")
    if n_classes == 3:
        y[::7] = "c"
    X = rng.normal(size=(400, 3)) + (y == "b")[:, None] - (y == "c")[:, None]
    model = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    scores = model.scores(X)
    np.testing.assert_array_equal(scores.base, model.base_score(X))
    np.testing.assert_array_equal(scores.dual, model.dual_score(X))
    np.testing.assert_array_equal(scores.fused, model.fused_score(X))
    np.testing.assert_array_equal(scores.label, model.predict(X))
    expected = model.predict_proba(X)
    np.testing.assert_array_equal(scores.probability, expected if n_classes == 3 else expected[:, 1])
