"""What decides whether the study reproduces the paper, recomputed from the results."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.results import STANDARDISED_BASE, Results, paper, paper_means
from benchmarks.study.tables import table
from benchmarks.study.tables.panel import panel_arms

COMPARED = ("DRR(D=128)", STANDARDISED_BASE, "cost-sensitive", "HistGB", "R&R(D=128)")
ROUNDING = 0.0008  # of a printed value with three decimals, and a little for another version of the libraries


@table
def headline(results: Results) -> pd.DataFrame:
    """Floors and average precision per data set against the printed ones, and who wins."""
    floors = floor_differences(results)
    rows: list[tuple[str, object, object]] = [
        ("tabular data sets", len(results.datasets), 24),
        (
            f"floors at D = 128 within {ROUNDING} of the printed ones",
            int((floors.abs() <= ROUNDING).sum()),
            24,
        ),
        ("largest difference of a floor", _largest(floors), ""),
    ]
    for method in COMPARED:
        ours, theirs = results.means(method, "ap"), paper_means(method)
        if ours.empty or theirs is None:
            continue
        difference = ours - theirs[ours.index]
        rows += [
            (
                f"{method}: mean AP, beside the paper's over the same sets",
                ours.mean(),
                theirs[ours.index].mean(),
            ),
            (f"{method}: mean absolute difference of a data set", difference.abs().mean(), ""),
            (f"{method}: largest", _largest(difference), ""),
        ]
    gains = gain_differences(results)
    if len(gains):
        rows += [
            ("gain of DRR(D=128) over w = 0: mean absolute difference of a data set", gains.abs().mean(), ""),
            ("gain of DRR(D=128) over w = 0: largest", _largest(gains), ""),
        ]
    for other, wins in (("base", 24), ("R&R(D=128)", 22)):
        values = results.differences("DRR(D=128)", other)
        if len(values):
            rows.append(
                (
                    f"DRR(D=128) beats {other} on",
                    f"{int((values > 0).sum())} of {len(values)}",
                    f"{wins} of 24",
                )
            )
    return pd.DataFrame(rows, columns=["value", "ours", "paper"])


def floor_differences(results: Results) -> pd.Series:
    """Mean floors at D = 128 minus the printed ones."""
    figures = results.extras("dual(D=128)")
    if figures.empty:
        return pd.Series(dtype=float)
    means = figures[~figures["dataset"].map(is_gene_task)].groupby("dataset")["floor"].mean()
    return means - pd.Series({name: paper()["per_dataset"][name]["floor"] for name in means.index})


def gain_differences(results: Results) -> pd.Series:
    """Gains of DRR at D = 128 over the standardised base minus the printed ones."""
    ours = results.differences("DRR(D=128)", STANDARDISED_BASE)
    return ours - pd.Series(
        {name: paper()["separation"][name]["ap_gain"] for name in ours.index}, dtype=float
    )


def _largest(differences: pd.Series) -> str:
    if differences.empty:
        return ""
    name = differences.abs().idxmax()
    return f"{differences[name]:+.4f} ({name})"


OTHER_PARTS = (
    "DRR(D=128,eta=0.2)",
    "DRR(D=512)",
    "DRR(D=128,draw=1)",
    "base+LR(D=128,C=1)",
    "R&R(D=0,cap 1)",
)


@table
def trials(results: Results) -> pd.DataFrame:
    """How many trials the arms have: the fewest and the most of a data set, isolet apart."""
    rows = []
    for arm in (*panel_arms(results), *(name for name in OTHER_PARTS if results.has(name))):
        counts = results.trials(arm, "ap").groupby("dataset").count()
        others = counts.drop("isolet", errors="ignore")
        rows.append(
            {
                "method": arm,
                "data sets": len(counts),
                "fewest": int(others.min()) if len(others) else 0,
                "most": int(others.max()) if len(others) else 0,
                "isolet": int(counts.get("isolet", 0)),
                "with 30": int(np.sum(others >= 30)),
            }
        )
    return pd.DataFrame(rows)
