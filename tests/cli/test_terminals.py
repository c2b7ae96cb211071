"""Terminals and pipes of every kind: other encodings, control characters in names, closed and full streams."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LogisticRegression

from drr import DRRClassifier
from drr._checks.names import printable
from drr._native.tasks import watched_by
from drr.cli._terminal import FitBar

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


@pytest.mark.parametrize("arguments", ["score --help", "report --help", "check --help", "demo"])
def test_every_help_and_the_demonstration_end_well_where_only_ascii_is_shown(arguments):
    result = drr(*arguments.split(), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()
    assert (b"usage: drr" in result.stdout) == arguments.endswith("--help")


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


@pytest.mark.parametrize("command", ["score", "report", "fit"])
def test_a_device_without_the_ending_of_a_format_is_refused(command, folder, run):
    places = {
        "score": [folder / "model.skops", folder / "test.csv"],
        "report": [folder / "model.skops", folder / "test.csv"],
        "fit": [folder / "train.csv", "--target", "fraud", "--drop", "account"],
    }
    outcome = run(command, *places[command], "-o", "/dev/full")
    assert (outcome.code, outcome.output) == (2, "")
    assert outcome.error.startswith("drr: -o /dev/full: the name must end in .")
    assert outcome.error.count("\n") == 1


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


@pytest.fixture
def shown(folder, tmp_path):
    """Run a command with a terminal as its error stream; return what the terminal got, line by line."""
    import pty
    import termios

    def run(*arguments, size=(24, 100)):
        reader, terminal = pty.openpty()
        termios.tcsetwinsize(terminal, size)
        command = [sys.executable, "-m", "drr", *map(str, arguments)]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            cwd=tmp_path,
        )
        os.close(terminal)
        got = b""
        while True:
            try:
                part = os.read(reader, 4096)
            except OSError:  # how Linux says that the other end is closed
                part = b""
            if not part:
                break
            got += part
        os.close(reader)
        assert process.wait() == 0, got
        return [line.strip() for line in re.split(r"[\r\n]+", got.decode()) if line.strip()]

    return run


@pytest.mark.parametrize("base", ["logistic", "rf"])
def test_a_fit_shows_its_folds_on_a_terminal(base, shown, folder):
    lines = shown(
        "fit", folder / "train.csv", "--target", "fraud", "--id", "account", "--base", base, "-o", "m.skops"
    )
    text = "\n".join(lines)
    n_fits = 7 if base == "logistic" else 8
    done = [int(count) for count in re.findall(rf"(\d)/{n_fits} \[", text)]
    assert done == sorted(done)
    assert len(set(done)) > 2, text
    assert re.search(r"fold \d of 5", text)
    assert "measuring the gain" in text


def test_a_terminal_that_does_not_say_its_width_shows_bars_too(shown, folder):
    lines = shown("score", folder / "model.skops", folder / "test.csv", "-o", "s.csv", size=(0, 0))
    assert any(line.startswith("test.csv:") and "%|" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_passes_are_counted_beside_the_bar():
    tqdm = pytest.importorskip("tqdm").tqdm
    stream = io.StringIO()
    y = np.arange(300) < 30
    X = np.random.default_rng(0).normal(size=(300, 3)) + y[:, None]
    with tqdm(file=stream, mininterval=0, desc="fitting", ncols=100) as shown:
        bar = FitBar(shown, "fitting")
        passed = bar.passed

        def show(values):
            passed(values)
            shown.refresh()

        bar.passed = show
        with watched_by(bar):
            DRRClassifier(LogisticRegression(), holdout=2, random_state=0).fit(X, y)
    lines = stream.getvalue().split("\r")
    for fold in ("fold 1 of 2", "fold 2 of 2", "duals of all rows"):
        counts = [int(each) for line in lines if fold in line for each in re.findall(r"pass (\d+)", line)]
        assert counts == list(range(1, len(counts) + 1))
        assert len(counts) > 2
    assert "4/4" in lines[-2] or "4/4" in lines[-1]


def test_scoring_shows_the_bytes_on_a_terminal(shown, folder, tmp_path, make_frame):
    pandas.concat([make_frame(2000, seed=k) for k in range(75)]).to_csv(tmp_path / "long.csv", index=False)
    text = "\n".join(shown("score", folder / "model.skops", "long.csv", "-o", "s.csv"))
    assert len({int(share) for share in re.findall(r"(\d+)%\|", text)} - {0, 100}) >= 1, text


def test_a_pipe_gets_no_progress(folder, tmp_path):
    fit = ["fit", folder / "train.csv", "--target", "fraud", "--id", "account", "--base", "logistic"]
    assert drr(*fit, "-o", tmp_path / "m.skops").stderr == b""


class Drawn:
    """Takes down what a bar is told to show behind it, and whether it is drawn at once."""

    def __init__(self):
        self.behind = []

    def set_postfix_str(self, text, refresh):
        self.behind.append((text, refresh))

    def set_description_str(self, *_, **__):
        pass

    update = refresh = set_description_str


def test_every_fit_is_drawn_at_once_and_what_runs_inside_is_named_behind_it():
    drawn = Drawn()
    bar = FitBar(drawn, "fitting")
    with bar.task("all", 2, None), bar.task("fold 1 of 2", None, None), bar.task("RakingDual", None, None):
        pass
    assert drawn.behind == [("", False), ("", True), ("RakingDual", False), ("", False)]
