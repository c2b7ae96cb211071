"""The data sets from their public sources, written in the form that `folder` reads. Needs a network.

- imbalanced-learn's collection (Zenodo 61452), by ``imblearn.datasets.fetch_datasets``;
- KEEL's imbalanced sets, zip files that hold one ``.dat``;
- OpenML, for the eight gene-expression tasks of the paper.

``cam``, ``compustat``, ``phoss``, ``boundary``, ``hypo``, ``oil`` and ``sick`` belong to the HDDT collection of Cieslak
and Chawla, which has no stable address; they must be supplied as CSV files with a manifest.
"""

from __future__ import annotations

import io
import json
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.datasets.catalogue import GENE_TASKS_OF_THE_PAPER
from benchmarks.study.datasets.folder import check_digest, compare_counts, file_digest, read_manifest
from benchmarks.study.datasets.kind import Dataset

KEEL_ADDRESS = "https://sci2s.ugr.es/keel/dataset/data/imbalanced/{name}.zip"

IMBALANCED_LEARN = (
    "abalone_19",
    "arrhythmia",
    "isolet",
    "libras_move",
    "mammography",
    "scene",
    "spectrometer",
    "us_crime",
    "yeast_ml8",
)
KEEL = {
    "abalone": "abalone-17_vs_7-8-9-10",
    "car-good": "car-good",
    "flare-f": "flare-F",
    "glass4": "glass4",
    "led": "led7digit-0-2-4-5-6-7-8-9_vs_1",
    "vowel0": "vowel0",
    "winequality": "winequality-red-8_vs_6",
    "yeast": "yeast-2_vs_8",
}

# Where KEEL's types are not the paper's counts of continuous and categorical columns. Which columns the paper means it
# does not say: these assignments give its counts.
KEEL_CONTINUOUS = {
    "flare-f": ("Evolution", "Prev24Hour", "HistComplex", "BecomeHist", "C-class", "M-class", "X-class"),
}
KEEL_CATEGORICAL = {
    "led": tuple(f"Led{k}" for k in range(1, 8)),
    "vowel0": ("SpeakerNumber", "Sex"),
}
KEEL_DROPPED = {"vowel0": ("TT",)}


def sources() -> dict[str, Callable[[], Dataset]]:
    """A function that fetches each data set, by name."""
    from_imbalanced_learn = {name: _bind(fetch_imbalanced_learn, name) for name in IMBALANCED_LEARN}
    from_keel = {name: _bind(fetch_keel, name) for name in KEEL}
    return (
        from_imbalanced_learn
        | from_keel
        | {name: _bind(fetch_openml, name) for name in GENE_TASKS_OF_THE_PAPER}
    )


def _bind(function: Callable[[str], Dataset], name: str) -> Callable[[], Dataset]:
    return lambda: function(name)


def fetch_imbalanced_learn(name: str, fetch: Callable[..., Any] | None = None) -> Dataset:
    """One set of imbalanced-learn's collection."""
    if fetch is None:
        from imblearn.datasets import fetch_datasets as fetch
    bunch = fetch(filter_data=(name,))[name]
    values = np.asarray(bunch["data"], dtype=np.float64)
    columns = [f"f{k:03}" for k in range(1, values.shape[1] + 1)]
    return Dataset(name, pd.DataFrame(values, columns=columns), (bunch["target"] == 1).astype(np.int64))


def fetch_openml(name: str, fetch: Callable[..., Any] | None = None) -> Dataset:
    """One of the gene-expression tasks: the named tissue against the others, without the identifier of the rows."""
    if fetch is None:
        from sklearn.datasets import fetch_openml as fetch
    identifier, n_minority = GENE_TASKS_OF_THE_PAPER[name]
    bunch = fetch(data_id=identifier, as_frame=True)
    X = bunch["data"].drop(columns="ID_REF", errors="ignore").astype(np.float64)
    y = (bunch["target"].astype(str) != "Other").to_numpy().astype(np.int64)
    if int(y.sum()) != n_minority:
        raise ValueError(f"{name} has {int(y.sum())} rows of the tissue, the paper has {n_minority}")
    return Dataset(name, X.reset_index(drop=True), y)


def fetch_keel(name: str, opener: Callable[[str], Any] = urllib.request.urlopen) -> Dataset:
    """One of KEEL's imbalanced sets."""
    with opener(KEEL_ADDRESS.format(name=KEEL[name])) as answer:
        archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    member = next(each for each in archive.namelist() if each.endswith(f"{KEEL[name]}.dat"))
    return read_keel(archive.read(member).decode("latin-1"), name)


def read_keel(text: str, name: str) -> Dataset:
    """Parse KEEL's format: ``@attribute name type`` lines, then comma-separated rows after ``@data``."""
    kinds: dict[str, str] = {}
    rows: list[list[str]] = []
    in_data = False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            row = [cell.strip() for cell in line.split(",")]
            if len(row) != len(kinds):
                raise ValueError(f"{name}, line {number}: {len(row)} values for {len(kinds)} attributes")
            rows.append(row)
        elif line.lower().startswith("@attribute"):
            attribute = line[len("@attribute") :].strip()
            brace = attribute.find("{")
            label = attribute[:brace].strip() if brace >= 0 else attribute.split()[0]
            kinds[label] = "nominal" if brace >= 0 else "number"
        elif line.lower().startswith("@data"):
            in_data = True
    frame = pd.DataFrame(rows, columns=list(kinds))
    label = frame.columns[-1]
    y = (frame.pop(label).str.lower() == "positive").to_numpy().astype(np.int64)
    frame = frame.drop(columns=list(KEEL_DROPPED.get(name, ())))
    continuous = set(KEEL_CONTINUOUS.get(name, ()))
    named = set(KEEL_CATEGORICAL.get(name, ()))
    categorical = tuple(
        column
        for column in frame.columns
        if column in named or (kinds[column] == "nominal" and column not in continuous)
    )
    numeric = [column for column in frame.columns if column not in categorical]
    frame[numeric] = frame[numeric].astype(np.float64)
    return Dataset(name, frame, y, categorical)


def save(dataset: Dataset, directory: Path, provenance: str) -> Path:
    """Write a data set and its entry in the manifest, after comparing its counts with the paper's."""
    folder = directory / "tabular24"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{dataset.name}.csv.gz"
    frame = dataset.X.assign(target=dataset.y)
    frame.to_csv(path, index=False, compression={"method": "gzip", "mtime": 0})
    differences = compare_counts(dataset)
    manifest = read_manifest(folder)
    manifest[dataset.name] = {
        "file": path.name,
        "n": len(dataset.y),
        "continuous": list(dataset.numeric),
        "categorical": list(dataset.categorical),
        "n1": int(dataset.y.sum()),
        "provenance": provenance,
        "status": f"differs from the paper's table: {differences}" if differences else "matches the table",
        "sha256": file_digest(path),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    check_digest(path, manifest[dataset.name]["sha256"])
    return path
