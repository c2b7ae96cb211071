"""Is it the dual, or the map? Logistic regression on the same features, alone and fused."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.methods.same_map_logistic import CONTROLS, KINDS, PENALTIES, control_name
from benchmarks.study.methods.variants import PRIMARY
from benchmarks.study.results import Results, paper
from benchmarks.study.statistics import holm, paired_gain, wilcoxon
from benchmarks.study.tables import table

PRIMARY_PENALTY = 1.0


@table
def same_map_primary(results: Results) -> pd.DataFrame:
    """Controls at C = 1 beside the dual and DRR, over the trials that the controls have."""
    rows = []
    for label, arm in (
        ("Base (native probability)", "base"),
        ("Dual alone", "dual(D={n})"),
        ("LR alone", "LR(D={n},C=1)"),
        ("Balanced LR alone", "balanced LR(D={n},C=1)"),
        ("Base + LR", "base+LR(D={n},C=1)"),
        ("Base + balanced LR", "base+balanced LR(D={n},C=1)"),
        ("DRR", "DRR(D={n})"),
    ):
        row = {"method": label}
        for n in PRIMARY:
            name, reference = arm.format(n=n), f"LR(D={n},C=1)"
            for metric in ("ap", "auc"):
                both = results.paired(name, reference, metric) if name != reference else None
                values = results.means(name, metric) if both is None else both[name]
                row[f"{metric} D={n}"] = values.mean()
                row[f"{metric} D={n} paper"] = paper()["same_map_primary"][label][f"{metric}_{n}"]
        rows.append(row)
    return pd.DataFrame(rows)


@table
def same_map_difference(results: Results) -> pd.DataFrame:
    """DRR minus the base fused with plain logistic regression at C = 1: one family of two resolutions."""
    rows, p_values = [], {}
    for printed in paper()["same_map_difference"]:
        n = printed["D"]
        values = results.differences(f"DRR(D={n})", f"base+LR(D={n},C=1)")
        if values.empty:
            continue
        gain = paired_gain(values)
        p_values[str(n)] = wilcoxon(values)
        rows.append(
            {
                "D": n,
                "difference": gain.mean,
                "low": gain.low,
                "high": gain.high,
                "W/L/T": f"{gain.wins}/{gain.losses}/{gain.ties}",
                "difference paper": printed["difference"],
                "low paper": printed["low"],
                "high paper": printed["high"],
                "W/L paper": f"{printed['wins']}/{printed['losses']}",
                "Holm p paper": printed["holm"],
            }
        )
    frame, adjusted = pd.DataFrame(rows), holm(p_values)
    if len(frame):
        frame["Holm p"] = [adjusted[str(n)] for n in frame["D"]]
    return frame


@table
def same_map_grid(results: Results) -> pd.DataFrame:
    """All penalties; DRR over the same trials in the last column."""
    rows = []
    for printed in paper()["same_map_grid"]:
        n, C, metric = printed["D"], printed["C"], printed["metric"]
        row = {"metric": metric, "D": n, "C": C}
        for kind in KINDS:
            name = control_name(kind, n, C)
            row[kind] = results.means(name, metric).mean()
            row[f"{kind} paper"] = printed[kind]
            row[f"base+{kind}"] = results.means(f"base+{name}", metric).mean()
            row[f"base+{kind} paper"] = printed[f"base+{kind}"]
        both = results.paired(f"DRR(D={n})", control_name("LR", n, C), metric)
        row["DRR, same trials"] = both[f"DRR(D={n})"].mean() if len(both) else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


@table
def same_arrays(results: Results) -> pd.DataFrame:
    """Digests of the embedded rows: in how many trials did the controls see exactly the dual's arrays?"""
    rows = []
    for n in PRIMARY:
        arms = [control_name(kind, n, C) for kind, d, C in CONTROLS if d == n]
        if not results.has(arms[0]) or not results.has(f"dual(D={n})"):
            continue
        keys = ["dataset", "trial"]
        duals = results.extras(f"dual(D={n})").set_index(keys)["features_digest"]
        controls = results.extras(*arms).set_index(keys)["features_digest"]
        both = controls.to_frame("control").join(duals.to_frame("dual"), how="inner")
        rows.append(
            {
                "D": n,
                "controls": len(both),
                "penalties": len(PENALTIES),
                "with the dual's arrays": int((both["control"] == both["dual"]).sum()),
            }
        )
    return pd.DataFrame(rows)
