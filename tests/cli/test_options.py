"""Values of options at the ends of their ranges, and the sentences that count what a command did."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from types import SimpleNamespace

import pytest

from drr.cli import _rules
from drr.cli._bases import make_base
from drr.decision import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        ("weight", "0", 0.0),
        ("weight", "2.5", 2.5),
        ("weight", "auto", "auto"),
        ("weight", "closed_form", "closed_form"),
        ("holdout", "auto", "auto"),
        ("holdout", "0.3", 0.3),
        ("holdout", "2", 2),
        ("share", "1", 1.0),
        ("share", "0.05", 0.05),
        ("count", "0", 0),
        ("positive", "1e-9", 1e-9),
        ("base", "rf", "rf"),
        ("base", "module:factory", "module:factory"),
        ("threshold", "f1", "f1"),
        ("threshold", "probability", None),
        ("threshold", "-1.5", -1.5),
        ("threshold", "cost=1,50", CostMatrix(false_positive=1, false_negative=50)),
        ("threshold", "top=7", TopK(7)),
        ("threshold", "top=0.1", TopK(0.1)),
        ("threshold", "recall=0.9", RecallAtLeast(0.9)),
        ("threshold", "precision=0.5", PrecisionAtLeast(0.5)),
        ("threshold", "fpr=0.01", FalsePositiveRateAtMost(0.01)),
    ],
)
def test_values_that_are_taken(parse, text, value):
    found = getattr(_rules, parse)(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("parse", "texts"),
    [
        ("weight", ["-0.1", "inf", "nan", "best"]),
        ("holdout", ["0", "0.0", "1", "1.0", "1.5", "-2", "some"]),
        ("share", ["0", "-0.1", "1.01", "nan", "all"]),
        ("count", ["-1", "1.5", "many"]),
        ("positive", ["0", "-1", "inf", "nan", "big"]),
        ("base", ["forest", ""]),
        ("threshold", ["f1=3", "best", "top=0", "recall=1.5", "cost=1", "fpr=x", "recall"]),
    ],
)
def test_values_that_are_not_taken(parse, texts):
    for text in texts:
        with pytest.raises(argparse.ArgumentTypeError):
            getattr(_rules, parse)(text)


def test_the_rows_predicted_are_counted_in_the_output(run, folder):
    outcome = run("score", folder / "model.skops", folder / "test.csv", "-o", "scores.csv")
    with open("scores.csv", newline="") as file:
        predicted = [row["prediction"] for row in csv.DictReader(file)]
    n_rare = predicted.count("yes")
    assert 0 < n_rare < len(predicted)
    said = re.search(r"(\d+) rows scored, (\d+) \((.*?)%\) predicted 'yes'", outcome.output)
    assert said is not None
    assert (int(said[1]), int(said[2])) == (len(predicted), n_rare)
    assert float(said[3]) == pytest.approx(100 * n_rare / len(predicted), abs=0.006)


def test_boosted_trees_of_another_package_get_seed_and_jobs_by_its_names(monkeypatch):
    package = SimpleNamespace(CatBoostClassifier=lambda **settings: SimpleNamespace(settings=settings))
    monkeypatch.setitem(sys.modules, "catboost", package)
    for n_jobs, jobs in ((None, {}), (3, {"thread_count": 3})):
        classifier = make_base("catboost", {"a": "number"}, 7, n_jobs).steps[-1][1]
        assert classifier.settings == {"verbose": 0, "allow_writing_files": False, "random_seed": 7, **jobs}
