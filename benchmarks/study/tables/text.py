"""Values that the paper reports in its text alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.methods.variants import PRIMARY
from benchmarks.study.results import Results, paper
from benchmarks.study.tables import table
from benchmarks.study.tables.panel import in_paper, panel, panel_arms

BEST_OF = ("DRR(D=128)", "cost-sensitive", "HistGB", "R&R(D=128)")
Rows = list[tuple[str, object, object]]


@table
def text_values(results: Results) -> pd.DataFrame:
    """Half-widths, winners, fusion against the dual by learner, solves, reversed maps and limits."""
    rows = [
        *_half_widths(results),
        *_best_of_four(results),
        *_fusion_over_dual(results),
        *_solves(results),
        *_tasks(results),
    ]
    return pd.DataFrame(rows, columns=["value", "ours", "paper"])


def _half_widths(results: Results) -> Rows:
    if len(in_paper(panel_arms(results))) < 2:
        return []
    frame = panel(results)
    return [
        (f"half-widths of the panel's {name} intervals", _range(frame[f"{metric} half-width"]), printed)
        for name, metric, printed in (("AP", "ap", "0.09–0.12"), ("AUC", "auc", "0.04–0.05"))
    ]


def _range(values: pd.Series) -> str:
    return f"{values.min():.3f}–{values.max():.3f}"


def _best_of_four(results: Results) -> Rows:
    if not all(results.has(name) for name in BEST_OF):
        return []
    ours = pd.DataFrame({name: results.means(name, "ap") for name in BEST_OF}).dropna()
    theirs = pd.DataFrame(paper()["per_dataset"]).T.loc[ours.index, list(BEST_OF)].astype(float)
    best, printed = ours.idxmax(axis=1).value_counts(), theirs.idxmax(axis=1).value_counts()
    return [
        (f"best of four on, {name}", int(best.get(name, 0)), f"{int(printed.get(name, 0))} of the same sets")
        for name in BEST_OF
    ]


def _fusion_over_dual(results: Results) -> Rows:
    rows: Rows = []
    dual = results.trials("dual(D=128)", "ap")
    for learner in ("SVM", "RF", "MLP", "NB", "KLR"):
        fused = results.trials("DRR(D=128)", "ap", (learner,))
        values = (fused - dual).dropna().groupby("dataset").mean()
        if len(values):
            printed = (
                "+0.020 to +0.026, 15–16 wins of 24" if learner in ("SVM", "RF", "MLP") else "dual higher"
            )
            found = f"{values.mean():+.3f}, {int((values > 0).sum())} wins of {len(values)}"
            rows.append((f"DRR(D=128) minus the dual alone under {learner}", found, printed))
    return rows


def _solves(results: Results) -> Rows:
    arms = sorted({name for name in results.cells["method"] if name.startswith("dual(")})
    if not arms:
        return []
    figures = results.extras(*arms)
    figures = figures[~figures["dataset"].map(is_gene_task)]
    n_converged = int((figures["dual_status"] != "ITERATION_LIMIT").sum())
    fused = results.cells[results.cells["method"].str.startswith("DRR(D=")]
    fused = fused[~fused["dataset"].map(is_gene_task)]
    rows: Rows = [
        ("duals that converged", f"{n_converged} of {len(figures)}", "10,079 of 10,080"),
        (
            f"reversed maps of all {len(fused)} fused scores, weights and sweeps included",
            f"{np.mean(fused['platt_slope'] <= 0):.1%}",
            "2.2 % of 54,000",
        ),
    ]
    smote = results.of("FW-SMOTE")
    smote = smote[(smote["learner"] == "MLP") & ~smote["dataset"].map(is_gene_task)]
    if len(smote):
        at_limit = int(smote["warnings"].fillna("").str.contains("ConvergenceWarning").sum())
        rows.append(("perceptrons at their limit under FW-SMOTE", f"{at_limit} of {len(smote)}", "20 of 720"))
    return rows


def _tasks(results: Results) -> Rows:
    rows: Rows = []
    for n in PRIMARY:
        values = results.differences(f"DRR(D={n})", f"R&R(D={n})")
        if len(values):
            found = f"{int((values > 0).sum())} of {len(values)}, {values.mean():+.3f}"
            rows.append((f"tabular sets on which DRR(D={n}) beats R&R", found, "22 of 24"))
    return rows
