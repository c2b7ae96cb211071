"""Probabilities at another share of the rare class."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from drr import DRRClassifier
from drr.composition.prior import check_prior


def draw(rng, n_rows, share):
    y = (rng.random(n_rows) < share).astype(int)
    return rng.normal(size=(n_rows, 3)) + y[:, None], y


@pytest.mark.parametrize("rare", ["a", "z"])
def test_the_log_odds_shift_by_the_difference_of_the_priors(rng, rare):
    X, y = draw(rng, 800, 0.1)
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, np.where(y == 1, rare, "m"))
    column = list(classifier.classes_).index(rare)
    before = classifier.predict_proba(X)[:, column]
    after = classifier.predict_proba(X, target_prior=0.02)
    np.testing.assert_allclose(
        after[:, column], expit(logit(before) + logit(0.02) - logit(y.mean())), rtol=1e-10
    )
    np.testing.assert_allclose(after.sum(axis=1), 1.0)
    shares = [0.02, 0.98] if column == 0 else [0.98, 0.02]
    np.testing.assert_allclose(classifier.predict_proba(X, target_prior=shares), after)


def test_shifted_probabilities_are_calibrated_where_the_prior_is_another(rng):
    X, y = draw(rng, 4000, 0.2)
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    X_new, y_new = draw(rng, 20000, 0.03)
    shifted = classifier.predict_proba(X_new, target_prior=0.03)[:, 1]
    assert shifted.mean() == pytest.approx(y_new.mean(), rel=0.12)
    assert classifier.predict_proba(X_new)[:, 1].mean() > 2 * y_new.mean()


def test_the_priors_of_several_classes(rng):
    y = np.repeat(["a", "b", "c"], (200, 60, 40))
    X = rng.normal(size=(300, 3)) + np.searchsorted(["a", "b", "c"], y)[:, None]
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    same = classifier.predict_proba(X, target_prior=[200 / 300, 60 / 300, 40 / 300])
    np.testing.assert_allclose(same, classifier.predict_proba(X), atol=1e-12)
    assert classifier.predict_proba(X, target_prior=[1, 1, 8])[:, 2].mean() > same[:, 2].mean()
    with pytest.raises(ValueError, match="is for two classes; pass the shares of all 3"):
        classifier.predict_proba(X, target_prior=0.1)


@pytest.mark.parametrize("prior", [0.0, 1.0, -1, "much", [0.1], [0.5, -0.5], [np.nan, 1.0]])
def test_what_is_no_prior_is_named(rng, prior):
    X, y = draw(rng, 300, 0.2)
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="target_prior"):
        classifier.predict_proba(X, target_prior=prior)


def test_shares_of_the_classes_are_made_to_sum_to_one():
    np.testing.assert_allclose(check_prior([1, 1, 8], 3), [0.1, 0.1, 0.8])
    np.testing.assert_allclose(check_prior(0.2, 2), [0.8, 0.2])
