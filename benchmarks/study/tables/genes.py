"""Gene-expression tasks. They are not the paper's eight, which are missing; its figures stand beside for scale only."""

from __future__ import annotations

import pandas as pd

from benchmarks.study.datasets import GENE_TASKS_OF_THE_PAPER
from benchmarks.study.results import WEIGHTED, Results, paper
from benchmarks.study.statistics import paired_gain
from benchmarks.study.tables import table

METHODS = (
    "base",
    "cost-sensitive",
    "R&R(D=0)",
    "R&R(D=128)",
    "dual(D=0)",
    "dual(D=128)",
    "DRR(D=0)",
    "DRR(D=128)",
)


@table
def gene_tasks(results: Results) -> pd.DataFrame:
    """Average precision per task."""
    columns = {name: results.means(name, "ap", genes=True) for name in METHODS if results.has(name)}
    frame = pd.DataFrame(columns)
    if frame.empty:
        return frame
    counts = results.trials("base", "ap", genes=True).groupby("dataset").count()
    frame.insert(0, "trials", counts)
    return frame.rename_axis("task").reset_index()


@table
def gene_contrasts(results: Results) -> pd.DataFrame:
    """Paired differences over tasks; tasks of one matrix share rows, so the intervals are descriptive."""
    rows = []
    matched = "cost-sensitive"  # which some learners do not have: both over those that do
    for first, second, printed in (
        ("DRR(D=0)", "base", None),
        ("DRR(D=128)", "base", None),
        ("DRR(D=0)", matched, None),
        ("DRR(D=128)", matched, None),
        ("DRR(D=0)", "R&R(D=0)", paper()["text"]["gene_rr_gain"]["D=0"]),
        ("DRR(D=128)", "R&R(D=128)", paper()["text"]["gene_rr_gain"]["D=128"]),
        ("DRR(D=128)", "dual(D=128)", None),
    ):
        learners = WEIGHTED if second == matched else None
        values = results.differences(first, second, learners=learners, genes=True)
        if values.empty:
            continue
        gain = paired_gain(values)
        rows.append(
            {
                "contrast": f"{first} - {second}",
                "tasks": len(values),
                "difference": gain.mean,
                "low": gain.low,
                "high": gain.high,
                "W/L/T": f"{gain.wins}/{gain.losses}/{gain.ties}",
                "paper, its eight tasks": printed,
            }
        )
    return pd.DataFrame(rows)


@table
def missing(results: Results) -> pd.DataFrame:
    """Data sets of the paper without results: counted, never imputed."""
    names = [*results.missing, *GENE_TASKS_OF_THE_PAPER]
    there = set(results.cells["dataset"])
    return pd.DataFrame({"dataset": [name for name in names if name not in there]})
