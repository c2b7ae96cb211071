"""Probabilities and cuts that were learned by cross-fitting, on fresh rows of the same kind."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from drr import DRRClassifier, FalsePositiveRateAtMost, RecallAtLeast
from drr.decision import choose_cut

N_SETS, SHARE = 6, 0.08
BASES = {
    "5 folds": lambda: LogisticRegression(),
    "out of bag": lambda: RandomForestClassifier(60, min_samples_leaf=3, random_state=0),
}


def draw(rng, n_rows):
    """Rows of a curved class boundary, with the same share of the rare class in every draw."""
    y = np.arange(n_rows) < SHARE * n_rows
    X = rng.normal(size=(n_rows, 4)) + np.outer(y, [1.0, 0.7, 0.4, 0.0])
    X[:, 3] *= np.where(y, 1.8, 1.0)
    return X, y


def calibration_error(probability, y, n_bins=10):
    """The mean distance of the mean probability from the rate, over bins of equally many rows."""
    bins = np.array_split(np.argsort(probability, kind="stable"), n_bins)
    return np.mean([abs(probability[rows].mean() - y[rows].mean()) for rows in bins])


@pytest.fixture(scope="module", params=BASES)
def fresh(request):
    """Of every set: the mean probability and the calibration error over the true rate, and how the cuts do."""
    values = []
    for seed in range(N_SETS):
        rng = np.random.default_rng(seed)
        X, y = draw(rng, 1500)
        X_fresh, y_fresh = draw(rng, 6000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = DRRClassifier(BASES[request.param](), random_state=seed).fit(X, y)
        assert model.holdout_ == request.param
        rescoring, scores = model.rescorings_[0], model.scores(X_fresh)
        learned = rescoring.held_out_fused, rescoring.held_out.positive
        recall_cut = choose_cut(*learned, RecallAtLeast(0.9))
        rate_cut = choose_cut(*learned, FalsePositiveRateAtMost(0.01))
        values.append(
            {
                "mean": scores.probability.mean() / SHARE,
                "error": calibration_error(scores.probability, y_fresh) / SHARE,
                "recall": np.mean(scores.fused[y_fresh] > recall_cut),
                "false positives": np.mean(scores.fused[~y_fresh] > rate_cut),
            }
        )
    return {name: np.mean([each[name] for each in values]) for name in values[0]}


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("mean", 0.95, 1.05),
        ("error", 0.0, 0.25),
        ("recall", 0.86, 0.94),
        ("false positives", 0.006, 0.014),
    ],
)
def test_what_held_out_rows_promised_holds_on_fresh_rows(fresh, value, low, high):
    assert low <= fresh[value] <= high, fresh
