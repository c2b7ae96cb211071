"""Arguments are checked once on the way to a solver, and no pass is made for what a solver knew."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import drr
from drr.features import columns
from drr.raking import problem as door


def calls_in(function, *arguments, **options) -> Counter[str]:
    """How often each Python function of the package is called."""
    calls: Counter[str] = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("drr."):
            calls[frame.f_code.co_name] += 1

    function(*arguments, **options)  # imports and caches are not counted
    sys.setprofile(count)
    try:
        function(*arguments, **options)
    finally:
        sys.setprofile(None)
    return calls


def test_raking_an_array_takes_few_calls():
    rng = np.random.default_rng(0)
    features, target = rng.normal(size=(200, 3)), np.full(3, 0.2)
    calls = calls_in(drr.rake, features, target)
    assert sum(calls.values()) <= 35, calls
    for name in (
        "check_features",
        "check_target",
        "check_base_weights",
        "resolve_n_threads",
        "make_callback",
    ):
        assert calls[name] == 1, name


def test_a_fitted_dual_makes_no_pass_for_means_that_the_solver_had(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(300) < 30
    X = rng.normal(size=(300, 3)) + y[:, None]
    summed = []
    original = door.core.survey_block

    class Spy:
        def __getattr__(self, name):
            return getattr(door_core, name)

        def survey_block(self, rows, *rest):
            summed.append(rows.shape[0])
            return original(rows, *rest)

    door_core = door.core
    monkeypatch.setattr(door, "core", Spy())
    drr.RakingDual(random_state=0).fit(X, y)
    assert summed == [30]  # the target, from the rare rows


@pytest.mark.parametrize("n_labels", [2, 3])
def test_duals_of_more_folds_read_the_frame_no_more_often(monkeypatch, n_labels):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    X["c"] = rng.choice(["x", "y", "z"], size=300)
    y = np.arange(300) % 5 % n_labels
    reads = Counter()

    def count(name):
        original = getattr(columns.PandasColumns, name)

        def counted(self, *arguments):
            reads[name] += 1
            return original(self, *arguments)

        monkeypatch.setattr(columns.PandasColumns, name, counted)

    count("factorize")
    count("_numeric_rows")
    base = make_pipeline(make_column_transformer(("passthrough", ["a", "b"])), LogisticRegression())
    drr.DRRClassifier(base, holdout=3, calibration=None, random_state=0).fit(X, y)
    few = reads.copy()
    drr.DRRClassifier(base, holdout=8, calibration=None, random_state=0).fit(X, y)
    assert reads == few + few
    assert few["factorize"] <= 2
    assert few["_numeric_rows"] <= 4


@pytest.mark.parametrize("holdout", [0.3, 4])
def test_a_fit_looks_once_for_numbers_that_are_not_finite(monkeypatch, holdout):
    rng = np.random.default_rng(0)
    y = np.arange(300) < 60
    X = rng.normal(size=(300, 3)) + y[:, None]
    seen = []
    original = columns.check_finite
    monkeypatch.setattr(
        columns,
        "check_finite",
        lambda block, *rest, **options: seen.append(block.shape[0]) or original(block, *rest, **options),
    )
    drr.RakingDual(random_state=0).fit(X, y)
    assert sum(seen) == len(X)
    seen.clear()
    model = drr.DRRClassifier(LogisticRegression(), holdout=holdout, random_state=0).fit(X, y)
    assert sum(seen) == len(X)
    seen.clear()
    model.scores(X)
    assert sum(seen) == len(X)
