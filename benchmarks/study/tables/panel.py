"""Means of every method: the panel, the cuts, per data set and per learner."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.datasets import GENE_TASKS_OF_THE_PAPER, TABULAR
from benchmarks.study.learners import LEARNERS
from benchmarks.study.methods import METHODS
from benchmarks.study.metrics import CUTS, POINT_METRICS
from benchmarks.study.protocol import n_fit
from benchmarks.study.results import STANDARDISED_BASE, Results, paper, paper_mean_over, paper_means
from benchmarks.study.statistics import mean_interval
from benchmarks.study.tables import table

RANKED = ("DRR(D=128)", STANDARDISED_BASE, "cost-sensitive", "HistGB", "R&R(D=128)")


def panel_arms(results: Results) -> list[str]:
    """The arms of the panel that have results, in its order; a new method comes in by its `rank_in_panel`."""
    ranked = sorted(
        (method for method in METHODS.values() if method.rank_in_panel is not None),
        key=lambda method: method.rank_in_panel or 0,
    )
    return [arm for method in ranked for arm in method.arms() if results.has(arm) and ",w=" not in arm]


def in_paper(arms: list[str]) -> list[str]:
    """Those that the paper's panel has."""
    return [arm for arm in arms if arm in paper()["panel"]]


@table
def panel(results: Results) -> pd.DataFrame:
    """Mean ranking and probability accuracy of the paper's methods, in the trials that all of them have."""
    return _panel(results, in_paper(panel_arms(results)))


@table
def other_methods(results: Results) -> pd.DataFrame:
    """The methods that the paper's panel lacks, beside base and DRR in the trials that these share with them."""
    arms = panel_arms(results)
    others = [arm for arm in arms if arm not in paper()["panel"]]
    return _panel(results, ["base", *others, "DRR(D=128)"]) if others else pd.DataFrame()


def _panel(results: Results, arms: list[str]) -> pd.DataFrame:
    arms = [arm for arm in arms if results.has(arm)]
    results, rows = results.common(arms), []
    for arm in arms:
        printed = paper()["panel"].get(arm, {})
        fewest, most = results.n_trials(arm)
        values = results.means(arm, "ap")
        row = {"method": arm, "data sets": len(values), "trials": f"{fewest}-{most}"}
        for metric in ("ap", "auc", "brier", "brier_platt"):
            row[metric] = results.means(arm, metric).mean()
            row[f"{metric} paper"] = printed.get(metric, np.nan)
        row["ap paper, same sets"] = paper_mean_over(arm, list(values.index))
        row["ap half-width"], row["auc half-width"] = (
            half_width(results.means(arm, metric)) for metric in ("ap", "auc")
        )
        row["brier_platt by likelihood"] = results.means(arm, "brier_platt_ml").mean()
        rows.append(row)
    return pd.DataFrame(rows)


def half_width(values: pd.Series) -> float:
    """Half of the 95 % interval of a mean over resampled data sets."""
    low, high = mean_interval(values)
    return (high - low) / 2


def _cut(results: Results, cut: str) -> pd.DataFrame:
    arms = in_paper(panel_arms(results))
    results, rows = results.common(arms), []
    for arm in arms:
        printed = paper()["cuts"][cut].get(arm, {})
        row = {"method": arm}
        for metric in POINT_METRICS:
            row[metric] = results.means(arm, f"{metric}_{cut}").mean()
            value = printed.get(metric)
            row[f"{metric} paper"] = np.nan if value is None else value
        rows.append(row)
    return pd.DataFrame(rows)


@table
def cut_half(results: Results) -> pd.DataFrame:
    """Operating points at a probability of one half."""
    return _cut(results, CUTS[0])


@table
def cut_balanced(results: Results) -> pd.DataFrame:
    """Operating points at the cut with the best balanced accuracy on the threshold rows."""
    return _cut(results, CUTS[1])


@table
def cut_f1(results: Results) -> pd.DataFrame:
    """Operating points at the cut with the best F1 on the threshold rows."""
    return _cut(results, CUTS[2])


@table
def per_dataset(results: Results) -> pd.DataFrame:
    """Average precision per data set, with the floor, in the paper's order; missing sets are listed as missing."""
    floors = results.extras("dual(D=128)")
    floor = floors.groupby("dataset")["floor"].mean() if len(floors) else pd.Series(dtype=float)
    ratio = _fit_imbalance(floors)
    rows = []
    for name, printed in paper()["per_dataset"].items():
        row = {
            "dataset": name,
            "status": "missing" if name in results.missing else "",
            "IR": ratio.get(name, np.nan),
            "IR paper": printed["ir"],
            "floor": floor.get(name, np.nan),
            "floor paper": printed["floor"],
        }
        for method in RANKED:
            row[method] = results.means(method, "ap").get(name, np.nan)
            theirs = paper_means(method)
            row[f"{method} paper"] = np.nan if theirs is None else theirs[name]
        both = results.paired("DRR(D=128)", "R&R(D=128)")
        row["margin"] = (both["DRR(D=128)"] - both["R&R(D=128)"]).get(name, np.nan)
        row["margin paper"] = printed["margin"]
        rows.append(row)
    return pd.DataFrame(rows)


def _fit_imbalance(duals: pd.DataFrame) -> pd.Series:
    """Majority rows per rare row of the fit subset, from the number of majority rows that the dual saw."""
    if duals.empty:
        return pd.Series(dtype=float)
    majority = duals[duals["dataset"].isin(TABULAR)].groupby("dataset")["n_majority"].mean()
    return majority / (pd.Series({name: n_fit(TABULAR[name].n) for name in majority.index}) - majority)


@table
def data_sets(results: Results) -> pd.DataFrame:
    """The paper's tabular data sets as they are loaded, and whether there are results of them."""
    rows = []
    for name, counts in TABULAR.items():
        rows.append(
            {
                "dataset": name,
                "n": counts.n,
                "p": counts.n_continuous + counts.n_categorical,
                "continuous": counts.n_continuous,
                "categorical": counts.n_categorical,
                "n1": counts.n_minority,
                "IR": (counts.n - counts.n_minority) / counts.n_minority,
                "status": "missing" if name in results.missing else "run",
            }
        )
    return pd.DataFrame(rows)


@table
def gene_tasks_of_the_paper(results: Results) -> pd.DataFrame:
    """The paper's gene-expression tasks: 1,545 rows, 10,935 genes each, from OpenML."""
    there = set(results.cells["dataset"])
    rows = [
        (
            name,
            identifier,
            n_minority,
            (1545 - n_minority) / n_minority,
            "run" if name in there else "missing",
        )
        for name, (identifier, n_minority) in GENE_TASKS_OF_THE_PAPER.items()
    ]
    return pd.DataFrame(rows, columns=["task", "OpenML", "n1", "IR", "status"])


@table
def all_methods_per_dataset(results: Results) -> pd.DataFrame:
    """Average precision of every method of the panel on every data set."""
    columns = {arm: results.means(arm, "ap") for arm in panel_arms(results)}
    return pd.DataFrame(columns).reindex(results.datasets).rename_axis("dataset").reset_index()


@table
def per_learner(results: Results) -> pd.DataFrame:
    """Average precision under each base learner."""
    rows = []
    for arm in panel_arms(results):
        if set(results.of(arm)["learner"]) <= {"-"}:
            continue
        row = {"method": arm}
        for name in LEARNERS:
            row[name] = results.means(arm, "ap", (name,)).mean()
            value = paper()["per_learner"].get(arm, {}).get(name)
            row[f"{name} paper"] = np.nan if value is None else value
        rows.append(row)
    return pd.DataFrame(rows)


@table
def failures(results: Results) -> pd.DataFrame:
    """Cells that failed, by method and data set, with the reason."""
    if results.failed.empty:
        return pd.DataFrame(columns=["method", "dataset", "cells", "error"])
    groups = results.failed.groupby(["method", "dataset", "error"]).size().rename("cells").reset_index()
    return groups[["method", "dataset", "cells", "error"]]


@table
def warnings_by_method(results: Results) -> pd.DataFrame:
    """How many cells of a method carry which warnings; their rows are kept."""
    noted = results.cells.dropna(subset=["warnings"])
    groups = noted.groupby(["method", "learner", "warnings"]).size().rename("cells")
    return groups.reset_index()
