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
from benchmarks.study.statistics import paired_gain
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
        "against reported": 0.0,
        "against reported paper": printed["difference"],
    }
    if variant != REPORTED:
        row["against reported"] = results.differences(arm, arm_name(REPORTED)).mean()
    return row


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
    """One row per data set and learner: mean moments over trials, the predicted change and the observed gain."""
    moments = results.extras("DRR(D=128)")
    moments = moments[~moments["dataset"].map(is_gene_task)]
    keys = ["dataset", "learner"]
    columns = ["d1", "d2", "rho", "effective_weight"]
    columns += [f"threshold_{name}" for name in columns]
    means = moments.groupby(keys)[columns].mean()
    for prefix in ("", "threshold_"):
        d1, d2, rho = (means[f"{prefix}{name}"].to_numpy() for name in ("d1", "d2", "rho"))
        means[f"{prefix}change"] = fusion_deflection(d1, d2, rho, 0.5) - d1
    means["threshold"] = fusion_threshold(means["rho"].to_numpy(), 0.5)
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
    n = len(cells)
    share = printed["cells"]

    def spearman(first: pd.Series, second: pd.Series) -> float:
        return float(scipy.stats.spearmanr(first, second).statistic)

    by_set = cells.groupby("dataset")[["d1", "d2", "rho", "change", "ap_gain"]].mean()
    best = optimal_weight(
        np.maximum(by_set["d1"], 0).to_numpy(),
        np.maximum(by_set["d2"], 0).to_numpy(),
        by_set["rho"].to_numpy(),
    )
    rows = [
        ("data set and learner pairs", n, share),
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
            "share with a predicted gain",
            float(np.mean(cells["change"] > 0)),
            printed["predicted_gains"] / share,
        ),
        ("share with a gain", float(np.mean(cells["ap_gain"] > 0)), printed["observed_gains"] / share),
        ("median rho", float(cells["rho"].median()), printed["median_rho"]),
        ("median d2/d1", float((cells["d2"] / cells["d1"]).median()), printed["median_ratio"]),
        ("mean effective weight", float(cells["effective_weight"].mean()), printed["effective_weight"]),
        ("median best weight over data sets", float(np.median(best)), printed["median_best_weight"]),
    ]
    return pd.DataFrame(rows, columns=["figure", "ours", "paper"])
