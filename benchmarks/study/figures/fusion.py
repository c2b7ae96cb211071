"""The fusion weight, the sweeps, and the two moments behind the gain."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from benchmarks.study.figures import OURS, PAPER, SECOND, Drawing, figure
from benchmarks.study.methods.variants import PRIMARY
from benchmarks.study.results import Results
from benchmarks.study.tables.ablation import weights
from benchmarks.study.tables.sensitivity import separation_cells, sweep_resolution, sweep_tolerance
from drr.theory import fusion_deflection, optimal_weight

COLOURS = {0: SECOND, 128: OURS}


def _bars(frame: pd.DataFrame) -> np.ndarray:
    return np.stack([frame["gain"] - frame["low"], frame["high"] - frame["gain"]])


@figure
def weight_sensitivity(results: Results) -> Drawing | None:
    """Mean paired gain in AP over weight zero."""
    frame = weights(results)
    if frame.empty:
        return None
    picture, axes = plt.subplots(figsize=(5.2, 3.4))
    for shift, n in zip((-0.006, 0.006), PRIMARY, strict=True):
        part = frame[frame["D"] == n]
        axes.errorbar(
            part["w"] + shift,
            part["gain"],
            _bars(part),
            fmt="o-",
            ms=4,
            capsize=2,
            color=COLOURS[n],
            label=f"D = {n}",
        )
        printed = part.dropna(subset=["gain paper"])
        axes.plot(
            printed["w"] + shift, printed["gain paper"], "o", ms=9, mfc="none", mec=COLOURS[n], alpha=0.6
        )
    axes.plot([], [], "o", ms=9, mfc="none", mec=PAPER, label="paper, 24 sets")
    axes.axvline(0.5, color="black", lw=0.8, ls="--")
    axes.axhline(0, color="black", lw=0.6)
    axes.set(
        xlabel="fusion weight w",
        ylabel="gain in AP over w = 0",
        title="Gain by fusion weight, 95 % over data sets",
    )
    axes.legend()
    return picture, frame


@figure
def sensitivity(results: Results) -> Drawing | None:
    """Gain over the base against D, and against η."""
    by_resolution, by_tolerance = sweep_resolution(results), sweep_tolerance(results)
    if len(by_resolution) < 3 or len(by_tolerance) < 3:
        return None
    picture, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.3), sharey=True)
    positions = np.arange(len(by_resolution))
    left.errorbar(
        positions,
        by_resolution["gain"],
        _bars(by_resolution),
        fmt="o-",
        ms=4,
        capsize=2,
        color=OURS,
        label="ours",
    )
    left.plot(
        positions, by_resolution["gain paper"], "o", ms=9, mfc="none", mec=PAPER, label="paper, 24 sets"
    )
    left.set_xticks(positions, by_resolution["D"])
    left.axvline(list(by_resolution["D"]).index(128), color="black", lw=0.8, ls=":")
    left.set(xlabel="random features D", ylabel="gain in AP of DRR over the base", title="η = 0.05")
    left.legend()
    for n in PRIMARY:
        part = by_tolerance[by_tolerance["D"] == n]
        places = np.arange(len(part)) + (0.05 if n else -0.05)
        right.errorbar(
            places, part["gain"], _bars(part), fmt="o-", ms=4, capsize=2, color=COLOURS[n], label=f"D = {n}"
        )
        right.plot(places, part["gain paper"], "o", ms=9, mfc="none", mec=COLOURS[n], alpha=0.6)
        right.set_xticks(np.arange(len(part)), part["eta"])
    right.axvline(1, color="black", lw=0.8, ls=":")
    right.set(xlabel="tolerance fraction η", title="rings: paper")
    right.legend()
    numbers = pd.concat([by_resolution.assign(sweep="D"), by_tolerance.assign(sweep="eta")])
    return picture, numbers


@figure
def separation_scatter(results: Results) -> Drawing | None:
    """Predicted change of the deflection against the observed gain."""
    cells = separation_cells(results).dropna(subset=["change", "ap_gain"])
    if len(cells) < 3:
        return None
    picture, axes = plt.subplots(figsize=(5.4, 3.9))
    for marker, (learner, part) in zip("osD^v", cells.groupby("learner"), strict=False):
        axes.plot(part["change"], part["ap_gain"], marker, ms=4.5, alpha=0.75, label=learner)
    axes.axhline(0, color="black", lw=0.6)
    axes.axvline(0, color="black", lw=0.6)
    rho = cells["change"].corr(cells["ap_gain"], method="spearman")
    axes.set(
        xlabel="predicted change of the deflection, d′(½) − d₁",
        ylabel="observed gain in AP",
        title=f"{len(cells)} pairs of data set and learner: Spearman {rho:+.2f} (paper +0.73)",
    )
    axes.legend(title="learner", fontsize=8)
    return picture, cells[["dataset", "learner", "d1", "d2", "rho", "change", "ap_gain"]]


@figure
def theory_curve(results: Results) -> Drawing:
    """The fusion deflection as a function of the weight; a formula, not data."""
    grid = np.linspace(0, 3, 121)
    picture, axes = plt.subplots(figsize=(5.2, 3.3))
    columns = {"w": grid}
    for (d1, d2, rho), colour in zip(
        ((1, 1, 0.3), (1, 0.6, 0.3), (1, 0, 0)), (OURS, SECOND, PAPER), strict=True
    ):
        values = fusion_deflection(float(d1), float(d2), float(rho), grid)
        best = optimal_weight(float(d1), float(d2), float(rho))
        label = f"d₁={d1}, d₂={d2}, ρ={rho}"
        axes.plot(grid, values, color=colour, label=label)
        axes.plot(best, fusion_deflection(float(d1), float(d2), float(rho), best), "o", color=colour)
        columns[label] = values
    axes.axvline(0.5, color="black", lw=0.8, ls="--")
    axes.set(xlabel="within-class weight w", ylabel="deflection d′(w)", title="Circles: the best weight")
    axes.legend()
    return picture, pd.DataFrame(columns)
