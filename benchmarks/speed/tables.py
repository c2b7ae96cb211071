"""Print what the contest measured."""

from __future__ import annotations

import math

from benchmarks.speed.contest import Row
from benchmarks.speed.targets import Target


def print_problem(rows: list[Row]) -> None:
    if not rows:
        return
    dsyrk = next((row.seconds for row in rows if row.contestant == "one dsyrk"), math.nan)
    print(f"\n{rows[0].problem}: {rows[0].n_rows} rows × {rows[0].n_columns} columns")
    print(
        f"  {'':46}{'time':>10}{'of drr':>9}{'dsyrk':>8}{'memory':>9}{'gap':>8}{'grad/δ':>8}{'weights':>8}"
        f"{'passes':>7}{'iter.':>6}"
    )
    for row in rows:
        ours = next((r.seconds for r in rows if r.task == row.task and r.contestant == "drr"), math.nan)
        print(
            f"  {row.task + ': ' + row.contestant:46}{_time(row.seconds):>10}"
            f"{_number(row.seconds / ours, '.1f', '×'):>9}"
            f"{_number(row.seconds / dsyrk, '.2f'):>8}{_number(row.memory_bytes / 1e6, '.0f', 'M'):>9}"
            f"{_number(row.gap, '.0e'):>8}{_number(row.gradient, '.0e'):>8}{_number(row.weights_error, '.0e'):>8}"
            f"{_number(row.passes, '.0f'):>7}{_number(row.iterations, '.0f'):>6}  {row.detail}"
        )


def print_summary(rows: list[Row]) -> None:
    """One line per problem, in Markdown: our times, and how many times as long the peers take."""
    table = {(row.problem, row.task, row.contestant): row for row in rows}
    peers = {
        "floor": ("NumPy, paper's method",),
        "dual": ("NumPy, paper's method", "empirical_calibration", "one dsyrk", "drr, 2 threads"),
        "whole": ("NumPy, paper's method", "LogisticRegression, newton-cholesky"),
    }
    header = ["problem", "rows × columns"]
    for task, names in peers.items():
        header += [task, *names]
    print("\n| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
    for problem, shape in {row.problem: f"{row.n_rows} × {row.n_columns}" for row in rows}.items():
        cells = [problem, shape]
        for task, names in peers.items():
            ours = table[problem, task, "drr"].seconds
            cells.append(_time(ours))
            for name in names:
                row = table.get((problem, "limit" if name == "one dsyrk" else task, name))
                at_least = "≥ " if row and "stopped" in row.detail else ""
                cells.append(at_least + _number(row.seconds / ours, ".3g", "×") if row else "–")
        print("| " + " | ".join(cells) + " |")


def print_targets(targets: list[Target]) -> None:
    met = sum(target.met for target in targets)
    print(f"\nfigures to reach: {met} of {len(targets)} met")
    for target in targets:
        print(
            f"  {'met  ' if target.met else 'UNMET'}  {target.problem:22} {target.statement:62} {target.measured:.4g}"
        )


def _time(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "–"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.2f} ms"


def _number(value: float, form: str, unit: str = "") -> str:
    return f"{value:{form}}{unit}" if math.isfinite(value) else "–"
