"""From raw data to the pages, in an empty folder; and what the tables of the paper's statistics do."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.__main__ import main
from benchmarks.study.publish import DOCS, NOTHING, PAGES
from benchmarks.study.results import Results
from benchmarks.study.store import Store
from benchmarks.study.tables import TABLES
from drr.theory import fusion_deflection

METHODS = ("base", "DRR", "dual", "R&R(D=128)", "R&R(D=0)", "cost-sensitive", "logit adjust", "SMOTE")
METHODS += ("HistGB", "balanced RF", "RUSBoost", "FW-SMOTE", "SMOTE-ENN", "same-map", "base+same-map")
CONFIGURATION = {part: {} for part in ("protocol", "learners", "versions", "data", "methods")}


@pytest.mark.filterwarnings("ignore")
def test_from_raw_data_to_the_pages(study_data, tmp_path, capsys):
    run, out = tmp_path / "run", tmp_path / "published"
    assert main(["check", "--data", str(study_data)]) == 1, (
        "generated sets have other counts than the paper's"
    )
    assert "glass4" in capsys.readouterr().out
    arguments = ["--data", str(study_data), "--out", str(run), "--datasets", "glass4", "flare-f"]
    assert main(["run", *arguments, "--trials", "2", "--learners", "NB", "KLR", "--methods", *METHODS]) == 0
    assert "no cell failed" in capsys.readouterr().out
    (out / "docs").mkdir(parents=True)
    assert main(["publish", "--results", str(run), "--out", str(out)]) == 0
    assert "DRR(D=128) beats base on" in capsys.readouterr().out

    cells = pd.read_csv(run / "cells.csv").query("method == 'DRR(D=128)'")
    mean = cells.groupby("dataset")["ap"].mean().mean()
    page, tables = ((out / "docs" / name).read_text() for name in PAGES)
    assert f"| DRR(D=128): mean AP, beside the paper's over the same sets | {mean:.4f} |" in page
    rows = re.findall(r"^\| DRR\(D=128\) \| 2 \| 2-2 \| ([0-9.]+)", tables, flags=re.MULTILINE)
    assert float(rows[0]) == pytest.approx(mean, abs=5e-4)
    for name in re.findall(r"<!-- figure (\w+);", page):
        is_there = (out / "docs" / "_static" / "study" / f"{name}.png").exists()
        assert is_there or name == "critical_difference", name
    assert (out / "results" / "tabular.csv.gz").stat().st_size < 200_000
    again = tmp_path / "again"
    assert main(["restore", "--out", str(again), "--results", str(out / "results")]) == 0
    assert len(pd.read_csv(again / "cells.csv")) == len(pd.read_csv(run / "cells.csv"))


def test_every_block_of_the_pages_is_known_and_filled():
    for name in PAGES:
        text = (DOCS / name).read_text()
        for table in re.findall(r"<!-- table (\w+)", text):
            assert table in TABLES, table
        assert NOTHING not in text, name


def _results(folder, trials, methods=("base", "DRR(D=128)", "SMOTE"), **extra):
    """Cells with an average precision that tells method and trial."""
    store = Store(folder, CONFIGURATION)
    for rank, method in enumerate(methods):
        for dataset, count in trials[method].items():
            store.append(
                {
                    "dataset": dataset,
                    "trial": trial,
                    "learner": "NB",
                    "method": method,
                    "ap": 0.1 * rank + 0.01 * trial,
                    "auc": 0.5,
                    "extra": {name: values[trial] for name, values in extra.items()},
                }
                for trial in range(count)
            )
    store.close()
    return Results.read(folder)


def test_the_panel_uses_common_trials(tmp_path):
    trials = {
        "base": {"glass4": 30, "led": 30},
        "DRR(D=128)": {"glass4": 30, "led": 30},
        "SMOTE": {"led": 5},
    }
    frame = TABLES["panel"](_results(tmp_path, trials)).set_index("method")
    # SMOTE has nothing on glass4, where the others keep all of their trials; on led all have the first five.
    assert frame.loc["base", "ap"] == pytest.approx((0.145 + 0.02) / 2)
    assert frame.loc["DRR(D=128)", "ap"] == pytest.approx(0.1 + (0.145 + 0.02) / 2)
    assert frame.loc["SMOTE", "ap"] == pytest.approx(0.2 + 0.02)
    assert frame.loc["SMOTE", "data sets"] == 1
    assert frame.loc["base", "trials"] == "5-30"


def test_the_change_of_the_deflection_is_averaged_over_trials(tmp_path):
    moments = {"d1": [1.0, 3.0], "d2": [2.0, 1.0], "rho": [0.1, 0.7], "effective_weight": [0.5, 0.5]}
    moments |= {f"threshold_{name}": values for name, values in moments.items()}
    trials = {name: {"glass4": 2} for name in ("DRR(D=128)", "DRR(D=128,w=0)")}
    results = _results(tmp_path, trials, tuple(trials), **moments)
    row = TABLES["separation"](results).set_index("dataset").loc["glass4"]
    changes = [
        fusion_deflection(d1, d2, rho, 0.5) - d1
        for d1, d2, rho in zip(moments["d1"], moments["d2"], moments["rho"], strict=True)
    ]
    assert row["change"] == pytest.approx(np.mean(changes))
    assert row["change"] != pytest.approx(fusion_deflection(2.0, 1.5, 0.4, 0.5) - 2.0, abs=0.01)


def test_the_imbalance_ratio_is_that_of_the_fit_rows(tmp_path):
    # winequality: 656 rows, 328 to train with 9 rare ones, 229 to fit with 6.
    extra = {"n_majority": [223.0], "floor": [0.08]}
    results = _results(tmp_path, {"dual(D=128)": {"winequality": 1}}, ("dual(D=128)",), **extra)
    frame = TABLES["per_dataset"](results).set_index("dataset")
    assert frame.loc["winequality", "IR"] == pytest.approx(223 / 6)
    assert round(frame.loc["winequality", "IR"]) == frame.loc["winequality", "IR paper"] == 37


def test_headline_compares_with_the_printed_values(tmp_path):
    extra = {"n_majority": [100.0], "floor": [0.3105]}
    results = _results(tmp_path, {"dual(D=128)": {"glass4": 1}}, ("dual(D=128)",), **extra)
    found = TABLES["headline"](results).set_index("value")["ours"]
    assert found["floors at D = 128 within 0.0008 of the printed ones"] == 1
    assert found["largest difference of a floor"] == "+0.0005 (glass4)"


def test_conclusions_that_change_are_named(tmp_path, monkeypatch):
    from benchmarks.study.tables import comparisons

    frame = pd.DataFrame({"method": ["base", "SMOTE"]})
    for metric in comparisons.TUNED:
        frame[metric], frame[f"{metric} paper"] = [0.01, 0.2], [0.02, 0.3]
        frame[f"{metric} mean difference"] = 0.1
    frame.loc[1, "mcc paper"] = 0.001
    monkeypatch.setattr(comparisons, "significance", lambda results: frame)
    trials = {"DRR(D=128)": {"glass4": 2}, "SMOTE": {"glass4": 2}}
    results = _results(tmp_path, trials, ("DRR(D=128)", "SMOTE"))
    changed = TABLES["changed_conclusions"](results)
    assert changed[["metric", "against", "Holm p", "Holm p paper"]].to_numpy().tolist() == [
        ["mcc", "SMOTE", 0.2, 0.001]
    ]


def test_the_schematic_has_the_counts_of_the_paper():
    figures = pytest.importorskip("benchmarks.study.figures")
    _, numbers = figures.FIGURES["mean_contrast"](None)
    assert numbers["found"].tolist() == numbers["paper"].tolist() == [6, 10]


def test_the_published_configuration_names_its_versions():
    configuration = json.loads((DOCS.parent / "benchmarks/study/results/configuration.json").read_text())
    assert configuration["protocol"]["master_seed"] == 20240725
    assert set(configuration["versions"]) >= {"numpy", "scikit-learn", "python"}
