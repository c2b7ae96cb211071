"""Data sets by name: what the paper used, what a folder holds, and where the rest can be fetched."""

from __future__ import annotations

from benchmarks.study.datasets.catalogue import GENE_TASKS_OF_THE_PAPER, TABULAR, Counts, is_gene_task
from benchmarks.study.datasets.folder import (
    available,
    compare_counts,
    load_dataset,
    missing_from,
)
from benchmarks.study.datasets.kind import Dataset

__all__ = [
    "GENE_TASKS_OF_THE_PAPER",
    "TABULAR",
    "Counts",
    "Dataset",
    "available",
    "compare_counts",
    "is_gene_task",
    "load_dataset",
    "missing_from",
]
