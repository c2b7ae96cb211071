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
    rows = list(measure(table, trial, train, test, "logistic regression"))
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
    assert store.has("made", 0, "stack")
    assert not store.has("made", 1, "stack")
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
