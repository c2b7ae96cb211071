"""A small folder of generated data in the form of the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # the study is part of the repository, not of the installed package
collect_ignore_glob = [] if (ROOT / "benchmarks" / "study").exists() else ["test_*.py"]


@pytest.fixture(scope="session")
def study_data(tmp_path_factory) -> Path:
    """Two tabular sets, one of them mixed, and one gene matrix with groups."""
    from benchmarks.study.datasets.kind import Dataset
    from benchmarks.study.datasets.public import save

    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    for name, n, n_rare in (("glass4", 160, 24), ("flare-f", 200, 30)):
        y = (np.arange(n) < n_rare).astype(np.int64)
        X = pd.DataFrame(random.normal(size=(n, 3)) + 1.5 * y[:, None], columns=["a", "b", "c"])
        categorical: tuple[str, ...] = ()
        if name == "flare-f":
            X["colour"] = np.where(random.random(n) < 0.3 + 0.4 * y, "red", "blue")
            X.loc[0, "colour"] = "green"
            categorical = ("colour",)
        save(Dataset(name, X, y, categorical), folder, "generated")
    _write_genes(folder / "genes", random)
    return folder


def _write_genes(folder: Path, random: np.random.Generator) -> None:
    from benchmarks.study.datasets.folder import file_digest

    folder.mkdir()
    y = np.repeat([0, 1, 2], [20, 60, 40])
    groups = np.array([f"patient{k // 2}" for k in range(120)])
    X = (random.normal(size=(120, 30)) + (y == 0)[:, None]).astype(np.float32)
    names = np.array(["rare", "big", "other"])
    genes = np.array([f"gene{k}" for k in range(30)])
    np.savez(folder / "matrix.npz", X=X, y=y, class_names=names, feature_names=genes)
    np.savez(folder / "groups_TCGA_patients.npz", TCGA_LUAD_COAD_READ=groups)
    entry = {
        "file": "matrix.npz",
        "ovr_IR_ge_5_npos_ge_10": ["rare"],
        "sha256": file_digest(folder / "matrix.npz"),
    }
    (folder / "manifest.json").write_text(json.dumps({"TCGA_LUAD_COAD_READ": entry}))
