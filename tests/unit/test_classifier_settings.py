"""DRRClassifier: settings and rows that are easily given wrongly, and what must not depend on chance."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from drr import DRRClassifier, RakingDual, RakingFeatureMap
from drr.composition.base_score import take_params


@pytest.fixture
def table(rng):
    y = np.arange(600) % 15 == 0
    return rng.normal(size=(600, 4)) + y[:, None] * np.array([1.5, 0.8, 0.0, 0.4]), y.astype(int)


@pytest.fixture
def fitted(table):
    X, y = table
    return LogisticRegression().fit(X[:400], y[:400]), RakingDual(random_state=0).fit(X[:400], y[:400])


@pytest.mark.parametrize("scale", [1 / 600, 1e-6])
def test_the_scale_of_small_weights_changes_no_probability(table, scale):
    X, y = table
    of = [
        DRRClassifier(LogisticRegression(C=1e6), random_state=0).fit(X, y, sample_weight=np.full(600, weight))
        for weight in (1.0, scale)
    ]
    # The logistic base itself is regularised more where weights are small, next to nothing here.
    np.testing.assert_allclose(of[1].predict_proba(X), of[0].predict_proba(X), atol=2e-2)
    assert of[1].predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)


@pytest.mark.parametrize("threshold", ["balanced_accuracy", 0.0])
@pytest.mark.parametrize("rare", ["a", "z"])
def test_rows_at_the_cut_are_not_rare_whichever_label_sorts_first(rare, threshold):
    X, y = np.ones((200, 3)), np.where(np.arange(200) < 20, rare, "m")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a zero dual, and a score that tells nothing
        classifier = DRRClassifier(LogisticRegression(), threshold=threshold, random_state=0).fit(X, y)
    assert set(classifier.predict(X)) == {"m"}
    np.testing.assert_array_equal(
        classifier.decision_function(X) > 0, np.full(200, classifier.classes_[1] == "m")
    )


def test_named_rows_are_held_out_where_both_models_are_fitted(table, fitted):
    X, y = table
    base, dual = fitted
    rows = np.arange(600)
    classifier = DRRClassifier(base, dual=dual, holdout=(rows[:400], rows[400:])).fit(X, y)
    np.testing.assert_array_equal(classifier.rescorings_[0].held_out.positive, y[400:] == 1)
    assert len(DRRClassifier(base, dual=dual).fit(X, y).rescorings_[0].held_out.positive) == 600
    with pytest.raises(ValueError, match="holdout must be 'auto', a fraction"):
        DRRClassifier(base, dual=dual, holdout="nonsense").fit(X, y)


def test_a_display_computes_no_bootstrap(table, monkeypatch):
    X, y = table

    def refuse(*_, **__):
        raise AssertionError("bootstrapped")

    monkeypatch.setattr("drr.composition.fitted_scores.gain_interval", refuse)
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    assert "DRRClassifier" in classifier._repr_html_()
    assert "rescorings_" in dir(classifier)
    assert "gain_" not in dir(classifier)


def test_a_single_rare_row_can_be_displayed_and_has_no_gain(table):
    X, _ = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that nothing can be held out, and no cut learned
        classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, np.arange(600) == 7)
    assert "DRRClassifier" in classifier._repr_html_()
    with pytest.raises(AttributeError, match="of the 599 rows held out 0 are of that class"):
        _ = classifier.gain_
    assert not hasattr(classifier, "separation_")


@pytest.mark.parametrize("dual", [RakingDual(), RakingDual(RakingFeatureMap())], ids=["dual", "feature map"])
def test_the_seed_reaches_the_parts_of_a_dual(table, dual):
    X, y = table
    first, second, other = (
        DRRClassifier(LogisticRegression(), dual=dual, random_state=seed).fit(X, y).fused_score(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)
    assert dual.random_state is None  # what was passed in is left alone


def test_the_seed_of_a_dual_reaches_its_feature_map_but_does_not_replace_its_own(table):
    X, y = table
    by_dual = RakingDual(RakingFeatureMap(), random_state=3).fit(X, y).theta_
    by_map = RakingDual(RakingFeatureMap(random_state=3), random_state=4).fit(X, y).theta_
    np.testing.assert_array_equal(by_dual, by_map)


@pytest.mark.parametrize(
    ("holdout", "message"),
    [
        (
            [(np.arange(600), np.arange(600))],
            "row 0 is both in fit_indices and in held_out_indices of fold 0",
        ),
        ([(np.arange(400), np.arange(-200, 0))], "held_out_indices of fold 0 names row -200"),
        ([(np.arange(400), np.arange(400, 601))], "held_out_indices of fold 0 names row 600"),
        ([], "holdout must be 'auto', a fraction"),
        ([3], "holdout must be 'auto', a fraction"),
        (True, "holdout must be 'auto', a fraction"),
    ],
)
def test_lists_of_splits_are_checked(table, holdout, message):
    with pytest.raises(ValueError, match=message):
        DRRClassifier(LogisticRegression(), holdout=holdout).fit(*table)


def test_splits_may_be_masks_or_a_tuple(table):
    X, y = table
    splits = list(StratifiedKFold(2).split(X[:-1], y[:-1]))
    masks = [tuple(np.isin(np.arange(600), part) for part in split) for split in splits]
    one, other = (
        DRRClassifier(LogisticRegression(), holdout=holdout, random_state=0).fit(X, y).fused_score(X)
        for holdout in (masks, tuple(splits))
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("threshold", [5.0, np.float32(5), np.int64(5)])
def test_a_numeric_threshold_is_kept_where_too_few_rows_are_held_out(table, threshold):
    X, _ = table
    classifier = DRRClassifier(LogisticRegression(), holdout=0.3, threshold=threshold, random_state=0)
    with pytest.warns(UserWarning, match="needed to learn a cut"):
        classifier.fit(X[:200], np.arange(200) < 3)
    assert classifier.threshold_ == 5.0


class Unfittable(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise AssertionError("fitted before the settings were checked")


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"threshold": "roc_auc"}, ValueError, "threshold='roc_auc' is not a metric of labels"),
        ({"threshold": lambda a, b: 1.0}, TypeError, "threshold=.* takes no sample_weight"),
        (
            {"dual": RakingDual(pos_label=0)},
            ValueError,
            "the dual is for the class 0, but the classifier scores 1",
        ),
    ],
)
def test_settings_are_refused_by_name_before_the_base_is_fitted(table, settings, error, message):
    X, y = table
    with pytest.raises(error, match=message):
        DRRClassifier(Unfittable(), **settings).fit(X, y, sample_weight=np.ones(600))


def test_a_base_that_takes_no_categories_is_told_apart_from_the_dual_that_does(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=pd.Categorical(np.where(X[:, 0] > 0, "u", "v")))
    with pytest.raises(
        ValueError, match=r"RandomForestClassifier could not be fitted: .*'[uv]'.*categories in 'kind'"
    ):
        DRRClassifier(RandomForestClassifier(3, random_state=0), random_state=0).fit(frame, y)
    boosting = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
    assert DRRClassifier(boosting, random_state=0).fit(frame, y).predict(frame).shape == (600,)


def test_a_base_whose_scores_are_not_finite_is_named(table):
    X, y = table

    class Broken(LogisticRegression):
        def predict_proba(self, X):
            return np.where(np.arange(len(X))[:, None] == 3, np.nan, super().predict_proba(X))

    with pytest.raises(ValueError, match="the base Broken scores row 3 as"):
        DRRClassifier(Broken(), random_state=0).fit(X, y)


def test_one_row_of_each_class_and_held_out_rows_without_weight(table):
    X, y = table
    with (
        pytest.warns(UserWarning, match="single row"),
        pytest.raises(ValueError, match="rows are too few to hold"),
    ):
        DRRClassifier(LogisticRegression(), holdout=0.3).fit(X[:2], [0, 1])
    with pytest.raises(ValueError, match="n_samples=2 rows are too few to hold some out of 2 classes"):
        DRRClassifier(LogisticRegression()).fit(X[:2], [0, 1])
    rows, weights = np.arange(600), (np.arange(600) < 400).astype(float)
    with pytest.raises(ValueError, match="sample_weight is zero on every held-out row"):
        DRRClassifier(LogisticRegression(), holdout=(rows[:400], rows[400:])).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_a_cut_of_its_own_next_to_one_half_changes_next_to_nothing(rng, calibration):
    """All classes are compared in one unit, whether their cuts are named or not."""
    y = rng.integers(0, 3, size=900)
    X = rng.normal(size=(900, 3)) + 1.2 * np.eye(3)[y]
    settings = {
        "calibration": calibration,
        "random_state": 1,
    }  # isotonic steps leave no row tied with this one
    plain = DRRClassifier(LogisticRegression(), **settings).fit(X, y)
    cut = plain.threshold_[1] + 1e-9
    named = DRRClassifier(LogisticRegression(), threshold={1: cut}, **settings).fit(X, y)
    np.testing.assert_array_equal(named.predict(X), plain.predict(X))


def test_solves_in_other_threads_need_no_signals(table):
    X, y = table
    found = []
    thread = threading.Thread(target=lambda: found.append(RakingDual(random_state=0).fit(X, y).theta_))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0], RakingDual(random_state=0).fit(X, y).theta_)


def test_a_fitted_classifier_says_in_print_how_it_was_fitted(rng):
    y = np.arange(300) < 40
    X = rng.normal(size=(300, 3)) + y[:, None]
    model = DRRClassifier(LogisticRegression(), holdout=3, random_state=0)
    assert str(model) == repr(model)
    model.fit(X, y)
    assert (
        str(model).splitlines()[-1]
        == f"fitted: held out 3 folds; weight of the dual {model.fusion_weight_:.3g}"
    )
    assert "gain_" not in model.__dict__  # printing computes nothing
    gain = str(model.gain_)
    assert str(model).endswith(gain)
    assert "fitted" not in repr(model)
    model.fit(X, np.where(y, 2, np.arange(300) % 2))
    assert "weight of the dual" in str(model)
    assert " to " in str(model).splitlines()[-1]


@pytest.mark.parametrize("method", ["predict", "base_score", "dual_score"])
@pytest.mark.parametrize("has_names", [False, True])
def test_names_that_are_missing_are_warned_of_once(method, has_names, rng):
    y = np.arange(200) < 40
    array = rng.normal(size=(200, 2)) + y[:, None]
    frame = pd.DataFrame(array, columns=["a", "b"])
    fitted_on, given = (frame, array) if has_names else (array, frame)
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(fitted_on, y)
    expected = getattr(classifier, method)(fitted_on)
    with pytest.warns(UserWarning, match="feature names, but DRRClassifier was fitted with") as caught:
        found = getattr(classifier, method)(given)
    assert len(caught) == 1
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_fit_parameters_with_an_entry_per_row_are_indexed_and_others_handed_on_as_they_are():
    given = {
        "series": pd.Series(np.arange(5.0)),
        "list": [1, 2, 3, 4, 5],
        "text": "abcde",
        "number": 5,
        "scalar": np.array(2.0),
        "short": [1, 2],
    }
    taken = take_params(given, np.array([0, 3]), 5)
    assert isinstance(taken["series"], pd.Series)
    assert (taken["series"].tolist(), taken["list"].tolist()) == ([0.0, 3.0], [1, 4])
    assert all(taken[name] is given[name] for name in ("text", "number", "scalar", "short"))
