"""DRR against the panel: corrected tests, effects, average ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.results import TUNED, WEIGHTED, Results, paper
from benchmarks.study.statistics import friedman, holm, nemenyi_critical_difference, paired_gain, wilcoxon
from benchmarks.study.tables import table

CONTROL = "DRR(D=128)"
BASELINES = (
    "base",
    "cost-sensitive",
    "logit adjust",
    "SMOTE",
    "SMOTE-ENN",
    "FW-SMOTE",
    "balanced RF",
    "RUSBoost",
    "R&R(D=128)",
    "HistGB",
)
LEVEL = 0.05
STRONG = ("cost-sensitive", "balanced RF", "R&R(D=128)", "HistGB")


@table
def significance(results: Results) -> pd.DataFrame:
    """Holm-corrected signed-rank tests of DRR against ten baselines, within each metric."""
    there = [name for name in BASELINES if results.has(name)]
    frame = pd.DataFrame({"method": there})
    for metric, column in TUNED.items():
        differences = {name: results.differences(CONTROL, name, column) for name in there}
        adjusted = holm({name: wilcoxon(values) for name, values in differences.items()})
        frame[metric] = [adjusted[name] for name in there]
        frame[f"{metric} mean difference"] = [differences[name].mean() for name in there]
        frame[f"{metric} paper"] = [paper()["significance"][name][metric] for name in there]
    return frame


@table
def changed_conclusions(results: Results) -> pd.DataFrame:
    """The tests whose corrected p-value lies on the other side of 0.05 than the printed one."""
    frame, rows = significance(results), []
    for metric in TUNED:
        for row in frame.to_dict("records"):
            ours, theirs = row[metric], row[f"{metric} paper"]
            if (ours < LEVEL) != (theirs < LEVEL):
                difference = row[f"{metric} mean difference"]
                n_sets = len(results.differences(CONTROL, row["method"], TUNED[metric]))
                rows.append((metric, row["method"], n_sets, difference, ours, theirs))
    columns = ["metric", "against", "data sets", "mean difference", "Holm p", "Holm p paper"]
    return pd.DataFrame(rows, columns=columns)


@table
def effects(results: Results) -> pd.DataFrame:
    """Wins, mean and Hodges–Lehmann difference of DRR against four strong comparators."""
    printed = {(row["metric"], row["comparator"]): row for row in paper()["effects"]}
    rows = []
    for metric, column in TUNED.items():
        for name in STRONG:
            if not results.has(name):
                continue
            gain = paired_gain(results.differences(CONTROL, name, column), n_resamples=10000)
            theirs = printed[metric, name]
            rows.append(
                {
                    "metric": metric,
                    "comparator": name,
                    "W/L": f"{gain.wins}/{gain.losses}",
                    "W/L paper": f"{theirs['wins']}/{theirs['losses']}",
                    "mean": gain.mean,
                    "mean paper": theirs["mean"],
                    "HL": gain.hodges_lehmann,
                    "HL low": gain.hodges_lehmann_low,
                    "HL high": gain.hodges_lehmann_high,
                    "HL paper": theirs["hl"],
                    "HL low paper": theirs["low"],
                    "HL high paper": theirs["high"],
                }
            )
    return pd.DataFrame(rows)


def complete_ranks(results: Results, metric: str, methods: list[str]) -> pd.DataFrame:
    """Data sets by methods for the tests that need every cell."""
    return results.complete(methods, TUNED[metric])


@table
def omnibus(results: Results) -> pd.DataFrame:
    """Friedman's test over the eleven-method family, metric by metric."""
    methods = [name for name in (CONTROL, *BASELINES) if results.has(name)]
    rows = []
    for metric in TUNED:
        values = complete_ranks(results, metric, methods)
        if len(values) < 2 or len(methods) < 3:
            continue
        test = friedman(values.to_numpy(), methods)
        rows.append(
            {
                "metric": metric,
                "methods": len(methods),
                "data sets": test.n_datasets,
                "chi2": test.statistic,
                "p": test.p_value,
                "chi2 paper (11 methods, 22 sets)": paper()["text"]["friedman_statistic"][metric],
                "rank of DRR": test.average_ranks[CONTROL],
            }
        )
    return pd.DataFrame(rows)


@table
def average_ranks(results: Results) -> pd.DataFrame:
    """Average ranks on average precision of the twelve-method family, and who is within the critical difference."""
    methods = [name for name in (CONTROL, "DRR(D=0)", *BASELINES) if results.has(name)]
    values = complete_ranks(results, "ap", methods)
    if len(values) < 2:
        return pd.DataFrame()
    test = friedman(values.to_numpy(), methods)
    critical = nemenyi_critical_difference(len(methods), test.n_datasets)
    frame = pd.DataFrame({"method": methods, "average rank": [test.average_ranks[name] for name in methods]})
    frame = frame.sort_values("average rank", ignore_index=True)
    frame["differs from the best"] = frame["average rank"] - frame["average rank"].min() > critical
    frame["critical difference"] = critical
    frame["critical difference paper (22 sets)"] = paper()["text"]["nemenyi_critical_difference"]
    frame["data sets"] = test.n_datasets
    return frame


@table
def learner_matched(results: Results) -> pd.DataFrame:
    """Average precision under the three learners that take class weights, for methods that have others as well."""
    rows = []
    for name, printed in paper()["text"]["learner_matched_ap"].items():
        rows.append({"method": name, "ap": results.means(name, "ap", WEIGHTED).mean(), "paper": printed})
    return pd.DataFrame(rows)


@table
def brier_after_one_map(results: Results) -> pd.DataFrame:
    """Brier score after one Platt map: DRR minus others, Hodges–Lehmann."""
    rows = []
    for name, printed in paper()["text"]["brier_vs"].items():
        if not results.has(name):
            continue
        gain = paired_gain(results.differences(CONTROL, name, "brier_platt"))
        rows.append(
            {
                "comparator": name,
                "HL": gain.hodges_lehmann,
                "low": gain.hodges_lehmann_low,
                "high": gain.hodges_lehmann_high,
                "HL paper": printed["hl"],
                "low paper": printed["low"],
                "high paper": printed["high"],
            }
        )
    return pd.DataFrame(rows)


@table
def common_sets_with_smote_enn(results: Results) -> pd.DataFrame:
    """DRR minus SMOTE-ENN on the sets that SMOTE-ENN has, paired by trial and not."""
    if not results.has("SMOTE-ENN"):
        return pd.DataFrame()
    paired = results.differences(CONTROL, "SMOTE-ENN")
    available = results.means(CONTROL, "ap").mean() - results.means("SMOTE-ENN", "ap").mean()
    rows = [("common data sets", paired.mean(), 0.0554), ("available cases", available, 0.0539)]
    frame = pd.DataFrame(rows, columns=["difference over", "ours", "paper"])
    frame["data sets"] = [len(paired), np.nan]
    return frame
