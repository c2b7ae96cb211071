"""DRR beside the other methods, over data sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from benchmarks.study.figures import OURS, PAPER, SECOND, Drawing, figure
from benchmarks.study.metrics import CUTS, POINT_METRICS
from benchmarks.study.results import TUNED, Results, paper, paper_means
from benchmarks.study.tables.comparisons import average_ranks
from benchmarks.study.tables.diagnostics import margins
from benchmarks.study.tables.panel import panel_arms
from benchmarks.study.tables.same_map import same_map_grid

OTHERS = ("black", "#4a9a5b", "#b8860b", "#7b4fa3", "#b33b3b", "#888888", OURS)


@figure
def drr_against_resampler(results: Results) -> Drawing | None:
    """One point per task: AP of DRR against that of R&R, joined to the paper's point by a line."""
    first, second = "DRR(D=128)", "R&R(D=128)"
    tabular, genes = results.paired(first, second), results.paired(first, second, genes=True)
    if tabular.empty:
        return None
    picture, axes = plt.subplots(figsize=(4.8, 4.6))
    printed = pd.DataFrame({name: paper_means(name) for name in (first, second)}).loc[tabular.index]
    for name in tabular.index:
        axes.plot(
            [printed.loc[name, second], tabular.loc[name, second]],
            [printed.loc[name, first], tabular.loc[name, first]],
            color=PAPER,
            lw=0.7,
        )
    axes.plot(printed[second], printed[first], "o", ms=6, mfc="none", mec=PAPER, label="paper, same sets")
    wins = int((tabular[first] > tabular[second]).sum())
    axes.plot(
        tabular[second],
        tabular[first],
        "o",
        ms=5,
        color=OURS,
        label=f"tabular: DRR wins {wins} of {len(tabular)}",
    )
    if len(genes):
        wins = int((genes[first] > genes[second]).sum())
        axes.plot(
            genes[second],
            genes[first],
            "^",
            ms=5,
            color=SECOND,
            label=f"genes: DRR wins {wins} of {len(genes)}",
        )
    axes.plot([0, 1], [0, 1], color="black", lw=0.8)
    axes.set(xlabel="AP of R&R, D = 128", ylabel="AP of DRR, D = 128", xlim=(0, 1.02), ylim=(0, 1.02))
    axes.legend(fontsize=8, loc="lower right")
    both = (
        pd.concat([tabular.assign(kind="tabular"), genes.assign(kind="genes")])
        .rename_axis("task")
        .reset_index()
    )
    both[f"{first} paper"] = both["task"].map(printed[first])
    both[f"{second} paper"] = both["task"].map(printed[second])
    return picture, both


@figure
def floor_and_margin(results: Results) -> Drawing | None:
    """The margin of DRR over R&R at D = 0 against the feasibility floor."""
    frame = margins(results, 0)
    if len(frame) < 3:
        return None
    picture, axes = plt.subplots(figsize=(6.2, 3.7))
    for is_gene, colour, label in ((False, OURS, "tabular"), (True, SECOND, "gene tasks")):
        part = frame[frame["is_gene_task"] == is_gene]
        if len(part):
            axes.plot(
                part["floor"], part["margin"], "o" if not is_gene else "^", ms=5, color=colour, label=label
            )
    slope, intercept = np.polyfit(frame["floor"], frame["margin"], 1)
    ends = np.array([frame["floor"].min(), frame["floor"].max()])
    axes.plot(ends, intercept + slope * ends, ls="--", color="black", lw=0.8)
    rho = frame["floor"].corr(frame["margin"], method="spearman")
    axes.axhline(0, color="black", lw=0.6)
    axes.set(
        xlabel="feasibility floor φ, D = 0",
        ylabel="AP of DRR minus R&R",
        title=f"{len(frame)} tasks: Spearman {rho:+.2f} (paper, 32 tasks: +0.73)",
    )
    for name, row in frame.nlargest(2, "margin").iterrows():
        axes.annotate(
            str(name).split(":")[-1],
            (row["floor"], row["margin"]),
            fontsize=7,
            xytext=(4, 2),
            textcoords="offset points",
        )
    axes.legend()
    return picture, frame.rename_axis("task").reset_index()


@figure
def critical_difference(results: Results) -> Drawing | None:
    """Average ranks on AP; a bar joins methods that the Nemenyi test does not tell apart."""
    frame = average_ranks(results)
    if len(frame) < 3:
        return None
    critical = float(frame["critical difference"].iloc[0])
    names, ranks = list(frame["method"]), frame["average rank"].to_numpy()
    picture, axes = plt.subplots(figsize=(7.6, 0.34 * len(names) + 1.3))
    half = (len(names) + 1) // 2
    left, right = 0.5, len(names) + 0.5
    for k, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        is_left = k < half
        height = -(k + 1 if is_left else len(names) - k) * 0.9
        edge = left if is_left else right
        axes.plot([rank, rank, edge], [0, height, height], color="black", lw=0.8)
        axes.text(
            edge + (-0.1 if is_left else 0.1),
            height,
            f"{name} {rank:.2f}",
            ha="right" if is_left else "left",
            va="center",
            color=OURS if name.startswith("DRR") else "black",
        )
    level = -0.3
    last_end = -1
    for start in range(len(names)):
        end = int(np.searchsorted(ranks, ranks[start] + critical, side="right")) - 1
        if end > start and end > last_end:
            axes.plot([ranks[start] - 0.04, ranks[end] + 0.04], [level, level], color=SECOND, lw=3)
            level -= 0.3
            last_end = end
    axes.plot([1, 1 + critical], [0.9, 0.9], color="black", lw=1.5)
    axes.text(
        1 + critical / 2, 1.05, f"critical difference {critical:.2f}", ha="center", va="bottom", fontsize=8
    )
    axes.plot([1, len(names)], [0, 0], color="black", lw=1)
    for tick in range(1, len(names) + 1):
        axes.plot([tick, tick], [0, 0.15], color="black", lw=0.8)
        axes.text(tick, 0.2, str(tick), ha="center", va="bottom", fontsize=7)
    axes.set(xlim=(left - 3.2, right + 3.2), ylim=(-(half + 0.8) * 0.9, 2))
    axes.axis("off")
    axes.set_title(
        f"Average ranks on AP over {int(frame['data sets'].iloc[0])} data sets (1 is best)", fontsize=9
    )
    return picture, frame


@figure
def box_plots(results: Results) -> Drawing | None:
    """Distributions over data sets of AP and of F1 at its cut, sorted by the median AP."""
    arms = [arm for arm in panel_arms(results) if len(results.means(arm, "ap")) > 3]
    if not arms:
        return None
    values = {metric: {arm: results.means(arm, TUNED[metric]) for arm in arms} for metric in ("ap", "f1")}
    arms.sort(key=lambda arm: values["ap"][arm].median())
    picture, axes = plt.subplots(1, 2, figsize=(8.6, 0.26 * len(arms) + 1), sharey=True)
    for panel, metric, title in zip(axes, ("ap", "f1"), ("average precision", "F1 at its cut"), strict=True):
        boxes = panel.boxplot(
            [values[metric][arm].dropna() for arm in arms],
            orientation="horizontal",
            tick_labels=arms,
            patch_artist=True,
            widths=0.6,
            flierprops={"ms": 3},
            medianprops={"color": "black"},
        )
        for box, arm in zip(boxes["boxes"], arms, strict=True):
            box.set(facecolor=OURS if arm.startswith("DRR") else "#dddddd", alpha=0.8)
        panel.set_title(title)
    numbers = pd.concat(
        [pd.DataFrame(columns).assign(metric=metric) for metric, columns in values.items()]
    ).rename_axis("dataset")
    return picture, numbers.reset_index()


@figure
def cuts(results: Results) -> Drawing | None:
    """Operating points of seven methods at three cuts; grey rings are the paper's."""
    names = ("base", "cost-sensitive", "SMOTE", "balanced RF", "R&R(D=128)", "HistGB", "DRR(D=128)")
    there = [name for name in names if results.has(name)]
    if len(there) < 3:
        return None
    picture, axes = plt.subplots(1, 4, figsize=(11, 3.2))
    rows = []
    titles = ("balanced accuracy", "F1", "MCC", "G-mean")
    for panel, metric, title in zip(axes, POINT_METRICS, titles, strict=True):
        for name, other in zip(there, OTHERS, strict=False):
            ours = [results.means(name, f"{metric}_{cut}").mean() for cut in CUTS]
            theirs = [paper()["cuts"][cut][name][metric] for cut in CUTS]
            is_drr = name.startswith("DRR")
            colour, width = (OURS, 2.2) if is_drr else (other, 1.0)
            panel.plot(range(3), ours, "o-", ms=4, lw=width, color=colour, label=name)
            panel.plot(range(3), theirs, "o", ms=8, mfc="none", mec=colour, alpha=0.5)
            rows += [
                {"metric": metric, "method": name, "cut": cut, "ours": a, "paper": b}
                for cut, a, b in zip(CUTS, ours, theirs, strict=True)
            ]
        panel.set_xticks(range(3), ["½", "bal. acc.", "F1"])
        panel.set_title(title)
    axes[0].set_ylabel("mean over data sets (rings: paper)")
    axes[-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))
    picture.tight_layout()
    return picture, pd.DataFrame(rows)


@figure
def same_map_controls(results: Results) -> Drawing | None:
    """AP of logistic regression on the dual's features against its penalty, beside DRR and the dual."""
    frame = same_map_grid(results)
    frame = frame[(frame["metric"] == "ap")].dropna(subset=["LR"])
    if frame.empty:
        return None
    picture, axes = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True)
    for panel, n in zip(axes, (0, 128), strict=True):
        part = frame[frame["D"] == n]
        for kind, colour in (("LR", SECOND), ("balanced LR", "#4a9a5b")):
            panel.semilogx(part["C"], part[kind], "o--", ms=4, color=colour, label=f"{kind} alone")
            panel.semilogx(part["C"], part[f"base+{kind}"], "o-", ms=4, color=colour, label=f"base + {kind}")
        reference = results.paired(f"DRR(D={n})", f"LR(D={n},C=1)")[f"DRR(D={n})"].mean()
        dual = results.paired(f"dual(D={n})", f"LR(D={n},C=1)")[f"dual(D={n})"].mean()
        panel.axhline(reference, color=OURS, lw=2, label="DRR")
        panel.axhline(dual, color=OURS, lw=1, ls="--", label="dual alone")
        panel.set(xlabel="C, weaker penalty to the right", title=f"D = {n}")
    axes[0].set_ylabel("mean AP over data sets")
    axes[1].legend(fontsize=7, handlelength=4)  # long enough to tell dashes from a line
    return picture, frame
