"""Everything a newcomer can get wrong: one line that names the cause and the remedy, and a code that is not zero."""

from __future__ import annotations

import gzip
import zipfile

import numpy as np
import pandas
import pytest

FIT = ["--target", "fraud", "--drop", "account", "--base", "logistic", "-o", "new.skops"]
SMALL = "a,y\n1,0\n2,1\n3,0\n4,1\n"

# name: (files to write, arguments, exit code, what the line must name: cause, remedy)
CASES = {
    "no command": ({}, [], 2, ["COMMAND", "--help"]),
    "unknown command": ({}, ["train"], 2, ["'train'", "--help"]),
    "unknown option": ({}, ["fit", "{train}", "--tagret", "y", "-o", "m.skops"], 2, ["--target", "--help"]),
    "no target": ({}, ["fit", "{train}", "-o", "m.skops"], 2, ["--target", "--help"]),
    "no output": ({}, ["fit", "{train}", "--target", "fraud"], 2, ["-o", "--help"]),
    "eta out of range": ({}, ["fit", "{train}", *FIT, "--eta", "1.5"], 2, ["1.5", "above 0 and up to 1"]),
    "weight is no number": ({}, ["fit", "{train}", *FIT, "--weight", "heavy"], 2, ["heavy", "auto"]),
    "negative weight": ({}, ["fit", "{train}", *FIT, "--weight=-1"], 2, ["-1", "at least 0"]),
    "features is no number": (
        {},
        ["fit", "{train}", *FIT, "--features", "many"],
        2,
        ["many", "whole number"],
    ),
    "unknown rule": (
        {},
        ["fit", "{train}", *FIT, "--threshold", "recal=0.9"],
        2,
        ["recal=0.9", "recall=0.9"],
    ),
    "impossible recall": (
        {},
        ["fit", "{train}", *FIT, "--threshold", "recall=9"],
        2,
        ["recall=9", "recall=0.9"],
    ),
    "impossible holdout": ({}, ["fit", "{train}", *FIT, "--holdout", "1"], 2, ["'1'", "folds"]),
    "base and scores": ({}, ["fit", "{train}", *FIT, "--scores", "amount"], 2, ["--scores", "not allowed"]),
    "no such file": ({}, ["fit", "absent.csv", *FIT], 1, ["absent.csv", "check the path"]),
    "a folder": ({}, ["fit", "{folder}/x.csv", *FIT], 1, ["is a folder", "check the path"]),
    "unknown format": ({"t.docx": SMALL}, ["fit", "t.docx", *FIT], 1, ["t.docx", ".csv"]),
    "empty file": ({"t.csv": ""}, ["fit", "t.csv", *FIT], 1, ["empty", "name the columns"]),
    "header only": (
        {"t.csv": "a,fraud\n"},
        ["fit", "t.csv", "--target", "fraud", "-o", "m.skops"],
        1,
        ["no rows"],
    ),
    "not Parquet": ({"t.parquet": SMALL}, ["fit", "t.parquet", *FIT], 1, ["Parquet", "export it again"]),
    "not compressed": ({"t.csv.gz": SMALL}, ["fit", "t.csv.gz", *FIT], 1, ["damaged", "export it again"]),
    "cut short": (
        {"t.csv.gz": gzip.compress(SMALL.encode() * 99)[:-20]},
        ["fit", "t.csv.gz", "--target", "y", "-o", "m.skops"],
        1,
        ["damaged", "export it again"],
    ),
    "ragged rows": (
        {"t.csv": SMALL + "5,0,1\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["line 6", "correct it"],
    ),
    "a name too few": (
        {"t.csv": "a,y\n1,2,0\n3,4,1\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["more fields", "correct it"],
    ),
    "wrong encoding": (
        {"t.csv": "naïve,y\n1,0\n".encode("latin-1")},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["utf-8", "--encoding latin-1"],
    ),
    "unknown encoding": ({}, ["fit", "{train}", *FIT, "--encoding", "utf-99"], 1, ["utf-99", "latin-1"]),
    "wrong separator": (
        {"t.csv": SMALL.replace(",", ":")},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["no column 'y'", "--separator"],
    ),
    "columns of one name": (
        {"t.csv": "a,a,y\n1,2,0\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["'a'", "rename"],
    ),
    "no such target": (
        {},
        ["fit", "{train}", "--target", "Fraud", "-o", "m.skops"],
        1,
        ["'Fraud'", "'fraud'"],
    ),
    "no such column to drop": (
        {},
        ["fit", "{train}", *FIT, "--drop", "acount"],
        1,
        ["'acount'", "--drop", "'account'"],
    ),
    "columns with blanks between them": (
        {},
        ["fit", "{train}", *FIT, "--drop", "age", "is_new"],
        2,
        ["is_new", "--drop a,b"],
    ),
    "no such class": ({}, ["fit", "{train}", *FIT, "--positive", "maybe"], 1, ["maybe", "'yes'"]),
    "one class": (
        {"t.csv": "a,y\n1,0\n2,0\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["two classes"],
    ),
    "target of numbers": (
        {},
        ["fit", "{train}", "--target", "amount", "--drop", "account", "-o", "m.skops"],
        1,
        ["400", "--positive"],
    ),
    "a missing label": (
        {"t.csv": "a,y\n1,0\n2,\n3,1\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["row 2", "--drop-unlabelled"],
    ),
    "too few rare rows": (
        {"t.csv": SMALL[:-4]},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["has 1 rows", "give more rows"],
    ),
    "too few rows to check": (
        {"t.csv": SMALL},
        ["check", "t.csv", "--target", "y"],
        1,
        ["10 are needed", "more rows"],
    ),
    "names among the columns": (
        {},
        ["fit", "{train}", "--target", "fraud", "-o", "m.skops"],
        1,
        ["'account'", "--id account", "--drop account"],
    ),
    "infinite number": (
        {"t.csv": "a,y\n1,0\ninf,1\n3,0\n4,1\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["'a'", "row 2", "correct"],
    ),
    "nothing to learn from": (
        {"t.csv": "y\n1\n0\n"},
        ["fit", "t.csv", "--target", "y", "-o", "m.skops"],
        1,
        ["fewer"],
    ),
    "unknown base": ({}, ["fit", "{train}", *FIT, "--base", "xgbost"], 2, ["'xgbost'", "module:factory"]),
    "no such module": ({}, ["fit", "{train}", *FIT, "--base", "nowhere:make"], 2, ["'nowhere'", "import"]),
    "no such factory": ({}, ["fit", "{train}", *FIT, "--base", "json:make"], 2, ["json", "'make'"]),
    "not a classifier": (
        {},
        ["fit", "{train}", *FIT, "--base", "collections:Counter"],
        2,
        ["Counter", "classifier"],
    ),
    "scores are the target": (
        {},
        ["fit", "{train}", *FIT[:-4], "-o", "m.skops", "--scores", "fraud"],
        2,
        ["the target itself", "name the column"],
    ),
    "missing scores": (
        {},
        ["fit", "{train}", *FIT[:-4], "-o", "m.skops", "--scores", "age"],
        1,
        ["'age'", "every row needs one"],
    ),
    "no folder for the output": (
        {},
        ["fit", "{train}", *FIT[:-1], "no/m.skops"],
        1,
        ["no/m.skops", "create it"],
    ),
    "wrong name for a model": ({}, ["fit", "{train}", *FIT[:-1], "m.pkl"], 2, ["m.pkl", ".skops"]),
    "wrong name for scores": ({}, ["score", "{model}", "{test}", "-o", "s.xlsx"], 2, ["s.xlsx", ".parquet"]),
    "output is a folder": (
        {},
        ["score", "{model}", "{test}", "-o", "{folder}/x.csv"],
        1,
        ["folder", "name a file"],
    ),
    "no such model": ({}, ["score", "m.skops", "{test}"], 1, ["m.skops", "drr fit"]),
    "model is a table": ({}, ["score", "{train}", "{test}"], 1, ["damaged", "fit the model again"]),
    "tables in the wrong order": ({}, ["score", "{test}", "{model}"], 1, ["damaged", "fit the model again"]),
    "columns are missing": (
        {"t.csv": "amount\n1\n"},
        ["score", "{model}", "t.csv"],
        1,
        ["'age'", "its columns are"],
    ),
    "text among numbers": (
        {"t.csv": "amount,age,country,is_new\n1,20,x,True\nlots,30,y,False\n"},
        ["score", "{model}", "t.csv"],
        1,
        ["'amount'", "row 2", "'lots'", "leave the cell empty"],
    ),
    "no rows to score": (
        {"t.csv": "amount,age,country,is_new\n"},
        ["score", "{model}", "t.csv"],
        1,
        ["no rows", "give"],
    ),
    "JSON and scores at once": ({}, ["score", "{model}", "{test}", "--json"], 2, ["--json", "-o"]),
    "no such id": ({}, ["score", "{model}", "{test}", "--id", "number"], 1, ["'number'", "'account'"]),
    "report without labels": (
        {"t.csv": "amount,age,country,is_new\n1,20,x,True\n"},
        ["report", "{model}", "t.csv", "-o", "r.html"],
        1,
        ["'fraud'", "labelled"],
    ),
    "report of one class": (
        {"t.csv": "amount,age,country,is_new,fraud\n1,20,x,True,no\n"},
        ["report", "{model}", "t.csv", "-o", "r.html"],
        1,
        ["both classes", "pass rows"],
    ),
    "report as PDF": ({}, ["report", "{model}", "{test}", "-o", "r.pdf"], 2, ["r.pdf", ".html"]),
    "rows per day is no number": (
        {},
        ["report", "{model}", "{test}", "-o", "r.html", "--rows-per-day", "0"],
        2,
        ["0", "above 0"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_errors_are_one_line_with_cause_and_remedy(name, run, folder, tmp_path):
    files, arguments, code, named = CASES[name]
    (tmp_path / "folder" / "x.csv").mkdir(parents=True)
    for path, content in files.items():
        (tmp_path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    places = {
        "train": folder / "train.csv",
        "test": folder / "test.csv",
        "model": folder / "model.skops",
        "folder": tmp_path / "folder",
    }
    before = sorted(tmp_path.rglob("*"))
    outcome = run(*(argument.format(**places) for argument in arguments))
    assert outcome.code == code, outcome.error
    assert outcome.output == ""
    assert outcome.error.count("\n") == 1, outcome.error
    assert outcome.error.startswith("drr")
    for word in named:
        assert word in outcome.error
    assert sorted(tmp_path.rglob("*")) == before, "something was written"


def test_a_missing_package_comes_with_the_command_that_installs_it(run, folder, monkeypatch):
    for package, arguments in {
        "skops": ["score", folder / "model.skops", folder / "test.csv"],
        "pandas": ["check", folder / "train.csv", "--target", "fraud"],
        "pyarrow": ["check", "t.parquet", "--target", "fraud"],
    }.items():
        with monkeypatch.context() as patch:
            for module in [name for name in __import__("sys").modules if name.partition(".")[0] == package]:
                patch.setitem(__import__("sys").modules, module, None)
            patch.setitem(__import__("sys").modules, package, None)
            (folder / "t.parquet").touch()
            outcome = run(*(folder / each if each == "t.parquet" else each for each in arguments))
        assert outcome.code == 1
        assert outcome.error == (
            f'drr: this command needs {package}: pip install "density-ratio-rescoring[cli]"\n'
        )


def test_defects_are_told_from_mistakes(run, folder, monkeypatch):
    def fail(*_, **__):
        raise KeyError("nobody thought of this")

    monkeypatch.setattr("drr.cli.score.score", fail)
    outcome = run("score", folder / "model.skops", folder / "test.csv")
    assert outcome.code == 3
    assert outcome.error.count("\n") == 1
    assert "--traceback" in outcome.error
    assert "Traceback" in run("score", folder / "model.skops", folder / "test.csv", "--traceback").error


def test_a_newer_model_file_says_how_to_upgrade(run, folder, tmp_path):
    content = (folder / "model.skops").read_bytes()
    (tmp_path / "newer.skops").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "newer.skops") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "newer.skops", "w") as archive:
        for name, member in members.items():
            archive.writestr(
                name, member.replace(b'"format": 1', b'"format": 2') if name == "drr.json" else member
            )
    outcome = run("score", "newer.skops", folder / "test.csv")
    assert outcome.code == 1
    assert "pip install --upgrade" in outcome.error


def test_notes_are_lines_too(run, make_frame):
    make_frame().assign(number=np.arange(400)).to_csv("train.csv", index=False)
    outcome = run("check", "train.csv", "--target", "fraud", "--drop", "account")
    assert outcome.code == 0
    assert outcome.error.startswith("drr: note: column 'number'")
    assert "--id number" in outcome.error
    assert pandas.read_csv("train.csv").shape == (400, 7)


@pytest.mark.parametrize("n_rare", [9, 10])
def test_a_check_needs_ten_rare_rows(n_rare, run, make_frame):
    make_frame(10 * n_rare).to_csv("train.csv", index=False)
    outcome = run("check", "train.csv", "--target", "fraud", "--drop", "account", "--features", "8")
    assert outcome.code == (n_rare < 10)
    assert ("10 are needed to look for signal" in outcome.error) == (n_rare < 10)


@pytest.mark.parametrize("n_rare", [1, 2])
def test_a_fit_needs_two_rare_rows(n_rare, run, make_frame):
    frame = make_frame()
    rare = frame["fraud"] == "yes"
    frame[~rare | (rare.cumsum() <= n_rare)].to_csv("train.csv", index=False)
    outcome = run("fit", "train.csv", *FIT)
    assert outcome.code == (n_rare < 2), outcome.error
    assert ("at least 2 of each are needed" in outcome.error) == (n_rare < 2)
