"""The figures that decide whether the study reproduces the paper, recomputed from the results."""

from __future__ import annotations

import pandas as pd

from benchmarks.study.results import Results, paper_means
from benchmarks.study.tables import table

# Sets whose version and columns are known to be the paper's: the mean average precision of DRR should come near it.
KNOWN_VERSIONS = (
    "glass4",
    "libras_move",
    "oil",
    "winequality",
    "arrhythmia",
    "led",
    "car-good",
    "abalone",
    "sick",
)
NEAR = 0.015


@table
def headline(results: Results) -> pd.DataFrame:
    """Wins of DRR at D = 128 over the base and R&R, and its mean against the paper's over the same sets."""
    base = results.differences("DRR(D=128)", "base")
    resampler = results.differences("DRR(D=128)", "R&R(D=128)")
    ours = results.means("DRR(D=128)", "ap")
    theirs = paper_means("DRR(D=128)")[ours.index]
    fewest, most = results.n_trials("DRR(D=128)")
    rows = [
        ("data sets with results", len(ours), "21", len(ours) == 21),
        ("trials, fewest", fewest, "30 (isolet 5)", fewest >= 5 and most == 30),
        ("DRR(D=128) beats the base on", int((base > 0).sum()), "at least 20", (base > 0).sum() >= 20),
        ("DRR(D=128) beats R&R on", int((resampler > 0).sum()), "at least 18", (resampler > 0).sum() >= 18),
        ("mean AP of DRR(D=128)", ours.mean(), f"{theirs.mean():.4f} in the paper", None),
        (
            "its distance from the paper's over the same sets",
            abs(ours.mean() - theirs.mean()),
            "at most 0.01",
            abs(ours.mean() - theirs.mean()) <= 0.01,
        ),
    ]
    return pd.DataFrame(rows, columns=["figure", "value", "asked", "met"])


@table
def acceptance(results: Results) -> pd.DataFrame:
    """Mean average precision of DRR(D=128) over the five learners, on sets whose version is known."""
    ours, theirs = results.means("DRR(D=128)", "ap"), paper_means("DRR(D=128)")
    counts = results.trials("DRR(D=128)", "ap").groupby("dataset").count()
    names = [name for name in KNOWN_VERSIONS if name in ours.index]
    frame = pd.DataFrame(
        {
            "dataset": names,
            "trials": [int(counts[name]) for name in names],
            "ap": [ours[name] for name in names],
            "paper": [theirs[name] for name in names],
        }
    )
    frame["difference"] = frame["ap"] - frame["paper"]
    frame["within 0.015"] = frame["difference"].abs() <= NEAR
    return frame
