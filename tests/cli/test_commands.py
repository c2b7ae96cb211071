"""What the commands do when all is well."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas
import pytest
from sklearn.metrics import average_precision_score

import drr
from drr.cli import main


def test_scores_are_those_of_the_library(run, folder, make_frame):
    assert run("score", folder / "model.skops", folder / "test.csv", "-o", "scores.csv").code == 0
    scores = pandas.read_csv("scores.csv")
    model = drr.load(folder / "model.skops")
    X = make_frame(200, seed=1)
    np.testing.assert_allclose(scores["score"], model.fused_score(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scores["probability"], model.predict_proba(X)[:, 1], rtol=1e-12)
    assert scores["prediction"].tolist() == model.predict(X).tolist()
    assert scores["account"].tolist() == make_frame(200, seed=1)["account"].tolist()


def test_formats_chunks_and_column_order_do_not_matter(run, folder, monkeypatch, make_frame):
    frame = make_frame(200, seed=1)
    frame.iloc[:, ::-1].to_parquet("test.parquet", index=False)
    frame.assign(is_new=frame["is_new"].map({True: "TRUE", False: "FALSE"})).to_csv(
        "other.csv.gz", index=False
    )
    frame.drop(columns="fraud").to_csv("unlabelled.tsv", sep="\t", index=False)
    monkeypatch.setattr("drr.cli._tables._CHUNK_SIZE", 1)
    monkeypatch.setattr("drr.cli._tables._MIN_ROWS", 7)
    tables = []
    for k, name in enumerate([folder / "test.csv", "test.parquet", "other.csv.gz", "unlabelled.tsv"]):
        output = f"scores{k}.{'parquet' if k % 2 else 'csv.gz'}"
        assert run("score", folder / "model.skops", name, "-o", output).code == 0
        tables.append(pandas.read_parquet(output) if k % 2 else pandas.read_csv(output))
    for other in tables[1:]:
        assert other["account"].astype(str).tolist() == tables[0]["account"].tolist()
        np.testing.assert_allclose(other["score"], tables[0]["score"], rtol=1e-9, atol=1e-9)


def test_scores_can_go_through_a_pipe(run, folder):
    outcome = run("score", folder / "model.skops", folder / "test.csv")
    lines = outcome.output.splitlines()
    assert outcome.code == 0
    assert lines[0] == "account,score,probability,prediction,base_score,dual_score"
    assert len(lines) == 201


def test_identifiers_are_copied_as_they_are_written(run, folder, make_frame):
    frame = make_frame(20, seed=2).assign(account=[f"{k:03d}" for k in range(20)])
    frame.to_csv("test.csv", index=False)
    assert run("score", folder / "model.skops", "test.csv", "-o", "scores.csv").code == 0
    assert pandas.read_csv("scores.csv", dtype=str)["account"].tolist()[:2] == ["000", "001"]
    assert run("score", folder / "model.skops", "test.csv", "--keep-all", "-o", "all.csv").code == 0
    assert list(pandas.read_csv("all.csv").columns)[:6] == list(frame.columns)


@pytest.mark.parametrize("base", ["rf", "hist", "logistic", "own_module:make", "own_module:make_pipeline"])
def test_every_base_takes_categories_and_missing_values(run, base, tmp_path, make_frame):
    (tmp_path / "own_module.py").write_text(
        "from sklearn.compose import make_column_transformer\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "from sklearn.pipeline import make_pipeline as pipe\n"
        "make = GaussianNB\n"
        "def make_pipeline():\n"
        "    return pipe(make_column_transformer(('passthrough', ['amount'])), GaussianNB())\n"
    )
    make_frame(800).to_csv("train.csv", index=False)
    arguments = [
        "--target",
        "fraud",
        "--id",
        "account",
        "--base",
        base,
        "--features",
        "16",
        "-o",
        "model.skops",
    ]
    outcome = run("fit", "train.csv", *arguments, "--json")
    assert outcome.code == 0, outcome.error
    figures = json.loads(outcome.output)
    assert figures["n_rare"] == 80
    assert figures["positive"] == "yes"
    assert figures["fused_average_precision"] > 0.3
    # A level and a missing value that the fit did not see.
    make_frame(50, seed=3).assign(country="elsewhere", amount=np.nan).to_csv("new.csv", index=False)
    outcome = run("score", "model.skops", "new.csv", "-o", "scores.csv")
    if base != "own_module:make_pipeline":  # its author left missing values to chance
        assert outcome.code == 0, outcome.error
        assert pandas.read_csv("scores.csv")["probability"].between(0, 1).all()


def test_a_column_of_scores_is_rescored(run, make_frame):
    frame = make_frame()
    frame["model_score"] = frame["amount"] + np.random.default_rng(5).normal(size=len(frame))
    frame.to_parquet("train.parquet")
    arguments = ["--target", "fraud", "--drop", "account", "--scores", "model_score", "--weight", "auto"]
    outcome = run("fit", "train.parquet", *arguments, "--holdout", "3", "-o", "model.skops", "--json")
    assert outcome.code == 0, outcome.error
    assert run("score", "model.skops", "train.parquet", "-o", "scores.csv").code == 0
    np.testing.assert_allclose(pandas.read_csv("scores.csv")["base_score"], frame["model_score"])
    frame.drop(columns="model_score").to_csv("without.csv", index=False)
    assert "'model_score'" in run("score", "model.skops", "without.csv").error
    assert run("report", "model.skops", "train.parquet", "-o", "report.html").code == 0


@pytest.mark.parametrize(
    ("rule", "recall"),
    [
        ("recall=0.9", 0.9),
        ("top=0.5", None),
        ("cost=1,50", None),
        ("fpr=0.2", None),
        ("probability", None),
        ("0.3", None),
    ],
)
def test_cuts(run, folder, rule, recall):
    arguments = ["--target", "fraud", "--drop", "account", "--base", "logistic", "--threshold", rule]
    outcome = run("fit", folder / "train.csv", *arguments, "-o", "model.skops", "--json")
    assert outcome.code == 0, outcome.error
    rescoring = drr.load("model.skops").rescorings_[0]
    found = rescoring.held_out_fused[rescoring.held_out.positive] > rescoring.cut
    if recall is not None:
        assert found.mean() >= recall
    if rule == "0.3":
        assert rescoring.cut == 0.3


def test_one_of_several_classes_is_set_against_the_rest(run, make_frame):
    frame = make_frame()
    frame["fraud"] = np.where(frame["fraud"] == "yes", 2, np.arange(len(frame)) % 2)
    frame.to_csv("train.csv", index=False)
    arguments = ["--target", "fraud", "--drop", "account", "--base", "logistic", "-o", "model.skops"]
    assert run("fit", "train.csv", *arguments).code == 1
    assert run("fit", "train.csv", *arguments, "--positive", "2").code == 0
    assert run("score", "model.skops", "train.csv", "-o", "scores.csv").code == 0
    assert set(pandas.read_csv("scores.csv")["prediction"]) == {"2", "other"}


def test_declared_codes_are_levels(run, make_frame):
    make_frame().assign(code=np.arange(400) % 3).to_csv("train.csv", index=False)
    arguments = ["--target", "fraud", "--drop", "account", "--categorical", "code", "--base", "logistic"]
    assert run("fit", "train.csv", *arguments, "-o", "model.skops").code == 0
    names = drr.load("model.skops").dual_.moments_.names.tolist()
    assert {"code=0", "code=1", "code=2"} <= set(names)


def test_the_training_table_is_recognised_in_any_order(run, folder):
    frame = pandas.read_csv(folder / "train.csv").iloc[::-1, ::-1]
    frame.to_parquet("reversed.parquet", index=False)
    outcome = run("report", folder / "model.skops", "reversed.parquet", "-o", "report.html", "--json")
    assert json.loads(outcome.output)["held_out_rows_of_the_fit"] is True
    outcome = run("report", folder / "model.skops", folder / "test.csv", "-o", "report.html", "--json")
    assert json.loads(outcome.output)["held_out_rows_of_the_fit"] is False


def test_check_compares_a_forest_with_and_without_the_dual(run, folder, make_frame):
    outcome = run("check", folder / "train.csv", "--target", "fraud", "--drop", "account", "--json")
    values = json.loads(outcome.output)
    assert outcome.code == 0
    assert values["floor_lower_bound"] <= values["floor"] <= values["base_discrepancy"]
    difference = values["fused_average_precision"] - values["base_average_precision"]
    assert values["gain"] == pytest.approx(difference)
    low, high = values["gain_interval"]
    assert low <= values["gain"] <= high
    assert values["verdict"].startswith("Signal" if low > 0 else "No signal")
    frame = make_frame()
    frame["fraud"] = np.random.default_rng(9).permutation(frame["fraud"].to_numpy())
    frame.to_csv("noise.csv", index=False)
    outcome = run("check", "noise.csv", "--target", "fraud", "--drop", "account", "--json")
    assert json.loads(outcome.output)["verdict"].startswith("No signal")


@pytest.mark.parametrize(("n_columns_seen", "verdict"), [(1, "Signal"), (2, "No signal")])
def test_check_asks_what_the_dual_adds_to_the_base(n_columns_seen, verdict):
    """The dual knows both columns: that is signal beside a base that sees one of them, and none beside the best."""
    from drr import DRRClassifier
    from drr.cli.check import compare

    rng = np.random.default_rng(0)
    y = np.arange(1500) < 100
    X = rng.normal(size=(1500, 2)) + 1.5 * y[:, None]
    model = DRRClassifier.from_scores(X[:, :n_columns_seen].sum(axis=1), X, y, random_state=0)
    comparison = compare(model)
    assert comparison.dual_average_precision > 5 * comparison.share
    assert comparison.verdict.startswith(verdict)


def test_output_is_quiet_in_pipes_and_json_is_one_line(run, folder):
    outcome = run("score", folder / "model.skops", folder / "test.csv", "-o", "scores.csv", "--json")
    assert outcome.error == ""
    assert json.loads(outcome.output) == {
        "output": "scores.csv",
        "n_rows": 200,
        "n_predicted": int((pandas.read_csv("scores.csv")["prediction"] == "yes").sum()),
        "notes": [],
    }


def test_bars_are_shown_on_a_terminal(run, folder, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert "test.csv" in run("score", folder / "model.skops", folder / "test.csv", "-o", "scores.csv").error
    assert run("score", folder / "model.skops", folder / "test.csv", "-o", "s.csv", "--quiet").error == ""


def test_help_names_every_command(run):
    outcome = run("--help")
    assert outcome.code == 0
    assert all(
        command in outcome.output for command in ("fit", "score", "report", "check", "demo", "exit codes")
    )
    assert run("--version").output == f"drr {drr.__version__}\n"


def test_the_module_is_the_command_and_shows_the_demonstration():
    started = time.monotonic()
    output = subprocess.run([sys.executable, "-m", "drr"], capture_output=True, check=True, text=True).stdout
    elapsed = time.monotonic() - started
    assert "average precision" in output
    said = re.search(r"fitted in ([\d.]+) s; a dual alone takes ([\d.]+) s", output)
    assert all(0 < float(seconds) < elapsed for seconds in said.groups())
    assert main(["demo", "--json"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interruption_loses_nothing(folder, tmp_path, make_frame):
    frame = make_frame(200_000, seed=4)
    frame.to_csv(tmp_path / "large.csv", index=False)
    (tmp_path / "scores.csv").write_text("what was here before\n")
    command = [
        sys.executable,
        "-m",
        "drr",
        "score",
        str(folder / "model.skops"),
        "large.csv",
        "-o",
        "scores.csv",
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(tmp_path.glob(".*/scores.csv")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert error == "drr: interrupted; nothing was written\n"
    assert (tmp_path / "scores.csv").read_text() == "what was here before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.csv", "scores.csv"]


def test_a_full_disk_loses_nothing(run, folder, monkeypatch, tmp_path):
    (tmp_path / "scores.csv").write_text("what was here before\n")

    def full(*_, **__):
        raise OSError(28, "No space left on device", "scores.csv")

    monkeypatch.setattr("pandas.DataFrame.to_csv", full)
    outcome = run("score", folder / "model.skops", folder / "test.csv", "-o", "scores.csv")
    assert outcome.code == 1
    assert "no space is left on the disk for scores.csv" in outcome.error
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
    assert (tmp_path / "scores.csv").read_text() == "what was here before\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_leaves_ends_the_command(folder):
    command = [sys.executable, "-m", "drr", "score", str(folder / "model.skops"), str(folder / "test.csv")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


@pytest.mark.parametrize(("name", "base"), [("mammography", "logistic"), ("car-good", "hist")])
def test_from_a_public_table_to_a_report(run, data_directory, name, base):
    table = data_directory / "tabular24" / f"{name}.csv.gz"
    with gzip.open(table, "rt") as rows:
        frame = pandas.read_csv(rows)
    frame.iloc[::2].to_csv("train.csv", index=False)
    frame.iloc[1::2].to_csv("test.csv", index=False)
    assert run("check", "train.csv", "--target", "target").code == 0
    outcome = run("fit", "train.csv", "--target", "target", "--base", base, "-o", "model.skops", "--json")
    assert outcome.code == 0, outcome.error
    assert run("score", "model.skops", "test.csv", "-o", "scores.parquet").code == 0
    assert run("report", "model.skops", "test.csv", "-o", "report.html").code == 0
    scores = pandas.read_parquet("scores.parquet")
    y = frame["target"].iloc[1::2]
    assert average_precision_score(y, scores["score"]) > 10 * y.mean()


def test_main_returns_the_codes_of_argparse():
    assert main(["fit"]) == 2


def test_types_of_parquet(run, make_frame):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    frame = make_frame()
    table = pyarrow.table(
        {
            "whole": pyarrow.array(np.arange(400) % 7, mask=np.arange(400) % 9 == 0),
            "decimal": pyarrow.array(frame["amount"].round(2).astype(str)).cast(pyarrow.decimal128(9, 2)),
            "single": pyarrow.array(frame["age"], pyarrow.float32(), from_pandas=True),
            "levels": pyarrow.array(frame["country"], from_pandas=True).dictionary_encode(),
            "day": pyarrow.array(np.arange(400) % 5, pyarrow.int32()).cast(pyarrow.date32()),
            "fraud": pyarrow.array(frame["fraud"] == "yes"),
        }
    )
    parquet.write_table(table, "train.parquet")
    outcome = run("fit", "train.parquet", "--target", "fraud", "--base", "logistic", "-o", "model.skops")
    assert outcome.code == 1
    assert "--drop day" in outcome.error
    arguments = [
        "--target",
        "fraud",
        "--drop",
        "day",
        "--base",
        "logistic",
        "--id",
        "whole",
        "-o",
        "model.skops",
    ]
    assert run("fit", "train.parquet", *arguments).code == 0
    assert run("score", "model.skops", "train.parquet", "-o", "scores.parquet").code == 0
    scores = parquet.read_table("scores.parquet")
    assert scores["whole"].equals(table["whole"])
    assert scores["prediction"].type == pyarrow.bool_()
