"""Print, store and draw what the contest measured."""

from __future__ import annotations

import csv
import math
from dataclasses import asdict, fields
from pathlib import Path

from benchmarks.speed.contest import Row
from benchmarks.speed.targets import Target


def print_problem(rows: list[Row], problem: str) -> None:
    mine = [row for row in rows if row.problem == problem]
    if not mine:
        return
    dsyrk = next((row.seconds for row in mine if row.contestant == "one dsyrk"), math.nan)
    print(f"\n{problem}: {mine[0].n_rows} rows × {mine[0].n_columns} columns")
    print(f"  {'':46}{'time':>10}{'of drr':>9}{'dsyrk':>8}{'memory':>9}{'gap':>9}{'passes':>8}{'iter.':>7}")
    for row in mine:
        ours = next((r.seconds for r in mine if r.task == row.task and r.contestant == "drr"), math.nan)
        print(
            f"  {row.task + ': ' + row.contestant:46}{_time(row.seconds):>10}{_number(row.seconds / ours, '.1f', '×'):>9}"
            f"{_number(row.seconds / dsyrk, '.1f'):>8}{_number(row.memory_bytes / 2**20, '.0f', 'M'):>9}"
            f"{_number(row.gap, '.0e'):>9}{_number(row.passes, '.0f'):>8}{_number(row.iterations, '.0f'):>7}  {row.detail}"
        )


def print_targets(targets: list[Target]) -> None:
    print("\nfigures to reach")
    for target in targets:
        print(f"  {'met  ' if target.met else 'UNMET'}  {target.problem:22} {target.statement:62} {target.measured:.4g}")


def write(rows: list[Row], targets: list[Target], directory: Path) -> None:
    for name, records in (("results", rows), ("targets", targets)):
        if records:
            with open(directory / f"{name}.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, [field.name for field in fields(records[0])])
                writer.writeheader()
                writer.writerows(asdict(record) for record in records)
    _draw(rows, directory / "results.png")


def _draw(rows: list[Row], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    problems = list(dict.fromkeys(row.problem for row in rows))
    contestants = {
        "drr": ("C0", "o"),
        "drr, paper's method": ("C1", "s"),
        "NumPy, paper's method": ("C3", "D"),
        "empirical_calibration": ("C2", "^"),
        "LogisticRegression, newton-cholesky": ("C4", "v"),
        "cvxpy with Clarabel": ("C5", "P"),
    }
    limits = {"one pass": "|", "one dsyrk": "x"}
    figure, panels = plt.subplots(1, 3, figsize=(13, 0.5 * len(problems) + 1.8), sharey=True, layout="constrained")
    for axes, task, title in zip(
        panels, ("floor", "dual", "whole"), ("floor", "dual", "floor and dual, or a logistic regression"), strict=True
    ):
        for name, (colour, marker) in contestants.items():
            points = [(r.seconds, problems.index(r.problem)) for r in rows if (r.task, r.contestant) == (task, name)]
            if points:
                axes.scatter(*zip(*points, strict=True), color=colour, marker=marker, label=name, zorder=3)
        for name, marker in limits.items():
            points = [(r.seconds, problems.index(r.problem)) for r in rows if r.contestant == name]
            if points:
                axes.scatter(*zip(*points, strict=True), color="0.5", marker=marker, label=f"limit: {name}")
        axes.set(xscale="log", title=title, xlabel="seconds, one thread")
        axes.grid(axis="x", alpha=0.3)
    panels[0].set_yticks(range(len(problems)), problems)
    panels[0].invert_yaxis()
    handles = {label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=120)


def _time(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "–"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.2f} ms"


def _number(value: float, form: str, unit: str = "") -> str:
    return f"{value:{form}}{unit}" if math.isfinite(value) else "–"
