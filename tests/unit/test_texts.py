"""Rows that are texts, for a base and a feature map that take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from drr import DRRClassifier, RakingDual


@pytest.fixture
def texts(rng):
    y = np.arange(200) < 30
    words = np.array(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
    shares = np.where(y[:, None], [0.4, 0.2, 0.1, 0.1, 0.1, 0.1], 1 / 6)
    return [" ".join(rng.choice(words, 10, p=each)) for each in shares], y


def make_dual():
    return RakingDual(make_pipeline(TfidfVectorizer(), TruncatedSVD(4, random_state=0)))


def test_texts_go_through_base_and_dual_as_they_are(texts):
    X, y = texts
    base = make_pipeline(TfidfVectorizer(), LogisticRegression())
    model = DRRClassifier(base, dual=make_dual(), random_state=0)
    scores = {
        kind: model.fit(given, y).fused_score(given[:20])
        for kind, given in (("list", X), ("array", np.array(X, dtype=object)), ("series", pd.Series(X)))
    }
    np.testing.assert_array_equal(scores["list"], scores["array"])
    np.testing.assert_array_equal(scores["list"], scores["series"])
    alone = make_dual().fit(X, y)
    np.testing.assert_allclose(model.dual_.score_samples(X), alone.score_samples(X), atol=1e-9)
    assert model.gain_.base_average_precision > 0.3
    assert model.predict_proba(X).shape == (200, 2)


@pytest.mark.parametrize("estimator", [RakingDual(), DRRClassifier()])
def test_the_default_map_says_what_texts_need(texts, estimator):
    with pytest.raises(ValueError, match=r"text per row.*TfidfVectorizer"):
        estimator.fit(*texts)
