"""The benchmark of strong learners: it resumes, and its tables say what its cells hold."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.bases import summary
from benchmarks.bases.cells import ARMS, HEADER, measure
from benchmarks.bases.publish import as_markdown
from benchmarks.bases.store import CELLS, Store, read
from benchmarks.tabular import Table


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = (np.arange(240) < 40).astype(np.int64)
    X = pd.DataFrame(rng.normal(size=(240, 3)) + y[:, None], columns=list("abc"))
    X["colour"] = pd.Series(np.where(rng.random(240) < 0.5, "red", "blue"), dtype=object)
    return Table("made", X, y, ["colour"])


def test_every_arm_of_a_learner_is_measured_on_the_test_half(table):
    ((trial, train, test),) = table.outer_splits(1)
    rows = list(measure(table, trial, train, test, "logistic regression", ARMS))
    assert [row["arm"] for row in rows] == list(ARMS)
    assert all(0 < row["ap"] <= 1 and row["seconds"] > 0 for row in rows)
    assert rows[1]["weight"] == 0.5
    assert rows[2]["holdout"] == "5 folds"


def test_a_stopped_run_goes_on_where_it_was(tmp_path, table):
    row = dict.fromkeys(HEADER) | {
        "dataset": "made",
        "trial": 0,
        "learner": "stack",
        "arm": "alone",
        "ap": 0.5,
    }
    Store(tmp_path).append([row])
    with open(tmp_path / CELLS, "a") as file:
        file.write("made,1,sta")  # a line that a kill cut off
    store = Store(tmp_path)
    assert store.missing("made", 0, "stack") == []
    assert store.missing("made", 1, "stack") == ["alone"]
    assert store.missing("made", 0, "random forest") == list(ARMS)
    store.append([row | {"trial": 1}])
    assert read(tmp_path)["trial"].tolist() == [0, 1]


def test_a_table_counts_once_and_only_where_both_arms_are_there():
    cells = pd.DataFrame(
        [
            ("a", 0, "forest", "alone", 0.2),
            ("a", 1, "forest", "alone", 0.4),
            ("a", 0, "forest", "default", 0.3),
            ("a", 1, "forest", "default", 0.7),
            ("b", 0, "forest", "alone", 0.5),
            ("b", 0, "forest", "default", 0.45),
            ("c", 0, "forest", "alone", 0.9),
        ],
        columns=["dataset", "trial", "learner", "arm", "ap"],
    )
    (row,) = summary.gains(cells).to_dict("records")
    assert row["tables"] == 2
    assert row["gain"] == pytest.approx((0.2 - 0.05) / 2)
    assert (row["wins/losses"], row["worse by > 0.01"], row["largest loss"]) == ("1/1", 1, "-0.050 (b)")
    assert "| forest | 2 |" in as_markdown(summary.gains(cells))


def cells_of(rows):
    return pd.DataFrame(rows, columns=["dataset", "trial", "learner", "arm", "ap"])


def test_models_are_compared_on_the_halves_that_both_have():
    forest = [("a", 0, "random forest", "alone", 0.5), ("a", 0, "random forest", "default", 0.6)]
    hard_half = [("a", 1, "random forest", "alone", 0.1), ("a", 1, "random forest", "default", 0.1)]
    cells = cells_of([*forest, *hard_half, ("a", 0, "stack", "alone", 0.4)])
    rows = {row["model on all rows"]: row for row in summary.against_forest(cells).to_dict("records")}
    assert rows["stack"]["difference"] == pytest.approx(0.6 - 0.4)
    assert rows["random forest"]["difference"] == pytest.approx((0.1 + 0.0) / 2)


def test_ranks_use_the_halves_that_all_models_have():
    rows = []
    for name in "abc":
        rows += [(name, 0, "forest", "alone", 0.5), (name, 0, "forest", "default", 0.6)]
        rows += [(name, 0, "stack", "alone", 0.4), (name, 1, "stack", "alone", 0.9)]
    ranks, _, n_tables = summary.average_ranks(cells_of(rows))
    assert ranks == {"forest + dual": 1.0, "forest": 2.0, "stack": 3.0}
    assert n_tables == 3


def test_halves_that_a_choice_saw_can_be_left_out():
    cells = cells_of([("a", trial, "forest", "alone", 0.5) for trial in range(8)])
    assert summary.unseen(cells)["trial"].tolist() == [1, 3, 5, 6, 7]


def test_gene_tasks_have_a_table_of_their_own():
    rows = [
        ("m:x", trial, "forest", arm, value + trial / 10)
        for trial in (0, 1)
        for arm, value in (("alone", 0.2), ("paper", 0.3), ("default", 0.4))
    ]
    (row,) = summary.arms_by_data_set(cells_of(rows)).to_dict("records")
    assert (row["dataset"], row["learner"], row["halves"]) == ("m:x", "forest", 2)
    assert [row[arm] for arm in ARMS] == pytest.approx([0.25, 0.35, 0.45])


def test_the_cost_is_of_halves_on_which_both_fits_were_timed():
    rows = []
    for trial, alone, default in ((0, 2.0, 3.0), (1, np.nan, 99.0), (2, 1.0, 9.0)):
        rows += [("a", trial, "forest", "alone", alone), ("a", trial, "forest", "default", default)]
    timed = cells_of(rows).rename(columns={"ap": "seconds"}).assign(auc=0.5, brier=0.1)
    (row,) = summary.other_measures(timed).to_dict("records")
    assert row["cost, median"] == pytest.approx((1.5 + 9.0) / 2)
    assert row["cost, in all"] == pytest.approx(12 / 3)
    (row,) = summary.other_measures(timed.assign(seconds=np.nan)).to_dict("records")
    assert np.isnan(row["cost, median"])
    assert np.isnan(row["cost, in all"])
