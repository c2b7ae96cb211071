"""What the dual adds: fusion weights, the dual alone, both against the base."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.methods.drr import arm_name
from benchmarks.study.methods.variants import PRIMARY, WEIGHTS, Variant
from benchmarks.study.results import Results, paper
from benchmarks.study.statistics import holm, paired_gain, wilcoxon
from benchmarks.study.tables import table


@table
def weights(results: Results) -> pd.DataFrame:
    """The paired gain in average precision of each fusion weight over weight zero."""
    rows = []
    for n_random in PRIMARY:
        reference = arm_name(Variant(n_random), 0.0)
        for weight in WEIGHTS:
            arm = arm_name(Variant(n_random), weight)
            if not results.has(arm):
                continue
            gain = paired_gain(results.differences(arm, reference))
            printed = paper()["text"]["weight_gain"][f"D={n_random}"] if weight == 0.5 else {}
            rows.append(
                {
                    "D": n_random,
                    "w": weight,
                    "ap": results.means(arm, "ap").mean(),
                    "gain": gain.mean,
                    "low": gain.low,
                    "high": gain.high,
                    "wins": gain.wins,
                    "losses": gain.losses,
                    "gain paper": printed.get("gain", np.nan),
                    "low paper": printed.get("low", np.nan),
                    "high paper": printed.get("high", np.nan),
                }
            )
    return pd.DataFrame(rows)


def _family(
    results: Results, pairs: list[tuple[str, str]], printed: dict[str, dict[str, float]]
) -> pd.DataFrame:
    """Paired differences of one family, with Holm's correction within it."""
    rows, p_values = [], {}
    for first, second in pairs:
        if not (results.has(first) and results.has(second)):
            continue
        values = results.differences(first, second)
        name = f"{first} - {second}"
        p_values[name] = wilcoxon(values)
        gain = paired_gain(values)
        theirs = printed.get(name, {})
        rows.append(
            {
                "contrast": name,
                "data sets": len(values),
                "difference": gain.mean,
                "low": gain.low,
                "high": gain.high,
                "HL": gain.hodges_lehmann,
                "wins": gain.wins,
                "losses": gain.losses,
                **{f"{key} paper": value for key, value in theirs.items()},
            }
        )
    adjusted = holm(p_values)
    frame = pd.DataFrame(rows)
    if len(frame):
        frame.insert(frame.columns.get_loc("losses") + 1, "Holm p", [adjusted[n] for n in frame["contrast"]])
    return frame


@table
def primary_contrast(results: Results) -> pd.DataFrame:
    """Does fusion at w = ½ beat the standardised base? One family of two resolutions."""
    text = paper()["text"]["weight_gain"]
    pairs = [(arm_name(Variant(n)), arm_name(Variant(n), 0.0)) for n in PRIMARY]
    printed = {
        f"{first} - {second}": {
            "difference": text[f"D={n}"]["gain"],
            "wins": text[f"D={n}"]["wins"],
            "Holm p": text[f"D={n}"]["holm"],
        }
        for n, (first, second) in zip(PRIMARY, pairs, strict=True)
    }
    return _family(results, pairs, printed)


@table
def dual_alone(results: Results) -> pd.DataFrame:
    """The dual by itself against the base, and what fusion adds to it: one family of four."""
    pairs = []
    for n in reversed(PRIMARY):
        pairs += [(f"dual(D={n})", "base"), (f"DRR(D={n})", f"dual(D={n})")]
    printed = {
        name: {{"holm": "Holm p", "hl": "HL"}.get(key, key): value for key, value in row.items()}
        for name, row in paper()["text"]["dual_alone"].items()
    }
    return _family(results, pairs, printed)


@table
def weight_contrasts(results: Results) -> pd.DataFrame:
    """Other weights against w = ½: one family of six."""
    text = paper()["text"]["weight_one_minus_half"]
    pairs, printed = [], {}
    for n in PRIMARY:
        for weight in (0.1, 0.25, 1.0):
            first, second = arm_name(Variant(n), weight), arm_name(Variant(n))
            pairs.append((first, second))
            if weight == 1.0:
                row = text[f"D={n}"]
                printed[f"{first} - {second}"] = {"difference": row["difference"], "Holm p": row["holm"]}
    return _family(results, pairs, printed)
