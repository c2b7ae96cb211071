"""Probabilities and cuts that were learned by cross-fitting, on fresh rows of the same kind."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from drr import DRRClassifier, FalsePositiveRateAtMost, RecallAtLeast
from drr.decision import choose_cut

N_SETS, N_ROWS, N_FRESH, SHARE = 20, 1500, 6000, 0.08
BASES = {
    "5 folds": lambda: LogisticRegression(),
    "out of bag": lambda: RandomForestClassifier(60, min_samples_leaf=3, random_state=0),
    "boosted": lambda: GradientBoostingClassifier(n_estimators=40, subsample=0.5, random_state=0),
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


def values_on_fresh_rows(base, seed):
    """The mean probability and the calibration error over the true rate, and how the cuts do."""
    rng = np.random.default_rng(seed)
    X, y = draw(rng, N_ROWS)
    X_fresh, y_fresh = draw(rng, N_FRESH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = DRRClassifier(BASES[base](), threshold=RecallAtLeast(0.9), random_state=seed).fit(X, y)
    assert model.holdout_ == ("out of bag" if base == "out of bag" else "5 folds")
    rescoring, scores = model.rescorings_[0], model.scores(X_fresh)
    cut = choose_cut(rescoring.held_out_fused, rescoring.held_out.positive, FalsePositiveRateAtMost(0.01))
    return {
        "mean": scores.probability.mean() / SHARE,
        "error": calibration_error(scores.probability, y_fresh) / SHARE,
        "recall": scores.label[y_fresh].mean(),
        "false positives": np.mean(scores.fused[~y_fresh] > cut),
    }


@pytest.fixture(scope="module", params=BASES)
def fresh(request):
    values = [values_on_fresh_rows(request.param, seed) for seed in range(N_SETS)]
    return {name: np.mean([each[name] for each in values]) for name in values[0]}


def four_standard_errors(share, n_learned, n_fresh):
    """Of a share found on fresh rows beyond a cut that was learned for it: both samples vary as binomial counts do."""
    return 4 * np.sqrt(share * (1 - share) * (1 / n_learned + 1 / n_fresh) / N_SETS)


RARE, COMMON = SHARE, 1 - SHARE
RECALL_ERROR = four_standard_errors(0.9, RARE * N_ROWS, RARE * N_FRESH)
RATE_ERROR = four_standard_errors(0.01, COMMON * N_ROWS, COMMON * N_FRESH)
BOUNDS = {
    # The ratio of one set varies by 0.037, hence four standard errors of the mean are 0.033.
    "mean": (0.967, 1.033),
    # A sigmoid is not quite the shape of these scores. With the true probabilities ten bins of 600 rows differ from
    # their rates by 0.07 of the rate as it is.
    "error": (0.0, 0.25),
    "recall": (0.9 - RECALL_ERROR, 0.9 + RECALL_ERROR),
    "false positives": (0.01 - RATE_ERROR, 0.01 + RATE_ERROR),
}


@pytest.mark.parametrize("value", BOUNDS)
def test_what_held_out_rows_promised_holds_on_fresh_rows(fresh, value):
    low, high = BOUNDS[value]
    assert low <= fresh[value] <= high, fresh
