"""Draw what the contest measured: times on one thread, in units of our own."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.speed.contest import Row

PICTURES = Path(__file__).parents[2] / "docs" / "_static" / "speed"
PEERS = {  # contestant → label, colour, marker
    "drr, paper's method": ("paper's method, our C++", "C1", "s"),
    "NumPy, paper's method": ("paper's method, NumPy and SciPy", "C3", "D"),
    "empirical_calibration": ("empirical_calibration", "C2", "^"),
    "LogisticRegression, newton-cholesky": ("scikit-learn's LogisticRegression", "C4", "v"),
    "cvxpy with Clarabel": ("cvxpy with Clarabel", "C5", "P"),
}
LIMITS = {"one pass": ("limit: one pass over the rows", "|"), "one dsyrk": ("limit: one dsyrk", "x")}
PANELS = {"floor": "Floor", "dual": "Dual", "whole": "Floor and dual, or a logistic regression"}


def draw(rows: list[Row], path: Path) -> None:
    """A line for each problem; our time is written where the others are measured from."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FuncFormatter

    table = {(row.problem, row.task, row.contestant): row for row in rows}
    problems = {row.problem: f"{row.problem}\n{row.n_rows} × {row.n_columns}" for row in rows}
    figure, panels = plt.subplots(
        1, 3, figsize=(14, 0.46 * len(problems) + 1.8), sharey=True, layout="constrained"
    )
    for axes, (task, title) in zip(panels, PANELS.items(), strict=True):
        for at, problem in enumerate(problems):
            ours = table[problem, task, "drr"].seconds
            for name, (_, marker) in LIMITS.items():
                axes.scatter(
                    table[problem, "limit", name].seconds / ours, at, color="0.55", marker=marker, s=26
                )
            for name, (_, colour, marker) in PEERS.items():
                row = table.get((problem, task, name))
                if row is not None and math.isfinite(row.seconds):
                    _mark(axes, row.seconds / ours, at, colour, marker, stopped="stopped" in row.detail)
            axes.annotate(
                _time(ours),
                (1, at),
                (-3, 4),
                textcoords="offset points",
                ha="right",
                fontsize=7.5,
                color="C0",
            )
        axes.axvline(1, color="C0", linewidth=1.5, zorder=1)
        axes.set(xscale="log", title=title, xlabel="times as long as drr, one thread")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(alpha=0.25)
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(problems)), problems.values(), fontsize=8)
    panels[0].set_ylim(len(problems) - 0.5, -0.6)

    def entry(label: str, colour: str, marker: str, face: str | None = None) -> Line2D:
        return Line2D(
            [], [], linestyle="", marker=marker, color=colour, markerfacecolor=face or colour, label=label
        )

    handles = [Line2D([], [], color="C0", label="drr, and its time")]
    handles += [entry(label, "0.55", marker) for label, marker in LIMITS.values()]
    handles += [entry(label, colour, marker) for label, colour, marker in PEERS.values()]
    handles.append(entry("hollow, with an arrow: stopped, so at least this", "0.3", "D", "none"))
    figure.legend(handles=handles, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    figure.savefig(path, dpi=120)


def _mark(axes: object, ratio: float, at: int, colour: str, marker: str, *, stopped: bool) -> None:
    axes.scatter(  # type: ignore[attr-defined]
        ratio, at, marker=marker, s=32, facecolor="none" if stopped else colour, edgecolor=colour, zorder=3
    )
    if stopped:
        axes.annotate(  # type: ignore[attr-defined]
            "",
            (1.8 * ratio, at),
            (ratio, at),
            arrowprops={"arrowstyle": "->", "color": colour, "shrinkA": 3, "shrinkB": 0},
        )


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
