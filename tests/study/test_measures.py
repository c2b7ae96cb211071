"""Metrics, Platt maps and learners against scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.svm import SVC

from benchmarks.study.encoding import Layout
from benchmarks.study.metrics import Outcome, measure, operating_point, rank
from benchmarks.study.naive_bayes import MixedNaiveBayes
from benchmarks.study.platt import fit_platt, smoothed_targets
from benchmarks.study.platt_svm import PlattSVC


@pytest.fixture
def scored(rng):
    y = (rng.random(300) < 0.15).astype(np.int64)
    score = np.round(rng.normal(size=300) + 1.2 * y, 1)  # with ties
    return score, y


def test_ranking_metrics(scored):
    score, y = scored
    expected = metrics.average_precision_score(y, score), metrics.roc_auc_score(y, score)
    assert rank(score, y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("cut", [-10.0, 0.3, 10.0])
def test_operating_points(scored, cut):
    score, y = scored
    label = score > cut
    found = operating_point(label, y)
    assert found["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(y, label))
    assert found["f1"] == pytest.approx(metrics.f1_score(y, label, zero_division=0))
    assert found["mcc"] == pytest.approx(metrics.matthews_corrcoef(y, label))
    recalls = metrics.recall_score(y, label, average=None)
    assert found["g_mean"] == pytest.approx(np.sqrt(recalls.prod()))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_platt_is_the_default_logistic_regression(scored, sign, scale):
    score, y = scored
    score = sign * scale * score
    found = fit_platt(score, y)
    model = LogisticRegression(tol=1e-10, max_iter=10000, solver="newton-cholesky").fit(score[:, None], y)
    assert found.slope == pytest.approx(model.coef_[0, 0], rel=1e-5, abs=1e-9)
    assert found.intercept == pytest.approx(model.intercept_[0], rel=1e-5, abs=1e-7)
    assert np.sign(found.slope) == sign


def test_platt_without_penalty_is_maximum_likelihood(scored):
    score, y = scored
    found = fit_platt(score, smoothed_targets(y == 1), penalty=0.0)
    residual = found.predict(score) - smoothed_targets(y == 1)
    assert np.abs([residual.sum(), residual @ score]).max() < 1e-6


def test_constant_score_gives_the_prior():
    y = np.repeat([0, 1], [90, 10])
    assert fit_platt(np.full(100, 3.0), y).predict(np.array([3.0]))[0] == pytest.approx(0.1, abs=1e-6)


def test_measures_of_a_score_use_its_map(scored):
    score, y = scored
    figures = measure(Outcome("x", score[:150], score[150:], "score"), y[:150], y[150:])
    probability = fit_platt(score[:150], y[:150]).predict(score[150:])
    assert (
        figures["brier"]
        == figures["brier_platt"]
        == pytest.approx(metrics.brier_score_loss(y[150:], probability))
    )
    assert figures["f1_half"] == pytest.approx(metrics.f1_score(y[150:], probability > 0.5, zero_division=0))


def test_a_logit_has_no_probability_of_its_own(scored):
    score, y = scored
    figures = measure(Outcome("x", score[:150], score[150:], "logit"), y[:150], y[150:])
    assert np.isnan(figures["brier"])
    assert np.isnan(figures["f1_half"])
    assert figures["f1_f1"] > 0


def test_scores_that_are_not_finite_are_refused(scored):
    score, y = scored
    with pytest.raises(ValueError, match="finite"):
        measure(Outcome("x", np.full(150, np.nan), score[150:]), y[:150], y[150:])


def test_svm_ranks_and_calibrates_like_the_deprecated_probabilities(rng):
    y = (rng.random(400) < 0.2).astype(np.int64)
    X = rng.normal(size=(400, 3)) + 1.2 * y[:, None]
    ours = PlattSVC(random_state=0).fit(X[:200], y[:200]).predict_proba(X[200:])[:, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = SVC(probability=True, random_state=0).fit(X[:200], y[:200]).predict_proba(X[200:])[:, 1]
    assert metrics.roc_auc_score(y[200:], ours) == pytest.approx(metrics.roc_auc_score(y[200:], theirs))
    assert np.abs(ours - theirs).max() < 0.1  # the folds differ


def test_svm_of_wide_rows_is_the_plain_one(rng):
    y = np.repeat([0, 1], [60, 20])
    X = rng.normal(size=(80, 1200)) + 0.2 * y[:, None]
    new_rows = rng.normal(size=(30, 1200))
    ours = PlattSVC(class_weight="balanced", random_state=0).fit(X, y)
    plain = SVC(class_weight="balanced").fit(X, y)
    assert ours.decision_function(new_rows) == pytest.approx(plain.decision_function(new_rows), abs=1e-9)


def test_svm_with_a_single_rare_row_in_the_folds(rng):
    y = np.repeat([0, 1], [40, 1])
    probability = PlattSVC(random_state=0).fit(rng.normal(size=(41, 2)), y).predict_proba(np.zeros((1, 2)))
    assert np.isfinite(probability).all()


def test_naive_bayes_is_the_product_of_both_kinds(rng):
    y = (rng.random(200) < 0.3).astype(np.int64)
    numbers = rng.normal(size=(200, 2)) + y[:, None]
    codes = (rng.random((200, 1)) < 0.3 + 0.3 * y[:, None]).astype(int) + (rng.random((200, 1)) < 0.2)
    X = np.hstack([numbers, np.eye(3)[codes[:, 0]]])
    found = MixedNaiveBayes(Layout(2, (3,))).fit(X, y).predict_proba(X)
    gaussian, categorical = GaussianNB().fit(numbers, y), CategoricalNB(min_categories=3).fit(codes, y)
    joint = gaussian.predict_joint_log_proba(numbers) + categorical.predict_joint_log_proba(codes)
    joint -= np.log(np.bincount(y) / len(y))
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    assert found == pytest.approx(expected / expected.sum(axis=1, keepdims=True))


def test_naive_bayes_ignores_an_unseen_level(rng):
    y = np.repeat([0, 1], 50)
    X = np.eye(2)[(rng.random(100) < 0.3 + 0.4 * y).astype(int)]
    probability = MixedNaiveBayes(Layout(0, (2,))).fit(X, y).predict_proba(np.zeros((1, 2)))
    assert probability[0] == pytest.approx([0.5, 0.5])
