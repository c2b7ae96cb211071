"""The data sets from their public sources, written in the form that `folder` reads. Needs a network.

- the sixteen tables of the study of raking and relabelling, from its authors' repository (`inherited`);
- imbalanced-learn's collection (Zenodo 61452), by ``imblearn.datasets.fetch_datasets``, for the other eight;
- OpenML, for the eight gene-expression tasks of the paper.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.datasets.catalogue import GENE_TASKS_OF_THE_PAPER
from benchmarks.study.datasets.folder import check_digest, compare_counts, file_digest, read_manifest
from benchmarks.study.datasets.inherited import INHERITED, fetch_inherited
from benchmarks.study.datasets.kind import Dataset

IMBALANCED_LEARN = (
    "abalone_19",
    "arrhythmia",
    "isolet",
    "libras_move",
    "scene",
    "spectrometer",
    "us_crime",
    "yeast_ml8",
)


def sources() -> dict[str, Callable[[], Dataset]]:
    """A function that fetches each data set, by name."""
    return (
        {name: _bind(fetch_inherited, name) for name in INHERITED}
        | {name: _bind(fetch_imbalanced_learn, name) for name in IMBALANCED_LEARN}
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
