"""Loaders: the folder with manifests, and the public sources on local fixtures, without a network."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.datasets import available, compare_counts, load_dataset, missing_from
from benchmarks.study.datasets.catalogue import GENE_TASKS_OF_THE_PAPER, TABULAR
from benchmarks.study.datasets.folder import CorruptFileError
from benchmarks.study.datasets.inherited import LISTING, fetch_inherited, is_called, read_inherited
from benchmarks.study.datasets.public import (
    fetch_imbalanced_learn,
    fetch_openml,
    save,
    sources,
)
from benchmarks.study.protocol import split_rows

MIXED = """,spot size,Activity,Evolution,M-class,11
1,A,No,3,0,negative
2,R,Yes,2.5,1,positive
3,S,No,1,0,negative
"""


def test_a_folder_is_read_and_compared(study_data):
    assert available(study_data) == ("glass4", "flare-f", "TCGA_LUAD_COAD_READ:rare")
    dataset = load_dataset("flare-f", study_data)
    assert dataset.categorical == ("colour",)
    assert dataset.counts == (200, 3, 1, 30)
    assert compare_counts(dataset)["n"] == (200, TABULAR["flare-f"].n)
    missing = missing_from(study_data)
    assert "cam" in missing
    assert "OVA_Lung" in missing
    assert "glass4" not in missing


def test_a_changed_file_is_refused(study_data, tmp_path):
    dataset = load_dataset("glass4", study_data)
    path = save(dataset, tmp_path, "copy")
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(CorruptFileError, match="SHA-256"):
        load_dataset("glass4", tmp_path)


def test_a_missing_set_says_why(study_data, tmp_path):
    with pytest.raises(FileNotFoundError, match="not listed"):
        load_dataset("cam", study_data)
    folder = tmp_path / "tabular24"
    folder.mkdir()
    (folder / "manifest.json").write_text(
        json.dumps({"cam": {"file": None, "status": "NOT OBTAINED: too large"}})
    )
    with pytest.raises(FileNotFoundError, match="too large"):
        load_dataset("cam", tmp_path)
    assert missing_from(tmp_path)["cam"].startswith("NOT OBTAINED")


def test_groups_stay_on_one_side(study_data):
    dataset = load_dataset("TCGA_LUAD_COAD_READ:rare", study_data)
    for trial in range(3):
        split = split_rows(dataset, trial)
        parts = [set(dataset.groups[rows]) for rows in (split.fit, split.threshold, split.test)]
        assert sum(map(len, parts)) == len(set.union(*parts))
        assert len(split.fit) + len(split.threshold) + len(split.test) == 120
        assert all(dataset.y[rows].any() for rows in (split.fit, split.threshold, split.test))


def test_splits_are_the_stated_shares(study_data):
    dataset = load_dataset("glass4", study_data)
    seen = set()
    for trial in range(3):
        split = split_rows(dataset, trial)
        assert (len(split.fit), len(split.threshold), len(split.test)) == (56, 24, 80)
        assert dataset.y[split.test].sum() == 12
        rows = np.concatenate([split.fit, split.threshold, split.test])
        assert sorted(rows) == list(range(160))
        seen.add(tuple(sorted(split.test)))
    assert len(seen) == 3
    with pytest.raises(ValueError, match="trial"):
        split_rows(dataset, 30)


def _repository(files):
    """An opener of a repository that holds these files, as its listing and as their contents."""
    listing = [{"name": name, "download_url": f"raw/{name}"} for name in files]
    answers = {LISTING: json.dumps(listing)} | {f"raw/{name}": text for name, text in files.items()}
    return lambda address: io.BytesIO(answers[address].encode())


def test_inherited_files_of_mixed_columns():
    opener = _repository({"[Mixed] flare-F.csv": MIXED, "[Conti] flare-other.csv": ""})
    dataset = fetch_inherited("flare-f", opener)
    assert dataset.name == "flare-f"
    assert dataset.categorical == ("spot size", "Activity")
    assert list(dataset.X.columns) == ["spot size", "Activity", "Evolution", "M-class"]  # no row numbers
    assert dataset.X["Evolution"].tolist() == [3.0, 2.5, 1.0]
    assert dataset.y.tolist() == [0, 1, 0]


def test_inherited_files_of_one_kind():
    numbers = "a,b,LABEL\n1,2.5,0\n3,4,1\n5,6,0\n"
    opener = _repository({"[Conti] yeast-2vs8.csv": numbers, "[Cate] Led.csv": numbers})
    assert fetch_inherited("yeast", opener).counts == (3, 2, 0, 1)
    assert fetch_inherited("led", opener).counts == (3, 0, 2, 1)
    assert fetch_inherited("led", opener).X["b"].tolist() == ["2.5", "4", "6"]
    with pytest.raises(ValueError, match=r"no file for cam; it has \[Conti\] yeast-2vs8.csv"):
        fetch_inherited("cam", opener)
    with pytest.raises(ValueError, match="columns of numbers hold text"):
        read_inherited(numbers.replace("2.5", "much"), "Conti", "yeast")
    with pytest.raises(ValueError, match="two labels"):
        read_inherited(numbers.replace("6,0", "6,2"), "Conti", "yeast")


def test_file_names_are_told_apart():
    assert is_called("winequality-red8vs6", "winequality")
    assert is_called("PhosS", "phoss")
    assert is_called("abalone17vs7-8-9-10", "abalone")
    assert not is_called("abalone_19", "abalone")
    assert not is_called("yeast", "yeast_ml8")
    assert not is_called("cambridge", "cam")


def test_imbalanced_learn():
    def fetch(filter_data):
        return {filter_data[0]: {"data": np.arange(8.0).reshape(4, 2), "target": np.array([-1, 1, -1, -1])}}

    dataset = fetch_imbalanced_learn("mammography", fetch)
    assert dataset.y.tolist() == [0, 1, 0, 0]
    assert dataset.counts == (4, 2, 0, 1)


def test_openml():
    n, n_rare = 100, GENE_TASKS_OF_THE_PAPER["OVA_Endometrium"][1]
    target = pd.Series(["Endometrium"] * n_rare + ["Other"] * (n - n_rare), dtype="category")

    def fetch(data_id, as_frame):
        assert data_id == 1142
        return {"data": pd.DataFrame({"ID_REF": range(n), "gene": np.arange(float(n))}), "target": target}

    dataset = fetch_openml("OVA_Endometrium", fetch)
    assert list(dataset.X.columns) == ["gene"]
    assert dataset.y.sum() == n_rare
    target[:2] = "Other"
    with pytest.raises(ValueError, match="rows of the tissue"):
        fetch_openml("OVA_Endometrium", fetch)


def test_every_source_names_a_set_of_the_paper():
    assert set(sources()) == set(TABULAR) | set(GENE_TASKS_OF_THE_PAPER)


def test_real_counts(data_directory):
    """The tabular sets at hand have exactly the counts of the paper's table."""
    names = [name for name in available(data_directory) if name in TABULAR and name != "isolet"]
    assert len(names) >= 1
    for name in names:
        assert compare_counts(load_dataset(name, data_directory)) == {}, name
