"""Sweeps of D, η and the feature draw, and the separation behind the gain."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy.stats

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.learners import LEARNERS
from benchmarks.study.methods.drr import arm_name
from benchmarks.study.methods.variants import DRAWS, PRIMARY, RESOLUTIONS, TOLERANCES, Variant
from benchmarks.study.results import Results, paper
from benchmarks.study.statistics import PairedGain, paired_gain
from benchmarks.study.tables import table
from drr.theory import fusion_deflection, fusion_threshold, optimal_weight

REPORTED = Variant(128)


def _swept(results: Results, variants: list[Variant]) -> tuple[Results, list[Variant]]:
    """The variants that have results, and the results in the trials that all of these have."""
    found = [variant for variant in variants if results.has(arm_name(variant))]
    arms = [arm_name(variant) for variant in found] + [f"dual({variant.label})" for variant in found]
    return (results.shared_by(arms) if found else results), found


def _sweep_row(results: Results, variant: Variant, printed: dict[str, float]) -> dict[str, object]:
    arm = arm_name(variant)
    base = arm_name(REPORTED, 0.0)  # at w = 0 every variant is the base
    gain = paired_gain(results.differences(arm, base))
    row: dict[str, object] = {
        "ap dual": results.means(f"dual({variant.label})", "ap").mean(),
        "ap dual paper": printed["ap_dual"],
        "ap DRR": results.means(arm, "ap").mean(),
        "ap DRR paper": printed["ap_drr"],
        "gain": gain.mean,
        "low": gain.low,
        "high": gain.high,
        "W/L": f"{gain.wins}/{gain.losses}",
        "gain paper": printed["gain"],
        "low paper": printed["low"],
        "high paper": printed["high"],
        "W/L paper": f"{printed['wins']}/{printed['losses']}",
    }
    difference = None if variant == REPORTED else paired_gain(results.differences(arm, arm_name(REPORTED)))
    row["against reported"] = "–" if difference is None else _with_interval(difference)
    row["against reported paper"] = printed["difference"]
    return row


def _with_interval(gain: PairedGain) -> str:
    return f"{gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]"


@table
def sweep_resolution(results: Results) -> pd.DataFrame:
    """The number of random features."""
    results, variants = _swept(results, [Variant(n) for n in RESOLUTIONS])
    printed = paper()["sweep_resolution"]
    return pd.DataFrame(
        {"D": variant.n_random, **_sweep_row(results, variant, printed[str(variant.n_random)])}
        for variant in variants
    )


@table
def sweep_tolerance(results: Results) -> pd.DataFrame:
    """The tolerance fraction, with the effective share of majority rows it leaves."""
    results, variants = _swept(results, [Variant(n, eta) for n in PRIMARY for eta in TOLERANCES])
    rows = []
    for variant in variants:
        n, eta = variant.n_random, variant.eta
        figures = results.extras(f"dual({variant.label})")
        share = figures.groupby("dataset")["ess_share"].mean().mean()
        printed = paper()["sweep_tolerance"][f"D={n}"][f"{eta:g}"]
        rows.append({"D": n, "eta": eta, **_sweep_row(results, variant, printed), "ESS/n0": share})
    return pd.DataFrame(rows)


@table
def draws(results: Results) -> pd.DataFrame:
    """Three draws of the random features: panel means, and the range over draws within a data set."""
    arms = [arm_name(Variant(128, draw=draw)) for draw in DRAWS]
    if not all(results.has(arm) for arm in arms):
        return pd.DataFrame()
    rows = []
    for label, names in (
        ("DRR", arms),
        ("dual", [f"dual({Variant(128, draw=draw).label})" for draw in DRAWS]),
    ):
        values = results.complete(names, "ap")
        spread = values.max(axis=1) - values.min(axis=1)
        rows.append(
            {
                "score": label,
                **{f"draw {k}": values[name].mean() for k, name in enumerate(names)},
                "mean range": spread.mean(),
                "largest range": spread.max(),
                "on": spread.idxmax(),
            }
        )
    frame = pd.DataFrame(rows)
    for k, printed in enumerate(paper()["text"]["draw_panel_means"]):
        frame[f"draw {k} paper"] = [printed, np.nan]
    frame["mean range paper"] = [0.005, 0.016]
    frame["largest range paper"] = [0.022, 0.076]
    return frame


def separation_cells(results: Results) -> pd.DataFrame:
    """One row per data set and learner: moments and predicted change, trial by trial and then averaged; the gain."""
    moments = results.extras("DRR(D=128)")
    moments = moments[~moments["dataset"].map(is_gene_task)].copy()
    keys = ["dataset", "learner"]
    for prefix in ("", "threshold_"):
        d1, d2, rho = (moments[f"{prefix}{name}"].to_numpy() for name in ("d1", "d2", "rho"))
        moments[f"{prefix}change"] = fusion_deflection(d1, d2, rho, 0.5) - d1
    moments["threshold"] = fusion_threshold(moments["rho"].to_numpy(), 0.5)
    columns = ["d1", "d2", "rho", "effective_weight", "change"]
    columns += [*(f"threshold_{name}" for name in columns), "threshold"]
    means = moments.groupby(keys)[columns].mean()
    gains = {}
    for learner in LEARNERS:
        gains[learner] = results.differences("DRR(D=128)", "DRR(D=128,w=0)", learners=(learner,))
    observed = pd.concat(gains, names=["learner", "dataset"]).rename("ap_gain")
    return means.join(observed.reorder_levels(keys)).reset_index()


@table
def separation(results: Results) -> pd.DataFrame:
    """Deflections, correlation, predicted change and observed gain per data set, in the paper's order."""
    cells = separation_cells(results)
    means = cells.groupby("dataset")[["d1", "d2", "rho", "threshold", "change", "ap_gain"]].mean()
    means.insert(3, "ratio", means["d2"] / means["d1"])
    rows = []
    for name, printed in paper()["separation"].items():
        if name in means.index:
            row: dict[str, object] = {"dataset": name}
            for column in means.columns:
                row[column] = means.loc[name, column]
                row[f"{column} paper"] = printed[column]
            rows.append(row)
    return pd.DataFrame(rows)


@table
def separation_summary(results: Results) -> pd.DataFrame:
    """How well the two moments predict the gain over data set and learner pairs."""
    cells, printed = separation_cells(results), paper()["text"]["separation"]
    share = printed["cells"]

    def spearman(first: pd.Series, second: pd.Series) -> float:
        return float(scipy.stats.spearmanr(first, second).statistic)

    by_set = cells.groupby("dataset")[["d1", "d2", "rho", "threshold", "change", "ap_gain"]].mean()
    best = optimal_weight(
        np.maximum(by_set["d1"], 0).to_numpy(),
        np.maximum(by_set["d2"], 0).to_numpy(),
        by_set["rho"].to_numpy(),
    )
    rows = [
        ("data set and learner pairs", len(cells), share),
        (
            "Spearman of predicted change and observed gain",
            spearman(cells["change"], cells["ap_gain"]),
            printed["spearman"],
        ),
        (
            "the same with moments of the threshold rows",
            spearman(cells["threshold_change"], cells["ap_gain"]),
            printed["spearman_threshold"],
        ),
        (
            "the same over data sets",
            spearman(by_set["change"], by_set["ap_gain"]),
            printed["spearman_datasets"],
        ),
        (
            "share of pairs with the predicted sign",
            float(np.mean((cells["change"] > 0) == (cells["ap_gain"] > 0))),
            printed["sign_agreement"],
        ),
        (
            "the same with moments of the threshold rows",
            float(np.mean((cells["threshold_change"] > 0) == (cells["ap_gain"] > 0))),
            0.78,
        ),
        (
            "share with a predicted gain",
            float(np.mean(cells["change"] > 0)),
            printed["predicted_gains"] / share,
        ),
        ("share with a gain", float(np.mean(cells["ap_gain"] > 0)), printed["observed_gains"] / share),
        ("median rho", float(cells["rho"].median()), printed["median_rho"]),
        ("first quartile of rho", float(cells["rho"].quantile(0.25)), 0.41),
        ("third quartile of rho", float(cells["rho"].quantile(0.75)), 0.61),
        ("smallest threshold of a data set", float(by_set["threshold"].min()), 0.52),
        ("largest threshold of a data set", float(by_set["threshold"].max()), 0.84),
        ("median d2/d1", float((cells["d2"] / cells["d1"]).median()), printed["median_ratio"]),
        ("mean effective weight", float(cells["effective_weight"].mean()), printed["effective_weight"]),
        ("pairs with an effective weight above 0.81", int((cells["effective_weight"] > 0.81).sum()), 5),
        ("largest effective weight", float(cells["effective_weight"].max()), 1.29),
        ("median best weight over data sets", float(np.median(best)), printed["median_best_weight"]),
        ("share of data sets with a best weight above one half", float(np.mean(best > 0.5)), 16 / 24),
        ("share with a best weight of one or more", float(np.mean(best >= 1)), 6 / 24),
    ]
    return pd.DataFrame(rows, columns=["value", "ours", "paper"])
