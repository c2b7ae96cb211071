"""DRRClassifier: Algorithm 1 against its stages done by hand, the ways to hold out, and what it refuses."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, recall_score
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags

import drr
from drr import DRRClassifier, RakingDual, RakingFeatureMap, RecallAtLeast
from drr.calibration import fit_calibration
from drr.decision import choose_cut
from drr.fusion import separation, standardise


@pytest.fixture
def two_classes(rng):
    y = (np.arange(400) < 40).astype(int)
    X = rng.normal(size=(400, 4)) + y[:, None] * np.array([1.5, 0.8, 0.0, 0.4])
    order = rng.permutation(400)
    return X[order], y[order]


@pytest.fixture
def base():
    return LogisticRegression()


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
    assert (np.diff(classifier.predict_proba(X)[order, column]) >= 0).all()


def test_a_base_without_probabilities(two_classes):
    X, y = two_classes
    options = {"holdout": (np.arange(300), np.arange(300, 400)), "random_state": 0}
    by_margin = DRRClassifier(SVC(tol=1e-8), **options).fit(X, y)
    np.testing.assert_array_equal(by_margin.base_score(X), by_margin.estimator_.decision_function(X))
    flipped = DRRClassifier(SVC(tol=1e-8), **options).fit(X, np.where(y == 1, "a", "b"))
    np.testing.assert_array_equal(flipped.base_score(X), -flipped.estimator_.decision_function(X))
    np.testing.assert_allclose(flipped.fused_score(X), by_margin.fused_score(X), atol=1e-5)


def test_the_rows_to_hold_out_can_be_named(two_classes, base):
    X, y = two_classes
    fit, held_out = train_test_split(np.arange(400), test_size=0.3, stratify=y, random_state=5)
    options = {"fusion_weight": 0.5, "random_state": 5}
    by_rows = DRRClassifier(base, holdout=(fit, held_out), **options).fit(X, y)
    by_fraction = DRRClassifier(base, holdout=0.3, **options).fit(X, y)
    np.testing.assert_array_equal(by_rows.fused_score(X), by_fraction.fused_score(X))
    mask = np.isin(np.arange(400), fit)
    by_mask = DRRClassifier(base, holdout=(mask, ~mask), **options).fit(X, y)
    np.testing.assert_allclose(by_mask.fused_score(X), by_fraction.fused_score(X), atol=1e-6)


def test_cross_fitting_scores_every_row_by_models_that_did_not_see_it(two_classes):
    X, y = two_classes
    memory = KNeighborsClassifier(1)  # knows every row it was fitted on
    splitter = StratifiedKFold(4, shuffle=True, random_state=7)
    classifier = DRRClassifier(memory, holdout=splitter, random_state=0).fit(X, y)
    held_out = classifier.rescorings_[0].held_out
    assert len(held_out.base) == 400
    labels = np.concatenate([y[rows] for _, rows in splitter.split(X, y)])
    np.testing.assert_array_equal(held_out.positive, labels == 1)
    assert average_precision_score(labels, held_out.base) < 0.9
    # The final models saw all rows.
    np.testing.assert_array_equal(classifier.base_score(X), y)
    assert len(classifier.dual_.weights_) == (y == 0).sum()
    # Each fold is standardised by itself.
    first = held_out.dual[: len(next(iter(splitter.split(X, y)))[1])]
    assert first.mean() == pytest.approx(0, abs=1e-12)
    assert first.std() == pytest.approx(1)


def test_a_number_of_folds_is_a_shuffled_stratified_splitter(two_classes, base):
    X, y = two_classes
    by_number = DRRClassifier(base, holdout=5, random_state=3, fusion_weight="auto").fit(X, y)
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    by_splitter = DRRClassifier(base, holdout=splitter, random_state=3, fusion_weight="auto").fit(X, y)
    np.testing.assert_array_equal(by_number.fused_score(X), by_splitter.fused_score(X))
    parallel = DRRClassifier(base, holdout=5, random_state=3, fusion_weight="auto", n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(by_number.fused_score(X), parallel.fused_score(X))


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


def test_a_fitted_dual_of_the_other_class_is_refused(two_classes, base):
    X, y = two_classes
    dual = RakingDual(pos_label=0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="the dual is for the class"):
        DRRClassifier(base, dual=dual).fit(X, y)


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


def test_groups_reach_the_splitter(two_classes, base):
    X, y = two_classes
    groups = np.arange(400) % 8
    classifier = DRRClassifier(base, holdout=GroupKFold(4), random_state=0).fit(X, y, groups=groups)
    assert len(classifier.rescorings_[0].held_out.base) == 400


def test_frames_with_categories(rng):
    y = np.arange(300) < 30
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=300) + y,
            "flag": pd.Categorical(np.where(rng.random(300) < 0.3 + 0.5 * y, "on", "off")),
        }
    )
    from sklearn.ensemble import HistGradientBoostingClassifier

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


class NeverFitted(LogisticRegression):
    """A base that must not be reached."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("a bad setting is to be refused before the base is fitted")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fusion_weight": -1.0}, "fusion_weight must be a finite number of at least 0, got -1.0"),
        ({"fusion_weight": "best"}, "fusion_weight must be a number of at least 0 or one of"),
        ({"calibration": "beta"}, "calibration must be 'sigmoid', 'isotonic', 'platt' or None, got 'beta'"),
        ({"threshold": "accurate"}, "threshold='accurate' is not known"),
        ({"threshold": np.nan}, "threshold must be a number"),
        ({"threshold": {1: "f1"}}, "names classes, which is for three or more"),
        ({"threshold": None, "calibration": None}, "needs a calibration"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_fitted(two_classes, settings, message):
    with pytest.raises(ValueError, match=message):
        DRRClassifier(NeverFitted(), **settings).fit(*two_classes)


def test_what_is_no_classifier_and_no_dual_is_named(two_classes, base):
    X, y = two_classes
    with pytest.raises(TypeError, match="estimator must be a classifier with fit, or None, got 3"):
        DRRClassifier(3).fit(X, y)
    with pytest.raises(TypeError, match=r"IsolationForest\(.* is not a classifier"):
        DRRClassifier(IsolationForest(n_estimators=5)).fit(X, y)
    with pytest.raises(
        TypeError, match=r"dual must be a RakingDual, an estimator .*, got StandardScaler\(\)"
    ):
        DRRClassifier(base, dual=StandardScaler()).fit(X, y)


def test_groups_without_a_splitter_are_refused(two_classes, base):
    X, y = two_classes
    for holdout in (0.3, 5):
        with pytest.raises(ValueError, match="groups are for a splitter that keeps them apart"):
            DRRClassifier(base, holdout=holdout).fit(X, y, groups=np.arange(400) // 4)


def test_a_large_fraction_holds_out_what_it_says(two_classes, base):
    X, y = two_classes
    assert len(DRRClassifier(base, holdout=0.9).fit(X, y).rescorings_[0].held_out.base) == 360
    with pytest.raises(ValueError, match="leaves no row of class 1 to fit on"):
        DRRClassifier(base, holdout=0.999).fit(X, y)


def test_a_frozen_dual_survives_cloning(two_classes, base):
    X, y = two_classes
    dual = RakingDual(random_state=0).fit(X, y)
    copy = clone(DRRClassifier(base, dual=FrozenEstimator(dual), random_state=0)).fit(X, y)
    np.testing.assert_array_equal(copy.dual_score(X), dual.log_density_ratio(X))


class Scoreless(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_what_is_refused(two_classes, base):
    X, y = two_classes
    with pytest.raises(ValueError, match="one class only, 1"):
        DRRClassifier(base).fit(X, np.ones(400, dtype=int))
    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        DRRClassifier(Scoreless()).fit(X, y)
    with pytest.raises(ValueError, match="pos_label=7 is not a label of y, which has 0, 1"):
        DRRClassifier(base, pos_label=7).fit(X, y)
    with pytest.raises(ValueError, match="fusion_weight must be a number of at least 0 or one of"):
        DRRClassifier(base, fusion_weight="best").fit(X, y)
    with pytest.raises(ValueError, match="does not know the class 1"):
        DRRClassifier(FrozenEstimator(GaussianNB().fit(X, y + 5))).fit(X, y)
    X = X.copy()
    X[317, 2] = np.nan
    strict = DRRClassifier(RandomForestClassifier(5, random_state=0))
    with pytest.raises(ValueError, match="NaN at row 317, column 2"):
        strict.set_params(dual__feature_map__missing="error").fit(X, y)


@pytest.mark.parametrize(
    ("holdout", "message"),
    [
        (1.5, r"fraction in \(0, 1\) or at least 2 folds, got 1.5"),
        (1, "at least 2 folds, got 1"),
        ("half", "holdout must be 'auto', a fraction"),
        (None, "holdout must be 'auto', a fraction"),
        (([0, 1], [1, 2]), "row 1 is both in fit_indices and in held_out_indices"),
        (([0, 1], [400]), "held_out_indices names row 400, but X has the rows 0 to 399"),
        (([0.5], [1]), "fit_indices must hold row numbers"),
        ((range(300),), "holdout must be 'auto', a fraction"),
        ([range(300), range(300, 400)], "holdout must be 'auto', a fraction"),
        ([3, 4], "holdout must be 'auto', a fraction"),
    ],
)
def test_holdouts_that_are_refused(two_classes, base, holdout, message):
    X, y = two_classes
    with pytest.raises(ValueError, match=message):
        DRRClassifier(base, holdout=holdout).fit(X, y)


def test_a_fit_part_without_the_rare_class(two_classes, base):
    X, y = two_classes
    rare, common = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    with pytest.raises(ValueError, match="leaves no row of class 1 to fit on"):
        DRRClassifier(base, holdout=(common[:200], np.concatenate([rare, common[200:]]))).fit(X, y)


def test_a_single_minority_row_fits_with_a_warning(two_classes, base):
    X, _ = two_classes
    y = (np.arange(400) == 17).astype(int)
    for holdout in (0.3, 5):
        with (
            pytest.warns(UserWarning, match="Class 1 has a single row, so nothing of it can be held out"),
            pytest.warns(UserWarning, match="0 rows of the rare class and .* others are held out"),
        ):
            classifier = DRRClassifier(base, holdout=holdout, random_state=0).fit(X, y)
        assert classifier.calibrator_ is None
        assert not hasattr(classifier, "predict_proba")
        assert classifier.fused_score(X)[17] > np.median(classifier.fused_score(X))
        assert (classifier.predict(X) == 1).mean() < 0.1


def test_one_minority_row_held_out_gives_a_fixed_cut(two_classes, base):
    X, y = two_classes
    keep = np.concatenate([np.flatnonzero(y == 1)[:3], np.flatnonzero(y == 0)])
    with pytest.warns(UserWarning, match="1 rows of the rare class and 108 others are held out"):
        classifier = DRRClassifier(base, holdout=0.3, random_state=0).fit(X[keep], y[keep])
    assert classifier.calibrator_ is None
    with pytest.raises(AttributeError, match="predict_proba"):
        classifier.predict_proba(X)


def test_few_minority_rows_make_fewer_folds(two_classes, base):
    X, y = two_classes
    keep = np.concatenate([np.flatnonzero(y == 1)[:3], np.flatnonzero(y == 0)])
    with pytest.warns(UserWarning, match="smallest class has 3 rows; 3 folds are used"):
        classifier = DRRClassifier(base, holdout=5, random_state=0).fit(X[keep], y[keep])
    assert classifier.rescorings_[0].held_out.positive.sum() == 3


def test_missing_extra_and_reordered_columns_are_named(two_classes, base):
    X, y = two_classes
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])
    classifier = DRRClassifier(base, random_state=0).fit(frame, y)
    for method in (classifier.predict, classifier.fused_score, classifier.dual_score, classifier.base_score):
        with pytest.raises(ValueError, match=r"seen at fit time.*missing[^c]*- c1"):
            method(frame.drop(columns="c1"))
        with pytest.raises(ValueError, match=r"unseen at fit time[^e]*- extra"):
            method(frame.assign(extra=0.0))
        with pytest.raises(ValueError, match="Column 0 is 'c1', but was 'c0'"):
            method(frame[["c1", "c0", *frame.columns[2:]]])


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


@pytest.fixture
def four_classes(rng):
    y = np.repeat(["ash", "elm", "fir", "oak"], [200, 60, 30, 12])
    centres = {"ash": 0.0, "elm": 1.5, "fir": 3.0, "oak": -2.5}
    X = rng.normal(size=(len(y), 3)) + np.array([centres[label] for label in y])[:, None]
    return X, y


@pytest.mark.parametrize("base", [GaussianNB(), SVC()], ids=["probabilities", "margins"])
@pytest.mark.parametrize("holdout", [0.3, 3])
def test_every_class_against_the_rest(four_classes, base, holdout):
    X, y = four_classes
    classifier = DRRClassifier(base, holdout=holdout, random_state=0).fit(X, y)
    probabilities = classifier.predict_proba(X)
    assert probabilities.shape == (len(y), 4)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    decision = classifier.decision_function(X)
    np.testing.assert_array_equal(classifier.predict(X), classifier.classes_[decision.argmax(axis=1)])
    assert (classifier.predict(X) == y).mean() > 0.6
    assert len(classifier.dual_) == len(classifier.threshold_) == len(classifier.fusion_weight_) == 4
    maps = {id(dual.feature_map_.estimator) for dual in classifier.dual_[1:]}
    assert maps == {id(classifier.dual_[0].feature_map_)}


def test_each_class_is_the_binary_problem_with_the_same_base_scores(four_classes):
    X, y = four_classes
    scores = GaussianNB().fit(X, y).predict_proba(X)
    options = {
        "dual": RakingDual(FrozenEstimator(RakingFeatureMap(random_state=0).fit(X))),
        "holdout": tuple(train_test_split(np.arange(len(y)), stratify=y, random_state=0)),
    }
    options["calibration"] = None  # with probabilities all are cut at one half
    together = DRRClassifier.from_scores(scores, X, y, **options)
    for k, label in enumerate(together.classes_):
        alone = DRRClassifier.from_scores(scores[:, k], X, y == label, pos_label=True, **options)
        np.testing.assert_allclose(
            together.fused_score(X, base_score=scores)[:, k],
            alone.fused_score(X, base_score=scores[:, k]),
            atol=1e-6,
        )
        assert together.threshold_[k] == pytest.approx(alone.threshold_, abs=1e-6)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_the_most_probable_of_several_classes_is_predicted(four_classes, calibration):
    X, y = four_classes
    classifier = DRRClassifier(GaussianNB(), calibration=calibration, random_state=0).fit(X, y)
    most_probable = classifier.classes_[classifier.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(classifier.predict(X), most_probable)
    np.testing.assert_array_equal(
        classifier.decision_function(X).argmax(axis=1),
        np.searchsorted(classifier.classes_, classifier.predict(X)),
    )


def test_classes_can_have_cuts_of_their_own(four_classes):
    X, y = four_classes
    options = {"holdout": 3, "random_state": 0}
    plain = DRRClassifier(GaussianNB(), **options).fit(X, y)
    eager = DRRClassifier(GaussianNB(), threshold={"oak": RecallAtLeast(1.0)}, **options).fit(X, y)
    oak = eager.rescorings_[3]
    assert (oak.held_out_fused > oak.cut)[oak.held_out.positive].all()
    assert eager.threshold_[:3] == plain.threshold_[:3]
    recalls = [(model.predict(X)[y == "oak"] == "oak").mean() for model in (plain, eager)]
    assert recalls[1] >= recalls[0]
    without = DRRClassifier(GaussianNB(), calibration=None, **options).fit(X, y)
    cuts = [choose_cut(each.held_out_fused, each.held_out.positive) for each in without.rescorings_]
    assert without.threshold_ == cuts
    for threshold, calibration, message in (
        ({"yew": 0.0}, "sigmoid", "threshold names the class 'yew'"),
        ({"oak": 0.0}, None, "must name a rule for every class"),
    ):
        with pytest.raises(ValueError, match=message):
            DRRClassifier(GaussianNB(), threshold=threshold, calibration=calibration).fit(X, y)
    with pytest.raises(ValueError, match="names classes, which is for three or more"):
        DRRClassifier(GaussianNB(), threshold={True: "f1"}).fit(X, y == "oak")


def test_three_classes_take_no_pos_label(four_classes):
    X, y = four_classes
    with pytest.raises(ValueError, match="pos_label='oak' is for two classes, but y has 4"):
        DRRClassifier(GaussianNB(), pos_label="oak").fit(X, y)


def test_pairs_of_classes_are_not_taken_for_classes(rng):
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 2)) + y[:, None]
    pairs = SVC(decision_function_shape="ovo")
    for base in (pairs, make_pipeline(StandardScaler(), pairs)):
        with pytest.raises(ValueError, match="compares pairs of classes"):
            DRRClassifier(base, random_state=0).fit(X, y)
    assert DRRClassifier(OneVsRestClassifier(pairs), random_state=0).fit(X, y).base_score(X).shape[1] == 3


def test_scores_take_no_estimator(two_classes):
    X, y = two_classes
    with pytest.raises(TypeError, match="from_scores takes no estimator"):
        DRRClassifier.from_scores(X[:, 0], X, y, estimator=LogisticRegression())
    with pytest.raises(ValueError, match="has no base"):
        DRRClassifier.from_scores(X[:, 0], X, y, random_state=0).base_score(X)


def test_missing_values_are_taken_where_the_feature_map_imputes_and_refused_with_their_row_elsewhere(
    two_classes,
):
    X, y = two_classes
    X[123, 2] = np.nan
    trees = HistGradientBoostingClassifier(max_iter=5, random_state=0)
    for missing in ("impute", "error"):
        dual = RakingDual(RakingFeatureMap(8, missing=missing, random_state=0))
        classifier = DRRClassifier(trees, dual=dual, random_state=0)
        if missing == "impute":
            assert np.isfinite(classifier.fit(X, y).fused_score(X)).all()
        else:
            with pytest.raises(ValueError, match="row 123"):
                classifier.fit(X, y)


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


@pytest.mark.parametrize("holdout", [0.25, 4])
def test_the_split_is_remembered(holdout):
    rng = np.random.default_rng(6)
    y = np.arange(200) < 30
    X = rng.normal(size=(200, 2)) + y[:, None]
    model = DRRClassifier(LogisticRegression(), holdout=holdout, random_state=0).fit(X, y)
    held_out = model.rescorings_[0].held_out
    np.testing.assert_array_equal(held_out.positive, y[held_out.rows])
    if holdout == 4:
        np.testing.assert_array_equal(np.sort(held_out.rows), np.arange(200))
        np.testing.assert_array_equal(model.fitted_rows_, np.arange(200))
    else:
        both = np.concatenate([held_out.rows, model.fitted_rows_])
        np.testing.assert_array_equal(np.sort(both), np.arange(200))
