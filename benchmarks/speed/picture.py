"""Draw what the contest measured: times on one thread, in units of our own."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.speed.contest import Row

PEERS = {
    "drr, paper's method": ("paper's method, our C++", "C1", "s"),
    "NumPy, paper's method": ("paper's method, NumPy and SciPy", "C3", "D"),
    "empirical_calibration": ("empirical_calibration", "C2", "^"),
    "LogisticRegression, newton-cholesky": ("scikit-learn's LogisticRegression", "C4", "v"),
    "cvxpy with Clarabel": ("cvxpy with Clarabel", "C5", "P"),
}
LIMITS = {"one pass": ("limit: one pass", "|"), "one dsyrk": ("limit: one dsyrk", "x")}
PANELS = {
    "floor": "Floor",
    "dual": "Dual",
    "whole": "Floor and dual, or a logistic regression",
}


def draw(rows: list[Row], path: Path) -> None:
    """Rows of the picture are problems; our time is written at the line that the others are measured from."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    problems = list(dict.fromkeys(row.problem for row in rows))
    shapes = {row.problem: f"{row.n_rows} × {row.n_columns}" for row in rows}
    seconds = {(row.problem, row.task, row.contestant): row for row in rows}
    figure, panels = plt.subplots(
        1, 3, figsize=(14, 0.42 * len(problems) + 1.9), sharey=True, layout="constrained"
    )
    for axes, (task, title) in zip(panels, PANELS.items(), strict=True):
        for at, problem in enumerate(problems):
            ours = seconds[problem, task, "drr"].seconds
            axes.annotate(
                _time(ours), (1, at), (-4, 0), textcoords="offset points", ha="right", va="center", fontsize=8
            )
            for name, (label, marker) in LIMITS.items():
                limit = seconds[problem, "limit", name].seconds / ours
                axes.scatter(limit, at, color="0.55", marker=marker, s=30, label=label, zorder=2)
            for name, (label, colour, marker) in PEERS.items():
                row = seconds.get((problem, task, name))
                if row is None or not math.isfinite(row.seconds):
                    continue
                stopped = "stopped" in row.detail
                axes.scatter(
                    row.seconds / ours, at, marker=marker, s=34, label=label, zorder=3,
                    facecolor="none" if stopped else colour, edgecolor=colour,
                )  # fmt: skip
                if stopped:
                    axes.annotate(
                        "", (1.5 * row.seconds / ours, at), (row.seconds / ours, at),
                        arrowprops={"arrowstyle": "->", "color": colour, "shrinkA": 3, "shrinkB": 0},
                    )  # fmt: skip
        axes.axvline(1, color="C0", linewidth=1.5, label="drr = 1 (its time beside it)", zorder=1)
        axes.set(xscale="log", title=title, xlabel="time in units of drr's, one thread")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(axis="both", alpha=0.25)
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(problems)), [f"{name}\n{shapes[name]}" for name in problems], fontsize=8)
    panels[0].invert_yaxis()
    handles = {
        label: handle
        for axes in panels
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        if handle is not None
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle("Hollow with an arrow: stopped at its time limit, so at least this much", fontsize=9)
    figure.savefig(path, dpi=120)


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
