"""Terminals: streams of every encoding, closed and full ones, and tables whose names are meant for the terminal.

    python -m tools.attack terminal --tables 100

Every table has control characters, text that runs backwards or characters of other scripts in the names of its
columns, its levels, its labels or its file. Every command then runs on a stream of some encoding, full or closed. It
must end with a code that the help lists, say what went wrong in one line, and print no character that a terminal obeys.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import drr.cli
from drr._checks.names import printable

ENCODINGS = ["ascii", "latin-1", "cp1252", "cp437", "utf-8", "utf-16", "shift_jis"]
PIECES = [
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\u202e",
    "\u2028",
    "\x00",
    "\x08",
    "\x7f",
    "\ud83d",
    "é",
    "→",
    "名",
    "😀",
    "\n",
    '"',
    ",",
]
CODES = {0, 1, 2, 130, 141}


def hostile(rng: np.random.Generator, plain: str) -> str:
    """Return a name with pieces that mean something to a terminal; no file holds half a character or a null."""
    pieces = [str(piece) for piece in rng.choice(PIECES, rng.integers(1, 4))]
    return plain + "".join(piece for piece in pieces if piece not in ("\x00", "\ud83d"))


def write_table(folder: Path, rng: np.random.Generator) -> dict[str, str]:
    """Write a small table; return the names that the commands need."""
    n_rows = 120
    rare = np.arange(n_rows) % 6 == 0
    names = {
        "number": hostile(rng, "amount"),
        "level": hostile(rng, "colour"),
        "target": hostile(rng, "fraud"),
    }
    levels = [hostile(rng, "red"), hostile(rng, "blue")]
    labels = [hostile(rng, "no"), hostile(rng, "yes")]
    quoted = lambda cell: '"' + cell.replace('"', '""') + '"'  # noqa: E731
    lines = [",".join(map(quoted, names.values()))]
    for k in range(n_rows):
        cells = [f"{rng.normal() + 2 * rare[k]:.4f}", str(rng.choice(levels)), labels[int(rare[k])]]
        lines.append(",".join(map(quoted, cells)))
    file = "table" + "".join(each for each in hostile(rng, "") if each not in '/\n",') + ".csv"
    (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return names | {"file": str(folder / file)}


@contextlib.contextmanager
def streams(encoding: str, state: str) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Put streams of an encoding in the place of the standard ones; `state` is that of the output."""
    before = sys.stdout, sys.stderr
    output, errors = io.BytesIO(), io.BytesIO()
    target: object = output if state != "full" else open("/dev/full", "wb", buffering=0)  # noqa: SIM115
    sys.stdout = None if state == "closed" else io.TextIOWrapper(target, encoding)  # type: ignore[arg-type,assignment]
    sys.stderr = io.TextIOWrapper(errors, encoding)
    mine = [each for each in (sys.stdout, sys.stderr) if each is not None]
    try:
        yield output, errors
    finally:
        for each in mine:
            with contextlib.suppress(OSError, ValueError):
                each.flush()
            with contextlib.suppress(OSError, ValueError):
                each.detach()  # what was written outlives the stream
        sys.stdout, sys.stderr = before


def judge(code: int, output: str, errors: str, state: str, *, is_json: bool, is_data: bool) -> str:
    """Return what is wrong with the end of a command, or how it ended."""
    lines = [line for line in errors.split("\n") if line and not line.startswith("drr: note:")]
    if code not in CODES:
        return f"FAILED: exit code {code}: {errors[-300:]}"
    if (code == 0) == bool(lines):
        return f"FAILED: exit code {code} with {len(lines)} lines: {errors[-300:]}"
    if len(lines) > 1:
        return f"FAILED: {len(lines)} lines: {errors[-300:]}"
    if state in ("full", "closed") and code == 0:
        return "FAILED: success although nothing could be written"
    shown = errors if is_data else output + errors
    if printable(shown, keep="\n") != shown:
        return f"FAILED: a character that a terminal obeys: {shown!r:.300}"
    if is_json and code == 0:
        json.loads(output)
    return "told in one line" if code else "served"


def commands(names: dict[str, str], folder: Path) -> dict[str, list[str]]:
    """Return every command that prints names."""
    model = os.fspath(folder / "model.skops")
    small = ["--target", names["target"], "--features", "4"]
    fit = ["fit", names["file"], *small, "--base", "logistic", "-o", model]
    return {
        "fit": fit,
        "fit --json": [*fit, "--json"],
        "check": ["check", names["file"], *small],
        "check --json": ["check", names["file"], *small, "--json"],
        "score": ["score", model, names["file"]],
        "score to a file": ["score", model, names["file"], "-o", os.fspath(folder / "scores.csv")],
        "report": ["report", model, names["file"], "-o", os.fspath(folder / "report.html")],
        "no such target": ["check", names["file"], "--target", names["level"] + "x"],
        "no such file": ["check", names["file"] + "x.csv", "--target", "y"],
        "no such option": ["fit", names["file"], "--" + names["level"]],
        "help": ["fit", "--help"],
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack terminal", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for number in range(options.tables):
        rng = np.random.default_rng([options.seed, number])
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            names = write_table(folder, rng)
            for what, command in commands(names, folder).items():
                encoding = str(rng.choice(ENCODINGS))
                state = "open" if what == "fit" else str(rng.choice(["open", "open", "full", "closed"]))
                with streams(encoding, state) as (output, errors):
                    code = int(drr.cli.main(command))
                is_data = what == "score"
                said = output.getvalue().decode("utf-8" if is_data else encoding)
                end = judge(
                    code,
                    said,
                    errors.getvalue().decode(encoding),
                    state,
                    is_json="json" in what,
                    is_data=is_data,
                )
                counts[end.split(":")[0]] += 1
                if end.startswith("FAILED"):
                    print(f"table {number}, {what}, {encoding}, {state}: {end}", flush=True)
    print(f"{sum(counts.values())} commands on {options.tables} tables: {dict(counts)}")
    return int(counts["FAILED"] > 0)
