"""Any estimator, or several, in the place of the dual."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from drr import AveragedDual, DRRClassifier, RakingDual, RakingFeatureMap
from drr.fusion import standardise


@pytest.fixture
def table(rng):
    y = (np.arange(400) < 50).astype(int)
    return rng.normal(size=(400, 4)) + 0.8 * y[:, None], y


class KernelRatio(BaseEstimator):
    """uLSIF with Gaussian kernels at the rare rows: least squares for the density ratio, in closed form."""

    def __init__(self, width=2.0, penalty=0.1):
        self.width = width
        self.penalty = penalty

    def fit(self, X, y):
        self.centres_ = X[y == 1]
        rare, rest = self._kernel(X[y == 1]), self._kernel(X[y == 0])
        gram = rest.T @ rest / len(rest) + self.penalty * np.eye(len(self.centres_))
        self.weights_ = np.maximum(np.linalg.solve(gram, rare.mean(axis=0)), 0)
        return self

    def log_density_ratio(self, X):
        return np.log(self._kernel(X) @ self.weights_ + 1e-12)

    def _kernel(self, X):
        distances = ((X[:, None, :] - self.centres_[None]) ** 2).sum(axis=2)
        return np.exp(-distances / (2 * self.width**2))


@pytest.mark.parametrize(
    "second",
    [make_pipeline(RakingFeatureMap(16), LogisticRegression()), KernelRatio()],
    ids=["logistic regression on the map", "uLSIF"],
)
@pytest.mark.parametrize("rare", ["a", "z"])
def test_another_estimator_gives_the_second_score(table, second, rare):
    X, y = table
    labels = np.where(y == 1, rare, "m")
    classifier = DRRClassifier(LogisticRegression(), dual=second, random_state=0).fit(X, labels)
    assert classifier.pos_label_ == rare
    by_hand = clone(second)
    if "rakingfeaturemap__random_state" in by_hand.get_params():
        by_hand.set_params(rakingfeaturemap__random_state=0, logisticregression__random_state=0)
    by_hand.fit(X, y)
    score = getattr(by_hand, "log_density_ratio", None) or by_hand.decision_function
    np.testing.assert_allclose(classifier.dual_score(X), score(X), atol=1e-9)
    again = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(again.fused_score(X), classifier.fused_score(X))


@pytest.mark.parametrize("rare", ["a", "z"])
def test_a_fitted_estimator_is_used_as_it_is(table, rare):
    X, y = table
    labels = np.where(y == 1, rare, "m")
    second = LogisticRegression().fit(X[:, :2], labels)
    second = make_pipeline(FirstTwo(), second)
    classifier = DRRClassifier(LogisticRegression(), dual=second, random_state=0).fit(X, labels)
    sign = 1 if rare == "z" else -1
    np.testing.assert_array_equal(classifier.dual_score(X), sign * second.decision_function(X))


class FirstTwo(BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[:, :2]

    def __sklearn_is_fitted__(self):
        return True


def test_a_list_is_the_mean_of_standardised_scores_with_seeds_of_their_own(table):
    X, y = table
    classifier = DRRClassifier(
        LogisticRegression(), dual=[RakingDual(), RakingDual(eta=0.2), KernelRatio()], random_state=5
    ).fit(X, y)
    members = [
        RakingDual(random_state=5).fit(X, y).log_density_ratio(X),
        RakingDual(eta=0.2, random_state=6).fit(X, y).log_density_ratio(X),
        KernelRatio().fit(X, y).log_density_ratio(X),
    ]
    expected = np.mean([standardise(each).transform(each) for each in members], axis=0)
    np.testing.assert_allclose(classifier.dual_score(X), expected, atol=1e-9)
    assert isinstance(classifier.dual_, AveragedDual)


def test_three_classes_take_another_second_score(rng):
    y = np.repeat(["a", "b", "c"], (200, 60, 40))
    X = rng.normal(size=(300, 3)) + np.searchsorted(["a", "b", "c"], y)[:, None]
    classifier = DRRClassifier(
        LogisticRegression(), dual=[RakingDual(), LogisticRegression()], random_state=0
    )
    assert classifier.fit(X, y).dual_score(X).shape == (300, 3)
    assert (classifier.predict(X) == y).mean() > 0.6


def test_weights_reach_the_members_that_take_them(table, rng):
    X, y = table
    weights = rng.random(400)
    dual = AveragedDual([LogisticRegression(), KernelRatio()]).fit(X, y, sample_weight=weights)
    expected = LogisticRegression().fit(X, y, sample_weight=weights).coef_
    np.testing.assert_allclose(dual.estimators_[0].coef_, expected)


@pytest.mark.parametrize("dual", [3, "raking", [RakingDual(), object()]])
def test_what_gives_no_second_score_is_named(table, dual):
    with pytest.raises(TypeError, match="dual must be a RakingDual, an estimator with fit and"):
        DRRClassifier(LogisticRegression(), dual=dual, random_state=0).fit(*table)


def test_an_empty_list_has_no_score(table):
    with pytest.raises(ValueError, match="estimators is empty"):
        DRRClassifier(LogisticRegression(), dual=[], random_state=0).fit(*table)
