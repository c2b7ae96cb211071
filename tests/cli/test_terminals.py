"""Terminals and pipes of every kind: other encodings, control characters in names, closed and full streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas
import pytest

from drr._checks.names import printable

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs /dev/full and POSIX pipes")

HOSTILE = "\x1b]0;title\x07\x1b[31mred\u202e\x9b2J"


def drr(*arguments, **options):
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "drr", *map(str, arguments)]
    return subprocess.run(command, capture_output="stdout" not in options, **options)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("command", ["check", "fit", "fit --help", "--help", "score"])
def test_a_stream_that_cannot_show_every_character_ends_no_command(encoding, command, folder, tmp_path):
    places = {
        "check": ["check", folder / "train.csv", "--target", "fraud", "--drop", "account", "--features", "8"],
        "fit": [
            *("fit", folder / "train.csv", "--target", "fraud", "--drop", "account", "--base", "logistic"),
            *("--features", "8", "-o", tmp_path / "m.skops"),
        ],
        "score": ["score", folder / "model.skops", folder / "test.csv"],
    }
    result = drr(*places.get(command, command.split()), env={**os.environ, "PYTHONIOENCODING": encoding})
    assert result.returncode == 0, result.stderr
    assert "→".encode() not in result.stdout
    if command == "check":
        assert b" -> " in result.stdout


def test_json_stays_whole_in_every_encoding(tmp_path, make_frame):
    make_frame().assign(fraud=np.where(np.arange(400) % 10 == 0, "é→", "no")).to_csv(
        tmp_path / "t.csv", index=False
    )
    arguments = [
        "check",
        tmp_path / "t.csv",
        "--target",
        "fraud",
        "--drop",
        "account",
        "--features",
        "8",
        "--json",
    ]
    result = drr(*arguments, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert json.loads(result.stdout)["positive"] == "é→"


def test_control_characters_in_names_reach_no_terminal(tmp_path, make_frame):
    frame = make_frame().rename(columns={"amount": f"amount{HOSTILE}"})
    frame["country"] = frame["country"].replace({"x": f"x{HOSTILE}"})
    frame["fraud"] = frame["fraud"].replace({"yes": f"yes{HOSTILE}"})
    frame["line"] = np.where(np.arange(400) % 3 == 0, "two\nlines", "one")
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / f"n{HOSTILE.replace('/', '')}.csv").write_text("a\n")
    options = ["--target", "fraud", "--drop", "account", "--features", "8"]
    model = tmp_path / "m.skops"
    for arguments in (
        ["check", tmp_path / "t.csv", *options],
        ["check", tmp_path / "t.csv", *options, "--json"],
        ["fit", tmp_path / "t.csv", *options, "--base", "logistic", "-o", model],
        ["score", model, tmp_path / "t.csv", "-o", tmp_path / "s.csv"],
        ["check", tmp_path / "t.csv", "--target", f"x{HOSTILE}"],
        ["check", tmp_path / f"n{HOSTILE}.csv", "--target", "y", "--traceback"],
        ["fit", tmp_path / "t.csv", f"--x{HOSTILE}"],
    ):
        result = drr(*arguments)
        shown = (result.stdout + result.stderr).decode()
        assert printable(shown, keep="\n") == shown, arguments
        assert shown
        assert "\nlines" not in shown


@pytest.mark.parametrize("command", ["--help", "fit --help", "--version", "check", "score", "fit"])
@pytest.mark.parametrize("state", ["full", "closed"])
def test_output_that_cannot_be_written_is_one_line_and_a_code(command, state, folder, tmp_path):
    places = {
        "check": ["check", folder / "train.csv", "--target", "fraud", "--drop", "account", "--features", "8"],
        "score": ["score", folder / "model.skops", folder / "test.csv"],
        "fit": [
            *("fit", folder / "train.csv", "--target", "fraud", "--drop", "account", "--base", "logistic"),
            *("--features", "8", "-o", tmp_path / "m.skops", "--quiet"),
        ],
    }
    words = " ".join(f"'{word}'" for word in places.get(command, command.split()))
    where = ">/dev/full" if state == "full" else ">&-"
    result = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m drr {words} {where}"], capture_output=True, text=True
    )
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("drr: ")


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.tsv", "s.parquet", "m.skops", "r.html"])
def test_a_full_device_as_output_is_an_error(name, folder, tmp_path, run):
    (tmp_path / name).symlink_to("/dev/full")
    if name == "m.skops":
        fit = ["fit", folder / "train.csv", "--target", "fraud", "--drop", "account", "--base", "logistic"]
        outcome = run(*fit, "--features", 8, "-o", name)
    else:
        outcome = run(
            "report" if name == "r.html" else "score", folder / "model.skops", folder / "test.csv", "-o", name
        )
    assert outcome.code == 1
    assert "no space is left" in outcome.error


def test_an_error_stream_that_cannot_be_written_keeps_the_code(folder):
    for where in ("2>/dev/full", "2>&-"):
        result = subprocess.run(
            ["sh", "-c", f"'{sys.executable}' -m drr check nowhere.csv --target y {where}"]
        )
        assert result.returncode == 1


def test_a_reader_that_leaves_ends_the_command_quietly(folder, tmp_path, make_frame):
    pandas.concat([make_frame(2000, seed=k) for k in range(8)]).to_csv(tmp_path / "long.csv", index=False)
    command = (
        f"'{sys.executable}' -m drr score '{folder / 'model.skops'}' '{tmp_path / 'long.csv'}'; echo $? >&2"
    )
    result = subprocess.run(["sh", "-c", f"({command}) | head -1"], capture_output=True, text=True)
    assert result.stdout.startswith("account,score")
    assert result.stderr == "141\n"


def test_the_time_for_a_wide_header_grows_with_its_columns_not_their_square(run, tmp_path):
    n_columns = 40_000  # with names compared pair by pair, this took minutes
    header = ",".join(f"c{k}" for k in range(n_columns)) + ",y\n"
    row = ",".join(["1.5"] * n_columns)
    (tmp_path / "wide.csv").write_text(header + f"{row},0\n{row},1\n{row},0\n")
    started = time.process_time()
    outcome = run("fit", "wide.csv", "--target", "y", "-o", "m.skops")
    assert time.process_time() - started < 40
    assert outcome.code == 1
    assert "has 1 rows" in outcome.error
    assert "no column 'z'" in run("check", "wide.csv", "--target", "z").error
