"""What the committed results say about the paper's values; the pages quote these."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.study.publish import RESULTS
from benchmarks.study.results import Results, paper_means
from benchmarks.study.tables.headline import ROUNDING, floor_differences, gain_differences
from benchmarks.study.task import perform, plan

FULL = ("base", "DRR(D=128)", "DRR(D=0)", "dual(D=128)", "dual(D=0)", "R&R(D=128)", "cost-sensitive")
FULL += ("logit adjust", "HistGB", "balanced RF", "RUSBoost")


@pytest.fixture(scope="module")
def results() -> Results:
    return Results.read(RESULTS)


def test_floors_are_the_printed_ones(results):
    differences = floor_differences(results)
    assert len(differences) == 21
    assert np.abs(differences).max() <= ROUNDING


@pytest.mark.parametrize(
    ("method", "mean", "largest"),
    [
        ("DRR(D=128)", 0.0022, 0.008),
        ("DRR(D=128,w=0)", 0.0022, 0.008),
        ("cost-sensitive", 0.0022, 0.008),
        ("HistGB", 0.0022, 0.013),
        ("R&R(D=128)", 0.01, 0.03),
    ],
)
def test_average_precision_is_near_the_printed_one_on_every_set(results, method, mean, largest):
    ours = results.means(method, "ap")
    distance = np.abs(ours - paper_means(method)[ours.index])
    assert len(distance) == 21
    assert distance.mean() <= mean
    assert distance.max() <= largest


@pytest.mark.parametrize("method", FULL)
def test_trials_are_complete(results, method):
    counts = results.trials(method, "ap").groupby("dataset").count()
    assert counts.drop("isolet").eq(30).all()
    assert counts["isolet"] == 5


def test_gains_are_the_printed_ones(results):
    gains = gain_differences(results)
    assert len(gains) == 21
    assert np.abs(gains).max() <= 0.002
    assert np.abs(gains).mean() <= ROUNDING


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dataset", ["glass4", "led", "flare-f"])
def test_the_code_gives_the_committed_cells(results, data_directory, dataset):
    methods = ("base", "DRR", "dual", "R&R(D=128)", "cost-sensitive", "SMOTE")
    (task,) = plan({dataset: range(1)}, methods, ("NB", "KLR", "RF"), set())
    for row in (row for rows in perform(task, data_directory) for row in rows):
        cells = results.of(row["method"]).query("dataset == @dataset and trial == 0")
        kept = cells[cells["learner"] == row["learner"]]
        assert kept["ap"].item() == pytest.approx(row["ap"], abs=1e-6), (row["learner"], row["method"])


def test_drr_beats_its_base_everywhere(results):
    assert (results.differences("DRR(D=128)", "base") > 0).all()
