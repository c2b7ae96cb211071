"""Small tables and a fitted model for the tests of the command line, which mostly runs in this process."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
pytest.importorskip("skops")
pytest.importorskip("pyarrow")

from drr.cli import main  # noqa: E402


class Outcome(NamedTuple):
    code: int
    output: str
    error: str


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder; return its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(each) for each in arguments])
        return Outcome(code, *capsys.readouterr())

    return run


def _make_frame(n_rows: int = 400, seed: int = 0) -> pandas.DataFrame:
    """A rare class told by two numbers and a category; with missing values and an identifier."""
    rng = np.random.default_rng(seed)
    rare = np.arange(n_rows) % 10 == 0
    frame = pandas.DataFrame(
        {
            "account": [f"A{k:05d}" for k in range(n_rows)],
            "amount": rng.normal(size=n_rows) + 1.5 * rare,
            "age": rng.integers(18, 80, n_rows).astype(float),
            "country": np.where(rng.random(n_rows) < 0.2 + 0.5 * rare, "x", rng.choice(["y", "z"], n_rows)),
            "is_new": rng.random(n_rows) < 0.3,
            "fraud": np.where(rare, "yes", "no"),
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n_rows) < 0.05, "country"] = None
    return frame


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """A folder with train.csv, test.csv and model.skops."""
    folder = tmp_path_factory.mktemp("tables")
    _make_frame().to_csv(folder / "train.csv", index=False)
    _make_frame(200, seed=1).to_csv(folder / "test.csv", index=False)
    arguments = [
        "fit",
        str(folder / "train.csv"),
        "--target",
        "fraud",
        "--id",
        "account",
        "--base",
        "logistic",
    ]
    assert main([*arguments, "-o", str(folder / "model.skops"), "--json", "--quiet"]) == 0
    return folder


@pytest.fixture(name="make_frame")
def make_frame_fixture():
    """The function that makes such tables."""
    return _make_frame
