"""The runner: killed and continued, refused under another configuration."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.publish import compress, restore
from benchmarks.study.store import HEADER, Cell, OtherConfigurationError, Store, read_results

CONFIGURATION = {
    "protocol": {"seed": 1},
    "learners": {},
    "versions": {},
    "data": {"a": "x"},
    "methods": {"base": {}},
}
METHODS = ("base", "DRR", "dual")
N_TRIALS = 5
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _command(study_data, out, *more):
    choice = ["--datasets", "glass4", "--learners", "NB", "--methods", *METHODS, "--trials", str(N_TRIALS)]
    command = [sys.executable, "-m", "benchmarks.study", "run", "--data", str(study_data), "--out", str(out)]
    return [*command, *choice, *more]


def _expected_cells():
    from benchmarks.study.learners import STANDALONE
    from benchmarks.study.methods import METHODS as REGISTRY

    return {
        Cell("glass4", trial, STANDALONE if name == "dual" else "NB", arm)
        for trial in range(N_TRIALS)
        for name in METHODS
        for arm in REGISTRY[name].arms()
    }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is POSIX")
def test_killed_and_continued_without_a_lost_or_double_cell(study_data, tmp_path):
    path = tmp_path / "cells.csv"
    process = subprocess.Popen(
        _command(study_data, tmp_path), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 900  # generous: the machine may be busy
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") > 8:
            break
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    survived = path.read_bytes()
    assert 8 < survived.count(b"\n") <= len(_expected_cells())
    with path.open("ab") as file:  # what a kill in the middle of a write leaves
        file.write(b"glass4,3,NB,DRR(D=128),0.5,0")
    result = subprocess.run(
        _command(study_data, tmp_path, "--jobs", "2"), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "no cell failed" in result.stdout
    assert path.read_bytes().startswith(survived[: survived.rfind(b"\n") + 1])  # what was there is untouched
    rows = pd.read_csv(path)
    keys = [Cell(*row) for row in rows[list(Cell._fields)].itertuples(index=False)]
    assert len(keys) == len(set(keys))
    assert set(keys) == _expected_cells()
    assert rows["ap"].notna().all()


def test_rows_do_not_depend_on_where_a_run_was_interrupted(study_data, tmp_path):
    from benchmarks.study.task import perform, plan

    whole = plan({"glass4": range(1)}, METHODS, ("NB",), set())
    first = [row for rows in perform(whole[0], study_data) for row in rows]
    done = {Cell(row["dataset"], row["trial"], row["learner"], row["method"]) for row in first[::2]}
    rest = plan({"glass4": range(1)}, METHODS, ("NB",), done)
    second = [row for rows in perform(rest[0], study_data) for row in rows]
    expected = {row["method"]: row["ap"] for row in first[1::2]}
    assert {row["method"]: row["ap"] for row in second} == expected


def test_another_configuration_is_refused(tmp_path):
    Store(tmp_path, CONFIGURATION).close()
    Store(tmp_path, CONFIGURATION | {"data": {"b": "y"}, "methods": {"SMOTE": {"k": "5"}}}).close()
    kept = json.loads((tmp_path / "configuration.json").read_text())
    assert kept["data"] == {"a": "x", "b": "y"}
    for change in (
        {"protocol": {"seed": 2}},
        {"versions": {"numpy": "1"}},
        {"data": {"a": "other file"}},
        {"methods": {"SMOTE": {"k": "3"}}},
    ):
        with pytest.raises(OtherConfigurationError, match=next(iter(change))):
            Store(tmp_path, CONFIGURATION | change)


def test_two_writers_are_refused(tmp_path):
    pytest.importorskip("fcntl", reason="no advisory locks here")
    store = Store(tmp_path, CONFIGURATION)
    with pytest.raises(RuntimeError, match="another run"):
        Store(tmp_path, CONFIGURATION)
    store.close()


def test_results_survive_compression(tmp_path):
    store = Store(tmp_path / "run", CONFIGURATION)
    rows = [
        {
            "dataset": name,
            "trial": trial,
            "learner": "NB",
            "method": "base",
            "ap": 1 / 3,
            "extra": {"floor": 0.1},
        }
        for name in ("glass4", "Baron_H1:alpha")
        for trial in range(3)
    ]
    store.append(rows)
    store.append(rows)  # again: nothing is added
    store.append(
        [{"dataset": "oil", "trial": 0, "learner": "-", "method": "dual", "error": 'ValueError: a, "b"'}]
    )
    store.close()
    files = compress(tmp_path / "run", tmp_path / "kept")
    assert sorted(path.name for path in files) == ["genes.csv.gz", "tabular.csv.gz"]
    before, after = read_results(tmp_path / "run"), read_results(tmp_path / "kept")
    assert list(after.columns) == list(HEADER)
    assert len(before) == len(after) == 7
    assert np.allclose(after["ap"].dropna(), 1 / 3, atol=1e-7)
    assert restore(tmp_path / "kept", tmp_path / "again") == 7
    continued = Store(tmp_path / "again", CONFIGURATION)
    assert Cell("glass4", 2, "NB", "base") in continued.done
    assert len(continued.done) == 7
    continued.close()


def test_bad_arguments_say_what_to_do(study_data, tmp_path, capsys):
    from benchmarks.study.__main__ import main

    assert main(["run", "--data", str(study_data), "--out", str(tmp_path), "--datasets", "cam"]) == 2
    assert "not in" in capsys.readouterr().err
    assert main(["run", "--data", str(study_data), "--out", str(tmp_path), "--trials", "many"]) == 2
    assert "--trials takes numbers" in capsys.readouterr().err
