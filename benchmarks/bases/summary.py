"""Tables over data sets: each data set is one paired observation, the mean of its trials."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.bases.learners import LEARNERS
from benchmarks.study.statistics import friedman, holm, nemenyi_critical_difference, paired_gain, wilcoxon

# A table that is worse by more than this is counted as harmed.
HARM = 0.01

# Halves on which the rule of the weight was chosen.
SEEN_HALVES = (0, 2, 4)


def by_half(cells: pd.DataFrame, metric: str = "ap") -> pd.DataFrame:
    """One row per data set and trial, one column per (learner, arm)."""
    return cells.pivot_table(index=["dataset", "trial"], columns=["learner", "arm"], values=metric)


def by_data_set(cells: pd.DataFrame, metric: str = "ap") -> pd.DataFrame:
    """Mean over the trials: one row per data set, one column per (learner, arm)."""
    return by_half(cells, metric).groupby("dataset").mean()


def unseen(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of halves that had no part in any choice."""
    return cells[~cells["trial"].isin(SEEN_HALVES)]


def gains(cells: pd.DataFrame, arm: str = "default") -> pd.DataFrame:
    """Each learner with an arm of ours against the same learner on all rows."""
    values = by_half(cells)
    rows, p_values = [], {}
    for learner in _rescored(cells):
        pair = values[learner][["alone", arm]].dropna().groupby("dataset").mean()
        difference = (pair[arm] - pair["alone"]).to_numpy()
        gain = paired_gain(difference)
        p_values[learner] = wilcoxon(difference)
        rows.append(
            {
                "learner": learner,
                "tables": len(pair),
                "alone": pair["alone"].mean(),
                arm: pair[arm].mean(),
                "gain": gain.mean,
                "interval": f"{gain.low:+.3f} to {gain.high:+.3f}",
                "median gain": float(np.median(difference)),
                "wins/losses": f"{gain.wins}/{gain.losses}",
                f"worse by > {HARM}": int((difference < -HARM).sum()),
                "largest loss": f"{difference.min():+.3f} ({pair.index[int(difference.argmin())]})",
            }
        )
    adjusted = holm(p_values)
    return pd.DataFrame([row | {"Holm p": adjusted[row["learner"]]} for row in rows])


def against_forest(cells: pd.DataFrame) -> pd.DataFrame:
    """The rescored forest against every other model on all rows, on the halves that both have."""
    values = by_half(cells)
    ours = values["random forest"]["default"]
    others = list(dict.fromkeys(cells["learner"]))
    rows, p_values = [], {}
    for learner in others:
        pair = pd.DataFrame({"ours": ours, "other": values[learner]["alone"]}).dropna()
        pair = pair.groupby("dataset").mean()
        difference = (pair["ours"] - pair["other"]).to_numpy()
        gain = paired_gain(difference)
        p_values[learner] = wilcoxon(difference)
        rows.append(
            {
                "model on all rows": learner,
                "tables": len(pair),
                "its AP": pair["other"].mean(),
                "rescored forest": pair["ours"].mean(),
                "difference": gain.mean,
                "interval": f"{gain.low:+.3f} to {gain.high:+.3f}",
                "wins/losses": f"{gain.wins}/{gain.losses}",
            }
        )
    adjusted = holm(p_values)
    return pd.DataFrame([row | {"Holm p": adjusted[row["model on all rows"]]} for row in rows])


def arms_by_data_set(cells: pd.DataFrame) -> pd.DataFrame:
    """The average precision of every arm, a row per data set and learner."""
    values = cells.pivot_table(index=["dataset", "learner", "trial"], columns="arm", values="ap")
    values = values.reindex(columns=["alone", "paper", "default"]).dropna()
    groups = values.groupby(["dataset", "learner"])
    means = groups.mean()
    means.insert(0, "halves", groups.size())
    return means.reset_index()


def other_measures(cells: pd.DataFrame) -> pd.DataFrame:
    """Area under the ROC curve, Brier score and cost, on the data sets that a learner has in all arms."""
    rows = []
    for learner in _rescored(cells):
        mine = cells[cells["learner"] == learner]
        row: dict[str, object] = {"learner": learner}
        for metric, name in (("auc", "ROC AUC"), ("brier", "Brier")):
            means = by_data_set(mine, metric).mean()
            for arm in ("alone", "paper", "default"):
                row[f"{name} {arm}"] = means.get((learner, arm), np.nan)
        seconds = mine.pivot_table(index=["dataset", "trial"], columns="arm", values="seconds")
        seconds = seconds.reindex(columns=["alone", "default"]).dropna()
        row["cost, median"] = float((seconds["default"] / seconds["alone"]).median())
        total = seconds["default"].sum() / seconds["alone"].sum() if len(seconds) else np.nan
        row["cost, in all"] = float(total)
        rows.append(row)
    return pd.DataFrame(rows)


def average_ranks(cells: pd.DataFrame) -> tuple[dict[str, float], float, int]:
    """Average ranks on average precision over the halves that have all models, and the critical difference."""
    values = by_half(cells)
    columns = [(name, arm) for name, arm in values.columns if arm in ("alone", "default")]
    table = values[columns].dropna().groupby("dataset").mean()
    names = [name if arm == "alone" else f"{name} + dual" for name, arm in columns]
    test = friedman(table.to_numpy(), names)
    return test.average_ranks, nemenyi_critical_difference(len(names), len(table)), len(table)


def _rescored(cells: pd.DataFrame) -> list[str]:
    """Return the learners that have a default arm, in the order of the benchmark."""
    present = set(cells.loc[cells["arm"] == "default", "learner"])
    return sorted(present, key=lambda name: [*LEARNERS, name].index(name))
