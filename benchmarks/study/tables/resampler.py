"""R&R: reuse of donors, caps, and the variance of the draw."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.datasets import is_gene_task
from benchmarks.study.methods.cap_diagnostic import CAPS
from benchmarks.study.methods.variants import PRIMARY
from benchmarks.study.results import Results, paper
from benchmarks.study.statistics import holm, paired_gain, wilcoxon
from benchmarks.study.tables import table


@table
def resampler_gain(results: Results) -> pd.DataFrame:
    """DRR minus R&R at both resolutions."""
    rows = []
    for n in PRIMARY:
        values = results.differences(f"DRR(D={n})", f"R&R(D={n})")
        if values.empty:
            continue
        gain, printed = paired_gain(values), paper()["text"]["rr_gain"][f"D={n}"]
        rows.append(
            {
                "D": n,
                "difference": gain.mean,
                "low": gain.low,
                "high": gain.high,
                "W/L": f"{gain.wins}/{gain.losses}",
                "difference paper": printed["difference"],
                "W/L paper": f"{printed['wins']}/{printed['losses']}",
            }
        )
    return pd.DataFrame(rows)


@table
def donor_reuse(results: Results) -> pd.DataFrame:
    """How far the draw m = ⌊n/4⌋ exceeds the effective sample size."""
    rows = []
    for n in PRIMARY:
        if not results.has(f"R&R(D={n})"):
            continue
        figures = results.extras(f"R&R(D={n})")
        figures = figures[~figures["dataset"].map(is_gene_task)].drop_duplicates(["dataset", "trial"])
        text = paper()["text"]
        rows.append(
            {
                "D": n,
                "share with m above ESS": float((figures["m_per_ess"] > 1).mean()),
                "paper": text["m_exceeds_ess_share"][f"D={n}"],
                "median m/ESS": figures["m_per_ess"].median(),
                "median m/ESS paper": text["median_m_per_ess"][f"D={n}"],
            }
        )
    return pd.DataFrame(rows)


@table
def caps(results: Results) -> pd.DataFrame:
    """Caps of the draw at multiples of ESS against the anchor ⌊n₀/4⌋, and the dispersion over redraws."""
    arms = {name: f"R&R(D=0,{name})" for name in CAPS}
    if not all(results.has(arm) for arm in arms.values()):
        return pd.DataFrame()
    figures = {
        name: results.extras(arm).set_index(["dataset", "trial", "learner"]) for name, arm in arms.items()
    }
    anchor = figures["cap none"]["ap_mean"].groupby("dataset").mean()
    rows, p_values = [], {}
    for name, frame in figures.items():
        change = (frame["ap_mean"].groupby("dataset").mean() - anchor).dropna()
        printed = paper()["text"]["caps"][name]
        if name != "cap none":
            p_values[name] = wilcoxon(change)
        rows.append(
            {
                "cap": name,
                "binding": frame["is_binding"].mean(),
                "binding paper": printed.get("binding", np.nan),
                "distinct donors": frame["n_distinct_donors"].groupby("dataset").mean().mean(),
                "donors paper": printed["donors"],
                "AP change": change.mean(),
                "AP change paper": printed.get("ap_change", np.nan),
                "losses": int((change < 0).sum()),
                "losses paper": printed.get("losses", np.nan),
                "redraw dispersion": float(np.sqrt(frame["ap_variance"].mean())),
                "dispersion paper": printed["dispersion"],
            }
        )
    adjusted = holm(p_values)
    frame = pd.DataFrame(rows)
    frame["Holm p"] = [adjusted.get(name, np.nan) for name in frame["cap"]]
    return frame


@table
def pps_variance(results: Results) -> pd.DataFrame:
    """Simulated over theoretical variance of the draw, over fixed states."""
    path = None if results.folder is None else results.folder / "pps_audit.csv"
    if path is None or not path.exists():
        return pd.DataFrame()
    ratios, printed = pd.read_csv(path)["ratio"], paper()["text"]["pps_audit"]
    rows = [
        ("distinct states", len(ratios), printed["states"]),
        ("smallest ratio", ratios.min(), printed["low"]),
        ("largest ratio", ratios.max(), printed["high"]),
        ("mean ratio", ratios.mean(), printed["mean"]),
    ]
    return pd.DataFrame(rows, columns=["value", "ours", "paper"])
