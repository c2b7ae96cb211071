"""The laboratory of rules: what it stores was not seen by its models, and its rules are those of the package."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from benchmarks.laboratory import scores as laboratory
from benchmarks.laboratory.compare import DEFAULT, RULES, between, fisher, print_tables, shrunk
from benchmarks.laboratory.scores import rank_columns, store_bases, store_seconds
from benchmarks.tabular import Table
from drr import DRRClassifier, choose_fusion_weight


@pytest.fixture
def fused(rng):
    y = np.arange(400) < 40
    base, dual = rng.normal(size=(2, 400)) + np.outer([1.0, 1.5], y)
    return base, dual, y


def test_halfway_is_the_rule_of_the_package(fused):
    assert between(0.5)(*fused) == pytest.approx(choose_fusion_weight(*fused), rel=1e-12)
    ends = sorted((between(0.0)(*fused), between(1.0)(*fused)))
    assert ends[0] <= between(0.75)(*fused) <= ends[1]


def test_evidence_shrinks_the_weight_of_a_dual_that_hardly_helps(fused, rng):
    base, _, y = fused
    assert shrunk(0.0)(*fused) == pytest.approx(choose_fusion_weight(*fused))
    kept = shrunk(1.0)(*fused) / choose_fusion_weight(*fused)
    noise = base + 0.5 * rng.normal(size=400)
    assert shrunk(1.0)(base, noise, y) <= kept * choose_fusion_weight(base, noise, y)


def test_the_discriminant_weighs_independent_scores_by_their_shifts(rng):
    y = np.arange(40000) < 4000
    base, dual = rng.normal(size=(2, 40000)) + np.outer([1.0, 2.0], y)
    assert fisher(base, dual, y) == pytest.approx(2.0, rel=0.1)


def test_ranks_are_normal_quantiles_of_the_fitted_rows_and_leave_categories_alone(rng):
    table = pd.DataFrame({"a": rng.exponential(size=500), "b": ["x", "y"] * 250})
    ranked = rank_columns(table, ["b"])(table)
    assert ranked["b"].tolist() == table["b"].tolist()
    assert ranked["a"].std() == pytest.approx(1.0, abs=0.05)
    np.testing.assert_array_equal(np.argsort(ranked["a"].clip(-2, 2)[:9]), np.argsort(table["a"][:9]))


def test_the_stored_scores_are_compared_as_the_classifier_would_fuse_them(tmp_path, rng, monkeypatch, capsys):
    y = (np.arange(240) < 40).astype(np.int64)
    table = Table("made", pd.DataFrame(rng.normal(size=(240, 3)) + y[:, None], columns=list("abc")), y, [])
    monkeypatch.setattr(laboratory, "load_table", lambda name, folder: table)
    monkeypatch.setattr(laboratory, "data_directory", lambda: tmp_path)
    monkeypatch.setattr(laboratory, "BASES", ("logistic regression",))
    store_bases(tmp_path, "made", 0)
    store_seconds(tmp_path, "made", 0)
    print_tables(tmp_path, ["made"], [0])
    printed = capsys.readouterr().out
    assert all(f"| {label} |" in printed for label in RULES)

    half = laboratory.load_half("made", 0)
    with np.load(tmp_path / "seconds" / "made-0.npz") as seconds:
        assert np.isfinite(seconds[f"held:{DEFAULT[0]}"]).all()
    learner = laboratory.LEARNERS["logistic regression"]([], half.seed)
    model = DRRClassifier(learner, fusion_weight=0.5, pos_label=1, random_state=half.seed)
    model.fit(half.X, half.y)
    base, ours = model.base_score(half.X_test), model.fused_score(half.X_test)
    gain = average_precision_score(half.y_test, ours) - average_precision_score(half.y_test, base)
    (line,) = [line for line in printed.splitlines() if line.startswith("| ½ |")]
    assert line.split("|")[4].split()[0] == f"{gain:+.4f}"
