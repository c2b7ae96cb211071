"""One-versus-rest tasks from gene-expression matrices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.datasets.kind import Dataset

# Values on a multiplicative scale (counts, intensities) are taken as log(1 + x), row by row; the others already are.
LOGARITHM = ("Baron_H1", "deSouto_Ramaswamy_2001", "deSouto_Bhattacharjee_2001")
GROUPS = {"TCGA_LUAD_COAD_READ": "groups_TCGA_patients.npz"}


def gene_tasks(manifest: Mapping[str, Any]) -> list[str]:
    """``source:label`` for every label with at least ten rows and five times as many others."""
    return [
        f"{source}:{label}" for source, entry in manifest.items() for label in entry["ovr_IR_ge_5_npos_ge_10"]
    ]


def load_gene_task(source: str, label: str, folder: Path, entry: Mapping[str, Any], digest: str) -> Dataset:
    """Read a matrix and set one of its labels against the rest."""
    with np.load(folder / entry["file"], allow_pickle=False) as file:
        values = file["X"]
        names = [str(name) for name in file["class_names"]]
        codes, genes = file["y"], file["feature_names"]
    if label not in names:
        raise FileNotFoundError(f"{source} has no label {label!r}, only {', '.join(names)}")
    if source in LOGARITHM:
        values = np.log1p(values)
    groups = None
    if source in GROUPS:
        with np.load(folder / GROUPS[source], allow_pickle=False) as file:
            groups = file[source]
    unique = [f"g{k}_{gene}" for k, gene in enumerate(genes)]
    X = pd.DataFrame(values.astype(np.float64), columns=unique)
    y = (codes == names.index(label)).astype(np.int64)
    return Dataset(f"{source}:{label}", X, y, groups=groups, sha256=digest)
