"""How columns, labels and cells are read: what looks like one thing and is another, and what is said about it."""

from __future__ import annotations

import contextlib
import json
import shlex

import numpy as np
import pandas
import pytest
import scipy.sparse

import drr
from drr.cli._columns import Roles, read_kinds
from drr.cli._csv_files import CsvFile
from drr.cli._dialect import find_decimal, find_separator
from drr.cli._labels import choose_labels, is_label
from drr.cli._typed_files import WholeFile


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    rare = np.arange(400) % 8 == 0
    return pandas.DataFrame(
        {
            "amount": np.round(rng.normal(size=400) + 2 * rare, 3),
            "days": np.round(rng.normal(size=400) + rare, 1),
            "kind": rng.choice(["a", "b"], 400),
            "fraud": rare.astype(int),
        }
    )


FIT = ["--target", "fraud", "--base", "logistic", "--features", "8", "-o", "model.skops"]


def fit(run, path, *options):
    outcome = run("fit", path, *FIT, *options, "--json")
    assert outcome.code == 0, outcome.error
    return json.loads(outcome.output), drr.load("model.skops").preparation


@pytest.mark.parametrize("options", [[], ["--separator", ";"], ["--separator", ";", "--decimal", ","]])
def test_a_european_table_gives_the_same_model(run, table, options):
    table.to_csv("plain.csv", index=False)
    table.to_csv("euro.csv", index=False, sep=";", decimal=",")
    plain, kinds = fit(run, "plain.csv")
    euro, euro_kinds = fit(run, "euro.csv", *options)
    assert euro_kinds == kinds
    assert euro["base_average_precision"] == plain["base_average_precision"]
    assert run("score", "model.skops", "plain.csv", "-o", "one.csv").code == 0
    assert run("score", "model.skops", "euro.csv", "-o", "other.csv", "--keep-all").code == 0
    assert run("score", "model.skops", "euro.csv", "-o", "bare.csv").code == 0
    one, other, bare = (pandas.read_csv(f"{name}.csv") for name in ("one", "other", "bare"))
    assert one["score"].tolist() == other["score"].tolist() == bare["score"].tolist()
    assert other["amount"][0] == str(table["amount"][0]).replace(".", ",")  # copied as written


def test_decimal_commas_that_cannot_be_told_apart_are_an_error(run, table):
    table["days"] = table["days"].astype(str).str.replace(".", ",")
    table.to_csv("mixed.csv", index=False)
    outcome = run("fit", "mixed.csv", *FIT)
    assert outcome.code == 1
    assert "'days' holds numbers such as" in outcome.error
    assert "--decimal ," in outcome.error


def test_texts_among_numbers_count_as_missing_and_are_said(run, table):
    table["amount"] = table["amount"].astype(object)
    table.loc[[3, 40, 77], "amount"] = ["?", "unknown", "?"]
    table.to_csv("train.csv", index=False)
    result, preparation = fit(run, "train.csv")
    assert preparation.kinds["amount"] == "number"
    assert any(
        "'?', 'unknown' in 3 rows: these count as missing; --categorical amount" in n for n in result["notes"]
    )
    assert run("score", "model.skops", "train.csv", "-o", "scores.csv").code == 0
    _, preparation = fit(run, "train.csv", "--categorical", "amount")
    assert preparation.kinds["amount"] == "category"


def test_half_numbers_are_categories_and_doubtful(run, table):
    table["amount"] = (
        table["amount"].round(0).astype(int).astype(str).where(table.index % 3 > 0, "none given")
    )
    table.to_csv("train.csv", index=False)
    result, preparation = fit(run, "train.csv")
    assert preparation.kinds["amount"] == "category"
    assert any("--numeric amount" in note for note in result["notes"])
    _, preparation = fit(run, "train.csv", "--numeric", "amount")
    assert preparation.kinds["amount"] == "number"


def test_a_postcode_is_the_same_in_every_format(run, table):
    table["postcode"] = np.random.default_rng(1).choice(["01557", "10115", "80331"], 400)
    table["whole"] = np.random.default_rng(2).integers(0, 9, 400).astype(str)
    table.to_csv("train.csv", index=False)
    table.to_parquet("train.parquet")
    from_csv, kinds = fit(run, "train.csv")
    from_parquet, parquet_kinds = fit(run, "train.parquet")
    assert kinds == parquet_kinds
    assert kinds.kinds["postcode"] == "category"
    assert kinds.kinds["whole"] == "number"
    assert from_csv["base_average_precision"] == from_parquet["base_average_precision"]
    for result in (from_csv, from_parquet):
        assert any("leading zeros ('01557')" in n and "--numeric postcode" in n for n in result["notes"])
    assert any("'whole' is text, but holds numbers only" in note for note in from_parquet["notes"])


@pytest.mark.parametrize("name", ["account", "account number"])
def test_numbers_with_leading_zeros_that_name_rows_are_no_categories(run, table, name):
    table[name] = [f"{k:05d}" for k in range(400)]
    for path in ("train.csv", "train.parquet"):
        table.to_csv(path, index=False) if path.endswith("csv") else table.to_parquet(path)
        outcome = run("fit", path, *FIT)
        assert outcome.code == 1
        assert "400 different numbers with leading zeros ('000" in outcome.error
        assert f"--id {shlex.quote(name)}, leave it out with" in outcome.error
        assert f"--numeric {shlex.quote(name)}" in outcome.error
    _, preparation = fit(run, "train.csv", "--id", name)
    assert name not in preparation.kinds


def test_many_categories_are_noted_and_pooled(run, table, tmp_path):
    table = pandas.concat([table] * 4, ignore_index=True)
    table["share"] = [f"{k / 8} %" for k in range(400)] * 4
    table.to_csv("train.csv", index=False)
    result, _ = fit(run, "train.csv")
    notes = [note for note in result["notes"] if "'share'" in note]
    assert len(notes) == 1
    assert "400 different texts ('0.0 %', …)" in notes[0]
    assert "numbers with a unit" in notes[0]
    assert "--drop share" in notes[0]
    model = drr.load(tmp_path / "model.skops")
    assert len([name for name in model.dual_.moments_.names if name.startswith("share=")]) <= 250
    assert model.estimator_[:-1].transform(model.preparation.prepare(table)).shape[1] <= 260


def test_a_report_leaves_out_rows_without_a_label_too(run, table):
    table["fraud"] = table["fraud"].astype(object).where(table.index % 20 != 3, "")
    table.to_csv("train.csv", index=False)
    fit(run, "train.csv", "--drop-unlabelled")
    assert "--drop-unlabelled" in run("report", "model.skops", "train.csv", "-o", "r.html").error
    outcome = run("report", "model.skops", "train.csv", "-o", "r.html", "--drop-unlabelled", "--json")
    assert json.loads(outcome.output)["held_out_rows_of_the_fit"] is True


# Some releases of anndata ask pandas 3 for the text of pandas 2, which it warns of.
@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option is deprecated")
def test_an_annotated_matrix_is_fitted_and_scored(run, table, tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    is_rare = table["fraud"].to_numpy(bool)
    counts = rng.poisson(1.0 + 2.0 * is_rare[:, None] * (np.arange(30) < 5)).astype(np.float32)
    names = np.array([f"cell{k}" for k in range(400)], dtype=object)
    genes = np.array([f"G{k}" for k in range(29)] + ["G0"], dtype=object)
    annotation = pandas.DataFrame(
        {"cell_type": pandas.Categorical(np.where(is_rare, "DC", "other")), "leak": is_rare.astype(int)},
        index=names,
    )
    matrix, variables = scipy.sparse.csr_matrix(counts), pandas.DataFrame(index=genes)
    with pytest.warns(UserWarning, match="names are not unique"):
        cells = anndata.AnnData(matrix, annotation, variables)
    is_new = int(pandas.__version__.partition(".")[0]) >= 3  # its text is written if that is asked for
    with anndata.settings.override(allow_write_nullable_strings=True) if is_new else contextlib.nullcontext():
        cells.write_h5ad("cells.h5ad")
    options = ["--target", "cell_type", "--id", "cell", "--features", "0", "--base", "logistic"]
    outcome = run("fit", "cells.h5ad", *options, "-o", "model.skops", "--json")
    assert outcome.code == 0, outcome.error
    result = json.loads(outcome.output)
    assert (result["positive"], result["n_rows"]) == ("DC", 400)
    assert any(
        "'leak' of cells.h5ad" in note and "--numeric or --categorical" in note for note in result["notes"]
    )
    model = drr.load("model.skops")
    assert list(model.preparation.kinds) == [*genes[:-1], "G0-1"]
    assert run("score", "model.skops", "cells.h5ad", "-o", "s.csv").code == 0
    scores = pandas.read_csv("s.csv", engine="pyarrow")
    assert scores["cell"].tolist() == names.tolist()
    frame = pandas.DataFrame(counts, columns=list(model.preparation.kinds))
    np.testing.assert_array_equal(scores["score"], model.fused_score(frame))
    outcome = run("fit", "cells.h5ad", *options, "--numeric", "leak", "-o", "model.skops")
    assert "leak" in drr.load("model.skops").preparation.kinds


def test_the_index_that_pandas_writes_is_left_out(run, table):
    table.to_csv("train.csv")
    result, preparation = fit(run, "train.csv")
    assert list(preparation.kinds) == ["amount", "days", "kind"]
    assert any("first column of train.csv has no name" in note for note in result["notes"])
    assert run("score", "model.skops", "train.csv", "-o", "scores.csv").code == 0
    assert run("fit", "train.csv", *FIT, "--drop", "Unnamed: 0").code == 0


def test_columns_can_be_listed_with_commas(run, table):
    table.assign(a=1, **{"c,d": 2}).to_csv("train.csv", index=False)
    _, preparation = fit(run, "train.csv", "--drop", "a, days", "--drop", "c,d")
    assert list(preparation.kinds) == ["amount", "kind"]
    outcome = run("fit", "train.csv", *FIT, "--drop", "a,dais")
    assert outcome.code == 1
    assert "no column 'dais' (--drop)" in outcome.error
    assert "did you mean 'days'?" in outcome.error


def test_a_misspelt_target_suggests_the_nearest_of_many(run):
    names = [f"column{k}" for k in range(30)] + ["fraud"]
    pandas.DataFrame(np.zeros((4, 31)), columns=names).to_csv("train.csv", index=False)
    outcome = run("fit", "train.csv", "--target", "fruad", "-o", "model.skops")
    assert outcome.code == 1
    assert "did you mean 'fraud'?" in outcome.error


def test_all_columns_that_fit_nowhere_are_named_at_once(run, table):
    table["merchant"] = [f"shop {k}" for k in range(400)]
    table["booked_at"] = pandas.date_range("2024-01-01", periods=400, freq="D").astype(str)
    table.to_csv("train.csv", index=False)
    outcome = run("fit", "train.csv", *FIT)
    assert outcome.code == 1
    assert outcome.error.count("\n") == 1
    for word in ("'merchant'", "--id merchant", "'booked_at' holds dates", "--date booked_at"):
        assert word in outcome.error
    _, preparation = fit(run, "train.csv", "--date", "booked_at", "--id", "merchant")
    prepared = preparation.prepare(table)
    assert np.diff(prepared["booked_at"]).tolist() == [1.0] * 399


def test_rows_without_a_label_can_be_left_out(run, table):
    table["fraud"] = table["fraud"].astype(object).where(table.index % 20 != 3, "")
    table.to_csv("train.csv", index=False)
    outcome = run("fit", "train.csv", *FIT)
    assert outcome.code == 1
    assert "no label in 20 rows, first in row 4; leave such rows out with --drop-unlabelled" in outcome.error
    result, _ = fit(run, "train.csv", "--drop-unlabelled")
    assert result["n_rows"] == 380
    assert "20 rows without a label in column 'fraud' are left out" in result["notes"]


@pytest.mark.parametrize("name", ["train.txt", "train.tsv", "train.csv", "train.xlsx"])
def test_other_formats_give_the_same_model(run, table, name):
    table.to_csv("plain.csv", index=False)
    plain, _ = fit(run, "plain.csv")
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
        table.to_excel(name, index=False)
    else:
        table.to_csv(name, index=False, sep="|" if name == "train.csv" else "\t")
    other, _ = fit(run, name)
    assert other["fused_average_precision"] == plain["fused_average_precision"]


def test_cells_are_copied_as_they_are_written(run, table):
    cells = ["NA", "null", "None", "nan", "N/A", "", "007", "1.50", " x "]
    table["name"] = [cells[k % len(cells)] for k in range(400)]
    table["amount"] = table["amount"].map("{:.5f}".format)
    table.to_csv("train.csv", index=False)
    fit(run, "train.csv", "--id", "name")
    for option in (["--id", "name", "--id", "amount"], ["--keep-all"]):
        assert run("score", "model.skops", "train.csv", "-o", "scores.csv", *option).code == 0
        copied = pandas.read_csv("scores.csv", dtype=str, keep_default_na=False)
        assert copied["name"].tolist() == table["name"].tolist()
        assert copied["amount"].tolist() == table["amount"].tolist()


@pytest.mark.parametrize(
    ("labels", "positive", "chosen"),
    [
        (["01", "1", "1"], "1", ("1", "01", True)),
        (["1e1", "10", "10"], "1e1", ("1e1", "10", True)),
        (["1", "0", "0"], None, (1, 0, False)),
        (["1.0", "0.0", "0.0"], "1", (1, 0, False)),
        (["True", "false", "FALSE"], None, (True, False, False)),
        (["yes", "no", "no"], None, ("yes", "no", True)),
        (["3", "1", "2"], "3.0", ("3", "other", False)),
    ],
)
def test_labels_are_text_unless_all_are_plain_numbers(labels, positive, chosen):
    texts = np.array(labels, dtype=object)
    assert choose_labels(texts, "y", positive) == chosen
    rare, _, is_text = chosen
    assert is_label(texts, rare, is_text=is_text).tolist() == [
        label == str(rare) or (not is_text and label.lower().removesuffix(".0") == str(rare).lower())
        for label in labels
    ]


def test_labels_that_differ_in_spelling_only_stay_apart(run, table):
    table["fraud"] = np.where(table["fraud"] == 1, "01", "1")
    table.to_csv("train.csv", index=False)
    result, _ = fit(run, "train.csv")
    assert result["positive"] == "01"
    assert result["n_rare"] == 50
    assert run("score", "model.skops", "train.csv", "-o", "scores.csv").code == 0
    assert set(pandas.read_csv("scores.csv", dtype=str)["prediction"]) == {"01", "1"}
    assert run("report", "model.skops", "train.csv", "-o", "report.html").code == 0


def test_empty_columns_are_left_out(run, table):
    table.assign(nothing="").to_csv("train.csv", index=False)
    result, preparation = fit(run, "train.csv")
    assert "nothing" not in preparation.kinds
    assert "column 'nothing' is empty and is left out" in result["notes"]


def test_separators_and_decimals_are_found():
    assert find_separator("a;b\n1,5;2\n3,5;4\n") == ";"
    assert find_separator("a,b\n1;2,3\n") == ","
    assert find_separator("a\n1\n") == ","
    assert find_separator('a\tb\n"x,y"\t1\n') == "\t"
    assert find_decimal("a;b\n1,5;2\n", ";") == ","
    assert find_decimal("a;b\n1,5;2.5\n", ";") == "."
    assert find_decimal("a,b\n1,5\n", ",") == "."


def test_the_separator_of_a_long_file_is_found_from_whole_lines(tmp_path):
    for end in ("\n", "\r\n"):
        (tmp_path / "long.csv").write_text("a;b;c" + end + f"1,5;2;{end}" * 20_000, newline="")
        found = CsvFile(tmp_path / "long.csv", None, "utf-8", None)
        assert (found.separator, found.decimal) == (";", ",")
        assert found.columns() == ["a", "b", "c"]


def test_a_file_that_is_read_whole_is_handed_on_in_parts(tmp_path):
    frame = pandas.DataFrame({"a": np.arange(8), "b": 0})

    class Whole(WholeFile):
        kind, package, extra = "Whole", "pandas", "cli"

        def _read(self):
            return frame

    reached = []
    parts = list(Whole(tmp_path).chunks(["a"], [], 3, reached.append))
    assert [part["a"].tolist() for part in parts] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert reached == [3, 6, 8]


def test_whole_numbers_of_a_typed_file_are_numbers():
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    preparation, notes = read_kinds(frame, Roles(), frame[[]])
    assert preparation.kinds == {"a": "number", "b": "category"}
    assert notes == []


def test_a_wide_table_is_described_as_in_python(run):
    rng = np.random.default_rng(0)
    y = np.arange(60) < 20
    frame = pandas.DataFrame(rng.normal(size=(60, 200)) + y[:, None], columns=[f"G{k}" for k in range(200)])
    frame.assign(y=y.astype(int)).to_parquet("wide.parquet")
    options = ["fit", "wide.parquet", "--target", "y", "--base", "logistic", "-o", "m.skops"]
    for arguments, n_features in (([], 200), (["--features", 16], 216)):
        outcome = run(*options, *arguments)
        assert outcome.code == 0, outcome.error
        assert drr.load("m.skops").dual_.theta_.shape == (n_features,)


def test_a_category_is_doubtful_from_half_numbers_on():
    for texts, is_doubtful in ((["1", "2", "x", "y"], True), (["1", "2", "x", "y", "z"], False)):
        frame = pandas.DataFrame({"a": texts})
        preparation, notes = read_kinds(frame, Roles(), frame[[]])
        assert preparation.kinds == {"a": "category"}
        assert any("--numeric a takes the texts as missing" in note for note in notes) == is_doubtful


@pytest.mark.parametrize(("n_rows", "is_doubted"), [(20, False), (21, True)])
def test_whole_numbers_that_differ_in_every_row_may_only_name_it(run, table, n_rows, is_doubted):
    table["fraud"] = (table.index % 3 == 0).astype(int)
    table.assign(number=table.index + 1000)[:n_rows].to_csv("train.csv", index=False)
    result, _ = fit(run, "train.csv")
    said = "column 'number' holds a different whole number in every row; if it only names the rows, give --id number"
    assert (said in result["notes"]) == is_doubted
