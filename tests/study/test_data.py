"""Loaders: the folder with manifests, and the public sources on local fixtures, without a network."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.datasets import available, compare_counts, load_dataset, missing_from
from benchmarks.study.datasets.catalogue import GENE_TASKS_OF_THE_PAPER, TABULAR
from benchmarks.study.datasets.folder import CorruptFileError
from benchmarks.study.datasets.public import (
    fetch_imbalanced_learn,
    fetch_keel,
    fetch_openml,
    read_keel,
    save,
    sources,
)
from benchmarks.study.protocol import split_rows

KEEL_TEXT = """@relation vowel0
@attribute TT integer [0, 1]
@attribute SpeakerNumber integer [0, 14]
@attribute Sex integer [0, 1]
@attribute F0 real [-5.2, -0.9]
@attribute Class {positive, negative}
@inputs TT, SpeakerNumber, Sex, F0
@outputs Class
@data
0, 0, 0, -3.6, positive
1, 3, 1, -2.5 , negative
0, 3, 1, -1.25, negative
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


def test_keel_text():
    dataset = read_keel(KEEL_TEXT, "vowel0")
    assert list(dataset.X.columns) == ["SpeakerNumber", "Sex", "F0"]  # the train/test flag is dropped
    assert dataset.categorical == ("SpeakerNumber", "Sex")
    assert dataset.X["F0"].tolist() == [-3.6, -2.5, -1.25]
    assert dataset.y.tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match="line 10"):
        read_keel(KEEL_TEXT.replace("0, 0, 0, -3.6, positive", "0, 0, -3.6, positive"), "vowel0")


def test_keel_archive():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("vowel0.dat", KEEL_TEXT)
    asked = []

    def opener(address):
        asked.append(address)
        return io.BytesIO(buffer.getvalue())

    assert fetch_keel("vowel0", opener).counts == (3, 1, 2, 1)
    assert asked[0].endswith("vowel0.zip")


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
    assert set(sources()) <= set(TABULAR) | set(GENE_TASKS_OF_THE_PAPER)


def test_real_counts(data_directory):
    """The tabular sets at hand have exactly the counts of the paper's table."""
    names = [name for name in available(data_directory) if name in TABULAR and name != "isolet"]
    assert len(names) >= 1
    for name in names:
        assert compare_counts(load_dataset(name, data_directory)) == {}, name
