"""What DRRClassifier refuses, and how it says so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from drr import DRRClassifier, RakingDual, RakingFeatureMap


def test_a_fitted_dual_of_the_other_class_is_refused(two_classes, base):
    X, y = two_classes
    dual = RakingDual(pos_label=0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="the dual is for the class"):
        DRRClassifier(base, dual=dual).fit(X, y)


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
