"""Results as the tables need them: means per data set, paired where two methods are compared."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.datasets import TABULAR, is_gene_task
from benchmarks.study.learners import LEARNERS, STANDALONE
from benchmarks.study.store import extras, read_results

# Where a single figure is wanted: the cut at which each metric is read.
TUNED = {
    "ap": "ap",
    "auc": "auc",
    "balanced_accuracy": "balanced_accuracy_balanced",
    "f1": "f1_f1",
    "mcc": "mcc_balanced",
    "g_mean": "g_mean_balanced",
}
STANDARDISED_BASE = "DRR(D=128,w=0)"
WEIGHTED = tuple(name for name, learner in LEARNERS.items() if learner.has_class_weight)


@cache
def paper() -> dict[str, Any]:
    """The figures printed in the paper, by table."""
    text = (files("benchmarks.study") / "paper.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@dataclass(frozen=True, eq=False)
class Results:
    """The cells of a run that did not fail."""

    cells: pd.DataFrame
    failed: pd.DataFrame
    folder: Path | None = None
    """Where they were read from"""

    @classmethod
    def read(cls, folder: Path) -> Results:
        rows = read_results(folder)
        has_failed = rows["error"].notna()
        return cls(rows[~has_failed].reset_index(drop=True), rows[has_failed].reset_index(drop=True), folder)

    def of(self, *methods: str) -> pd.DataFrame:
        """The rows of some methods."""
        return self.cells[self.cells["method"].isin(methods)]

    def has(self, method: str) -> bool:
        return method in self._methods

    @cached_property
    def _methods(self) -> frozenset[str]:
        return frozenset(self.cells["method"])

    @cached_property
    def _by_trial(self) -> pd.DataFrame:
        marked = self.cells.assign(is_gene_task=self.cells["dataset"].map(is_gene_task))
        return marked.set_index(["method"]).sort_index(kind="stable")

    def trials(
        self, method: str, metric: str, learners: tuple[str, ...] | None = None, *, genes: bool = False
    ) -> pd.Series:
        """One value per (dataset, trial): the mean over learners, where all of the method's learners are there."""
        key = (method, metric, learners, genes)
        if key not in self._known:
            self._known[key] = self._trials(*key)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[Any, pd.Series]:
        return {}

    def _trials(self, method: str, metric: str, learners: tuple[str, ...] | None, genes: bool) -> pd.Series:
        rows = self._rows(method, genes)
        if learners is not None and set(rows["learner"]) != {STANDALONE}:
            rows = rows[rows["learner"].isin(learners)]
        wanted = rows["learner"].nunique()
        groups = rows.dropna(subset=[metric]).groupby(["dataset", "trial"])[metric]
        return groups.mean()[groups.count() == wanted]

    def _rows(self, method: str, genes: bool) -> pd.DataFrame:
        if not self.has(method):
            return self.cells.iloc[:0]
        rows = self._by_trial.loc[[method]].reset_index()
        return rows[rows["is_gene_task"] == genes]

    def means(
        self, method: str, metric: str, learners: tuple[str, ...] | None = None, *, genes: bool = False
    ) -> pd.Series:
        """One value per data set: the mean over its trials."""
        return self.trials(method, metric, learners, genes=genes).groupby("dataset").mean()

    def paired(
        self,
        first: str,
        second: str,
        metric: str = "ap",
        learners: tuple[str, ...] | None = None,
        *,
        genes: bool = False,
    ) -> pd.DataFrame:
        """Both methods' means per data set, over the trials that both have."""
        both = pd.concat(
            {name: self.trials(name, metric, learners, genes=genes) for name in (first, second)}, axis=1
        )
        return both.dropna().groupby("dataset").mean()

    def differences(self, first: str, second: str, metric: str = "ap", **keys: Any) -> pd.Series:
        """First minus second per data set."""
        both = self.paired(first, second, metric, **keys)
        return both[first] - both[second]

    def complete(self, methods: list[str], metric: str) -> pd.DataFrame:
        """Data sets by methods, over the trials that all of them have; data sets that some lack are left out."""
        table = pd.concat({name: self.trials(name, metric) for name in methods}, axis=1)
        return table.dropna().groupby("dataset").mean()

    def shared_by(self, methods: list[str]) -> Results:
        """The same results in the trials of tabular sets that all of some methods have."""
        trials = [self.trials(method, "ap").index for method in methods]
        keys = pd.MultiIndex.from_frame(self.cells[["dataset", "trial"]])
        is_shared = keys.isin(reduce(pd.MultiIndex.intersection, trials))
        return replace(self, cells=self.cells[is_shared].reset_index(drop=True))

    def common(self, methods: list[str]) -> Results:
        """The same results in common trials: on each tabular set, those that all methods with results there have."""
        numbers = pd.concat({name: self.trials(name, "ap") for name in methods}, axis=1)
        has_any = numbers.notna().groupby("dataset").transform("any")
        shared = numbers.index[(numbers.notna() | ~has_any).all(axis=1)]
        keys = pd.MultiIndex.from_frame(self.cells[["dataset", "trial"]])
        return replace(self, cells=self.cells[keys.isin(shared)].reset_index(drop=True))

    def n_trials(self, method: str) -> tuple[int, int]:
        """The fewest and the most trials that a data set has of a method."""
        counts = self.trials(method, "ap").groupby("dataset").count()
        return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)

    def extras(self, *methods: str) -> pd.DataFrame:
        """The extra figures of some methods, one row per cell."""
        return extras(self.of(*methods).reset_index(drop=True))

    @property
    def datasets(self) -> list[str]:
        """The tabular data sets that there are."""
        return [name for name in TABULAR if name in self._present]

    @property
    def missing(self) -> list[str]:
        return [name for name in TABULAR if name not in self._present]

    @cached_property
    def _present(self) -> frozenset[str]:
        return frozenset(self.cells["dataset"].unique())


def paper_means(method: str) -> pd.Series | None:
    """The paper's average precision per data set, if it prints one; of the standardised base it prints DRR's gain."""
    if method == STANDARDISED_BASE:
        gains = {name: row["ap_gain"] for name, row in paper()["separation"].items()}
        ours = {name: row["DRR(D=128)"] for name, row in paper()["per_dataset"].items()}
        return pd.Series({name: ours[name] - gains[name] for name in ours})
    if method not in ("DRR(D=128)", "cost-sensitive", "HistGB", "R&R(D=128)"):
        return None
    return pd.Series({name: row[method] for name, row in paper()["per_dataset"].items()})


def paper_mean_over(method: str, datasets: list[str]) -> float:
    """Its mean over some of its data sets; NaN where it prints no figures per data set."""
    values = paper_means(method)
    return float(values[datasets].mean()) if values is not None else np.nan


__all__ = [
    "STANDARDISED_BASE",
    "TUNED",
    "WEIGHTED",
    "Results",
    "paper",
    "paper_mean_over",
    "paper_means",
]
