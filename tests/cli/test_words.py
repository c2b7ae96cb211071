"""What `drr fit` says of a model: what the cut flags, and what speaks against it."""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest

from drr.cli._words import Flagged

FIT = ["--target", "fraud", "--id", "account", "--base", "logistic", "--features", "8", "-o", "model.skops"]


def test_the_rows_at_the_cut_are_counted():
    score, positive = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, False])
    assert Flagged.at_cut(score, positive, 0.5) == Flagged(4, 3, 2 / 3, 1.0)
    assert Flagged.at_cut(score, positive, 2.5).text.startswith("1 of 4 held-out rows; 100% of them are rare")
    assert Flagged.at_cut(score, positive, 1.0) == Flagged(4, 2, 0.5, 0.5), "a row at the cut is not above it"
    assert "lower the cut" in Flagged.at_cut(score, positive, 9.0).text


def test_a_fit_says_what_its_cut_flags_and_what_its_words_mean(run, folder):
    outcome = run("fit", folder / "train.csv", *FIT)
    assert outcome.code == 0
    assert outcome.error == "", "nothing speaks against this model"
    for words in ("flagged  ", "(precision)", "(recall)", "floor: how near", "nats: how far"):
        assert words in outcome.output
    result = json.loads(run("fit", folder / "train.csv", *FIT, "--json").output)
    assert 0 < result["precision"] <= 1
    assert 0 < result["recall"] <= 1


def test_the_common_class_as_the_rare_one_is_doubted(run, folder):
    outcome = run("fit", folder / "train.csv", *FIT, "--positive", "no")
    assert outcome.code == 0
    assert "class 'no' has 90% of the rows and is not the rare one" in outcome.error


def test_a_loss_is_said_at_the_fit(run, folder, monkeypatch):
    from drr.fusion.gain import GainInterval

    monkeypatch.setattr(GainInterval, "is_loss", property(lambda gain: True))
    monkeypatch.setattr(GainInterval, "has_interval", property(lambda gain: True))
    outcome = run("fit", folder / "train.csv", *FIT)
    assert outcome.code == 0
    assert "lowers the average precision on held-out rows" in outcome.error
    assert "--weight 0" in outcome.error


@pytest.mark.parametrize("base", ["xgboost", "lightgbm", "catboost"])
def test_boosted_trees_of_other_packages_are_bases_if_installed(run, folder, base):
    arguments = ["fit", folder / "train.csv", *FIT, "--base", base, "--quiet"]
    outcome = run(*arguments)
    if importlib.util.find_spec(base) is None:
        assert outcome.code == 2
        assert f"pip install {base}" in outcome.error
    else:
        assert outcome.code == 0, outcome.error
        scored = run("score", "model.skops", folder / "test.csv", "-o", "s.csv", "--trust", base)
        assert scored.code == 0, scored.error


def test_scoring_notes_new_levels_and_absent_ids(run, folder, make_frame):
    make_frame(50, seed=3).drop(columns="account").assign(country="elsewhere").to_csv("new.csv", index=False)
    outcome = run("score", folder / "model.skops", "new.csv", "-o", "scores.csv")
    assert outcome.code == 0, outcome.error
    assert "no value of column 'country' was seen at the fit" in outcome.error
    assert "has no column 'account', which `drr fit` was to keep" in outcome.error
    assert run("score", folder / "model.skops", folder / "test.csv", "-o", "scores.csv").error == ""
