"""What the text of the paper reports beside its tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy.stats

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.methods.variants import PRIMARY
from benchmarks.study.results import Results, paper
from benchmarks.study.tables import table
from drr import Status

LIMIT = Status.ITERATION_LIMIT.name


def margins(results: Results, n_random: int, *, genes: bool | None = None) -> pd.DataFrame:
    """Per task: floor, ESS/n₀ and the margin of DRR over R&R; gene tasks included unless told otherwise."""
    parts = []
    for part in (False, True) if genes is None else (genes,):
        values = results.differences(f"DRR(D={n_random})", f"R&R(D={n_random})", genes=part)
        parts.append(values.rename("margin").to_frame().assign(is_gene_task=part))
    figures = results.extras(f"dual(D={n_random})").groupby("dataset")[["floor", "ess_share"]].mean()
    return pd.concat(parts).join(figures, how="inner")


@table
def margin_by_floor(results: Results) -> pd.DataFrame:
    """Rank correlation of the margin with the floor and with ESS/n₀, over tabular sets and gene tasks."""
    rows = []
    for n in PRIMARY:
        for scope, genes in (("tabular", False), ("tabular and genes", None)):
            frame = margins(results, n, genes=genes)
            if len(frame) < 3:
                continue
            for column, key in (("floor", "spearman_margin_floor"), ("ess_share", "spearman_margin_ess")):
                rows.append(
                    {
                        "D": n,
                        "tasks": f"{scope} ({len(frame)})",
                        "with": column,
                        "Spearman": scipy.stats.spearmanr(frame["margin"], frame[column]).statistic,
                        "paper (24 tabular, 8 gene tasks)": paper()["text"][key][f"D={n}"],
                    }
                )
    return pd.DataFrame(rows)


@table
def solver(results: Results) -> pd.DataFrame:
    """Zero duals, iterations, statuses of the published algorithm at the reported setting."""
    text, rows = paper()["text"], []
    for n in PRIMARY:
        figures = results.extras(f"dual(D={n})")
        figures = figures[~figures["dataset"].map(is_gene_task)]
        if figures.empty:
            continue
        zero = figures[figures["is_zero"]]
        yeast = figures[figures["dataset"] == "yeast"]
        others = sorted(set(zero["dataset"]) - {"yeast"})
        rows += [
            (n, "fit subsets", len(figures), np.nan),
            (
                n,
                f"zero duals on yeast, of {len(yeast)} trials",
                int(yeast["is_zero"].sum()),
                text["yeast_zero_duals_of_30"] if n == 0 else 0,
            ),
            (n, f"data sets with other zero duals {others or ''}".strip(), len(others), 0),
            (
                n,
                "median iterations of the dual",
                figures["dual_iterations"].median(),
                text["dual_iterations_median"],
            ),
            (n, "largest", figures["dual_iterations"].max(), 83),
            (
                n,
                "duals that converged by the paper's rule",
                float((figures["dual_status"] != "ITERATION_LIMIT").mean()),
                1.0,
            ),
            (
                n,
                "floors that hit the iteration limit",
                float((figures["floor_status"] == "ITERATION_LIMIT").mean()),
                np.nan,
            ),
            (
                n,
                "mean ESS/n0",
                figures.groupby("dataset")["ess_share"].mean().mean(),
                0.12 if n == 128 else np.nan,
            ),
        ]
    return pd.DataFrame(rows, columns=["D", "value", "ours", "paper"])


@table
def reversed_maps(results: Results) -> pd.DataFrame:
    """How often the Platt map of DRR has a slope of zero or less, and so reverses the ranking."""
    rows = []
    for n, printed in zip(PRIMARY, paper()["text"]["reversed_platt_share"], strict=True):
        slopes = results.of(f"DRR(D={n})")
        slopes = slopes[~slopes["dataset"].map(is_gene_task)]["platt_slope"]
        rows.append((n, len(slopes), float((slopes <= 0).mean()), printed))
    return pd.DataFrame(rows, columns=["D", "maps", "share reversed", "paper"])


@table
def logit_adjustment(results: Results) -> pd.DataFrame:
    """Its ranking beside the base's, the share of clipped probabilities, and its native cut at zero."""
    if not results.has("logit adjust"):
        return pd.DataFrame()
    rows = []
    for metric, printed in (("ap", (0.421, 0.422)), ("auc", (0.831, 0.832))):
        both = results.paired("logit adjust", "base", metric)
        rows.append((f"{metric}, adjusted", both["logit adjust"].mean(), printed[0]))
        rows.append((f"{metric}, base", both["base"].mean(), printed[1]))
    figures = results.extras("logit adjust")
    for learner, part in figures.groupby("learner"):
        rows.append(
            (f"share of probabilities clipped at 1e-9, {learner}", part["clipped_share"].mean(), np.nan)
        )
    for name in ("balanced_accuracy", "f1", "mcc", "g_mean"):
        rows.append(
            (f"{name} at the native cut", figures.groupby("dataset")[f"native_{name}"].mean().mean(), np.nan)
        )
    return pd.DataFrame(rows, columns=["value", "ours", "paper"])


@table
def default_solver(results: Results) -> pd.DataFrame:
    """The library's certified solver in place of the published algorithm: the same scores."""
    if not results.has("DRR(D=128,auto)"):
        return pd.DataFrame()
    values = results.differences("DRR(D=128,auto)", "DRR(D=128)")
    ours = results.extras("DRR(D=128,auto)")
    keys = ["dataset", "trial"]
    gaps = results.extras("dual(D=128)").set_index(keys)["floor"] - ours.groupby(keys)["floor"].mean()
    rows = [
        ("largest change of a data set's mean AP", float(values.abs().max())),
        ("largest excess of the published floor", float(gaps.dropna().max())),
    ]
    return pd.DataFrame(rows, columns=["value", "found"])
