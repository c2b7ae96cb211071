"""A fit that does not end leaves an estimator that says it is not fitted, not a mixture of two fits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import drr


def data():
    rng = np.random.default_rng(0)
    y = np.arange(200) < 40
    return rng.normal(size=(200, 3)) + y[:, None], y.astype(int)


ESTIMATORS = {
    "map": (
        lambda: drr.RakingFeatureMap(8, random_state=0),
        "transform",
        "drr.features.feature_map.draw_waves",
    ),
    "dual": (
        lambda: drr.RakingDual(random_state=0),
        "score_samples",
        "drr.raking.estimator.rake_dual",
    ),
    "classifier": (
        lambda: drr.DRRClassifier(LogisticRegression(), random_state=0),
        "fused_score",
        "drr.composition.fitting.fit_rescoring",
    ),
}


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupted_fit_leaves_no_model(name, refit, monkeypatch):
    make, score, place = ESTIMATORS[name]
    X, y = data()
    estimator, expected = make(), getattr(make().fit(X, y), score)(X)
    if refit:
        estimator.fit(X, y)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(place, interrupt)
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X, y)
    with pytest.raises(NotFittedError):
        getattr(estimator, score)(X)
    np.testing.assert_array_equal(getattr(estimator.fit(X, y), score)(X), expected)
