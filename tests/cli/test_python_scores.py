"""A model of `drr fit` in Python: the frame of any reader gives, bit for bit, what `drr score` writes."""

from __future__ import annotations

import decimal

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.inspection import permutation_importance

import drr
import drr.cli

# Columns of every kind, each with what makes readers differ: missing cells, codes, truth values, texts among numbers.
CELLS = {
    "amount": lambda rng, k: f"{rng.normal():.6f}" if k % 7 else "",
    "count": lambda rng, k: str(rng.integers(0, 50)),
    "sum": lambda rng, k: str(rng.integers(0, 50)) if k % 5 else "",
    "country": lambda rng, k: rng.choice(["x", "y", "z"]) if k % 6 else "",
    "grade": lambda rng, k: rng.choice(["A", "B", "NA"]),
    "code": lambda rng, k: str(rng.choice([1, 2, 30])),
    "gap_code": lambda rng, k: str(rng.choice([1, 2, 30])) if k % 4 else "",
    "postcode": lambda rng, k: rng.choice(["01557", "10115", "00501"]),
    "is_new": lambda rng, k: rng.choice(["True", "False"]),
    "is_known": lambda rng, k: rng.choice(["true", "false"]) if k % 5 else "",
    "age": lambda rng, k: "unknown" if k % 40 == 3 else f"{rng.normal():.3f}",
    "booked": lambda rng, k: f"2024-0{rng.integers(1, 9)}-1{rng.integers(0, 9)}",
    "empty": lambda rng, k: "",
}


def write_table(path, n_rows, seed):
    rng = np.random.default_rng(seed)
    rows = ["id," + ",".join(CELLS) + ",fraud"]
    for k in range(n_rows):
        rare = k % 8 == 0
        cells = [make(rng, k) for make in CELLS.values()]
        if rare and cells[0]:
            cells[0] = f"{float(cells[0]) + 2:.6f}"
        rows.append(",".join([f"{k:04d}", *cells, str(int(rare))]))
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture(scope="module", params=["rf", "hist", "logistic"])
def scored(request, tmp_path_factory):
    """A folder with train.csv, test.csv, a model and what the command line makes of test.csv."""
    folder = tmp_path_factory.mktemp("scored")
    write_table(folder / "train.csv", 320, 0)
    write_table(folder / "test.csv", 200, 1)
    options = ["--target", "fraud", "--id", "id", "--categorical", "code,gap_code", "--date", "booked"]
    model, scores = str(folder / "model.skops"), str(folder / "scores.csv")
    fit = [
        "fit",
        str(folder / "train.csv"),
        *options,
        "--base",
        request.param,
        "--features",
        "8",
        "-o",
        model,
    ]
    assert drr.cli.main([*fit, "--quiet"]) == 0
    assert drr.cli.main(["score", model, str(folder / "test.csv"), "-o", scores, "--quiet"]) == 0
    return folder


def read_with_polars(path):
    return pytest.importorskip("polars").read_csv(path, infer_schema_length=None)


def read_with_polars_as_text(path):
    return pytest.importorskip("polars").read_csv(path, infer_schema_length=0)


def read_with_arrow(path):
    return pytest.importorskip("pyarrow.csv").read_csv(path)


READERS = {
    "pandas": pandas.read_csv,
    "pandas, nullable": lambda path: pandas.read_csv(path, dtype_backend="numpy_nullable"),
    "pandas, Arrow": lambda path: pandas.read_csv(path, dtype_backend="pyarrow"),
    "pandas, categories": lambda path: pandas.read_csv(
        path, dtype={"country": "category", "grade": "category"}
    ),
    "pandas, text": lambda path: pandas.read_csv(path, dtype=str),
    "pandas, dates": lambda path: pandas.read_csv(path, parse_dates=["booked"]),
    "pandas, decimals": lambda path: pandas.read_csv(path, converters={"amount": as_decimal}),
    "polars": read_with_polars,
    "polars, text": read_with_polars_as_text,
    "pyarrow": read_with_arrow,
}


def as_decimal(cell):
    return decimal.Decimal(cell) if cell else None


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_gives_what_the_command_line_writes(scored, reader):
    written = pandas.read_csv(scored / "scores.csv", engine="pyarrow")  # exact with every pandas
    model = drr.load(scored / "model.skops")
    frame = READERS[reader](scored / "test.csv")
    assert written["score"].tolist() == model.fused_score(frame).tolist()
    assert written["base_score"].tolist() == model.base_score(frame).tolist()
    assert written["dual_score"].tolist() == model.dual_score(frame).tolist()
    assert written["probability"].tolist() == model.predict_proba(frame)[:, 1].tolist()
    assert written["prediction"].tolist() == model.predict(frame).tolist()


def test_parquet_gives_the_same(scored, tmp_path):
    pandas.read_csv(scored / "test.csv").to_parquet(tmp_path / "test.parquet")
    output = str(tmp_path / "scores.csv")
    arguments = [
        "score",
        str(scored / "model.skops"),
        str(tmp_path / "test.parquet"),
        "-o",
        output,
        "--quiet",
    ]
    assert drr.cli.main(arguments) == 0
    written, other = pandas.read_csv(scored / "scores.csv"), pandas.read_csv(output)
    assert written["score"].tolist() == other["score"].tolist()


def test_the_model_of_a_file_serves_tools_of_scikit_learn(scored):
    model = drr.load(scored / "model.skops")
    frame = pandas.read_csv(scored / "train.csv")
    importance = permutation_importance(
        model, frame, frame["fraud"], scoring="average_precision", n_repeats=1, random_state=0
    )
    assert importance.importances_mean[list(frame.columns).index("amount")] > 0
    again = clone(model).fit(frame, frame["fraud"])
    assert again.preparation == model.preparation
    np.testing.assert_array_equal(again.fused_score(frame), model.fused_score(frame))


def test_what_cannot_be_read_is_named(scored):
    model = drr.load(scored / "model.skops")
    frame = pandas.read_csv(scored / "test.csv")
    with pytest.raises(ValueError, match="no column 'count', 'age'"):
        model.predict(frame.drop(columns=["age", "count"]))
    with pytest.raises(TypeError, match="a table with column names, but X is a ndarray"):
        model.predict(frame.to_numpy())
    with pytest.raises(ValueError, match=r"'amount' held numbers .* row 3 holds 'lots'"):
        model.predict(frame.assign(amount=frame["amount"].astype(object).where(frame.index != 2, "lots")))
    with pytest.raises(ValueError, match="'booked' holds dates, but row 1 holds 'soon'"):
        model.predict(frame.assign(booked="soon"))
