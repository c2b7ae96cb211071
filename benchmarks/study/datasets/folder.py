"""Data sets from a folder with manifests: tabular24/ (CSV) and genes/ (NPZ), checked by their digests."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.study.datasets.catalogue import GENE_TASKS_OF_THE_PAPER, TABULAR, Counts
from benchmarks.study.datasets.genes import gene_tasks, load_gene_task
from benchmarks.study.datasets.kind import Dataset
from benchmarks.tabular import load_table


class CorruptFileError(ValueError):
    """A file is not the one its manifest describes."""


def available(directory: Path) -> tuple[str, ...]:
    """The names that `load_dataset` accepts: tabular sets, then gene tasks such as ``Baron_H1:alpha``."""
    tabular = [name for name, entry in read_manifest(directory / "tabular24").items() if entry.get("file")]
    return (*tabular, *gene_tasks(read_manifest(directory / "genes")))


def missing_from(directory: Path) -> dict[str, str]:
    """The paper's data sets that the folder lacks, with the reason where its manifest has one."""
    manifest = read_manifest(directory / "tabular24")
    present = set(available(directory))
    reasons = {
        name: manifest.get(name, {}).get("status", "not in the manifest")
        for name in TABULAR
        if name not in present
    }
    absent = [name for name in GENE_TASKS_OF_THE_PAPER if name not in present]
    return reasons | dict.fromkeys(absent, "not in the manifest; OpenML has it")


@lru_cache(maxsize=4)
def load_dataset(name: str, directory: Path) -> Dataset:
    """Read one data set after checking the digest of its file."""
    tabular, genes = read_manifest(directory / "tabular24"), read_manifest(directory / "genes")
    source, _, label = name.partition(":")
    if label and source in genes:
        digest = check_digest(directory / "genes" / genes[source]["file"], genes[source]["sha256"])
        return load_gene_task(source, label, directory / "genes", genes[source], digest)
    entry = tabular.get(name)
    if entry is None or not entry.get("file"):
        reason = "it is not listed there" if entry is None else entry["status"]
        raise FileNotFoundError(f"{name} cannot be read from {directory}: {reason}")
    digest = check_digest(directory / "tabular24" / entry["file"], entry["sha256"])
    table = load_table(name, directory)
    return Dataset(name, table.X, table.y, tuple(table.categorical), sha256=digest)


def compare_counts(dataset: Dataset) -> dict[str, tuple[int, int]]:
    """The counts in which a data set differs from the paper's table: ours and the paper's."""
    expected = TABULAR.get(dataset.name)
    if expected is None:
        return {}
    pairs = zip(Counts._fields, dataset.counts, expected, strict=True)
    return {field: (ours, theirs) for field, ours, theirs in pairs if ours != theirs}


def check_digest(path: Path, expected: str) -> str:
    """The SHA-256 of a file; an error where it is not the expected one."""
    digest = file_digest(path)
    if digest != expected:
        raise CorruptFileError(
            f"{path} has the SHA-256 {digest}, its manifest says {expected}: fetch it again"
        )
    return digest


def file_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder; empty where there is none."""
    path = folder / "manifest.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}
