"""The paper's two schematic figures, on drawn points: two uses of the dual, and fusion with a mean contrast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from benchmarks.study.figures import OURS, PAPER, SECOND, Drawing, figure
from benchmarks.study.results import Results
from drr import rake
from drr.fusion import fuse, standardise

FALSE_POSITIVE_RATE = 0.1
N_MAJORITY, N_RARE = 200, 20
# A draw in which the base finds 6 of the 20 rare points and the fused score 10, the counts of the paper's figure.
CONTRAST_SEED = 3

Points = NDArray[np.float64]


def draw_points(seed: int, shift: tuple[float, float]) -> tuple[Points, Points]:
    """Majority points around the origin, rare ones around another place."""
    random = np.random.default_rng(seed)
    return random.normal(size=(N_MAJORITY, 2)), random.normal(size=(N_RARE, 2)) + shift


def contrast_scores(majority: Points, rare: Points) -> tuple[Points, Points]:
    """The base, which sees the horizontal coordinate alone, and its sum with half the standardised mean contrast."""
    points = np.vstack([majority, rare])
    contrast = points @ (rare.mean(axis=0) - majority.mean(axis=0))
    base, second = (standardise(score).transform(score) for score in (points[:, 0], contrast))
    return base, fuse(base, second, 0.5)


def captured(score: Points, n_majority: int) -> tuple[int, float]:
    """Rare points above the cut with one false positive in ten majority points, and the cut."""
    allowed = int(FALSE_POSITIVE_RATE * n_majority)
    cut = float(np.sort(score[:n_majority])[-allowed - 1])
    return int(np.sum(score[n_majority:] > cut)), cut


@figure
def mean_contrast(results: Results) -> Drawing:
    """Adding half a mean contrast tilts the boundary of a base that sees one coordinate."""
    majority, rare = draw_points(CONTRAST_SEED, (0.8, 1.0))
    picture, axes = plt.subplots(1, 2, figsize=(8, 3.9), sharey=True)
    base, fused = contrast_scores(majority, rare)
    points, counts = np.vstack([majority, rare]), []
    for panel, score, name in zip(
        axes, (base, fused), ("base: horizontal only", "base + ½ contrast"), strict=True
    ):
        n_found, cut = captured(score, len(majority))
        counts.append(n_found)
        _scatter(panel, majority, rare)
        panel.tricontour(points[:, 0], points[:, 1], score, levels=[cut], colors=["black"], linewidths=1.2)
        panel.set_title(f"{name}: {n_found} of {len(rare)} at 10 % false positives", fontsize=9)
        panel.set_xlabel("x₁")
    axes[0].set_ylabel("x₂")
    axes[0].legend(fontsize=8, loc="lower left")
    numbers = pd.DataFrame({"score": ["base", "fused"], "found": counts, "paper": [6, 10], "of": len(rare)})
    return picture, numbers


@figure
def two_uses(results: Results) -> Drawing:
    """Raking, then the two uses of its dual: donors for a new classifier, or a score to add."""
    majority, rare = draw_points(2, (1.2, 1.2))
    dual = rake(majority, rare.mean(axis=0)).dual
    random = np.random.default_rng(0)
    donors = random.choice(len(majority), size=25, p=dual.weights)
    picture, (raked, relabelled, rescored) = plt.subplots(1, 3, figsize=(11, 3.9), sharey=True)

    raked.scatter(
        *majority.T, s=4 + 900 * dual.weights, color=PAPER, alpha=0.6, lw=0, label="majority, by raked weight"
    )
    raked.plot(*rare.T, "o", ms=4, color=SECOND, label="rare")
    begin, step = majority.mean(axis=0), dual.theta / np.linalg.norm(dual.theta)
    raked.annotate("", begin + 1.6 * step, begin, arrowprops={"arrowstyle": "->", "lw": 1.6, "color": OURS})
    raked.text(*(begin + 1.7 * step), "θ", color=OURS, fontsize=12)
    raked.set_title("raking: weights and their direction θ")
    raked.legend(fontsize=7, loc="lower left")

    _scatter(relabelled, majority, rare)
    relabelled.plot(*majority[donors].T, "s", ms=6, mfc="none", mec=SECOND, label="relabelled donors")
    rest = np.delete(majority, np.unique(donors), axis=0)
    block = np.vstack([rare, majority[donors]])
    _boundary(relabelled, _logistic(rest, block), "black", "retrained")
    relabelled.set_title("R&R: draw, relabel, train again")
    relabelled.legend(fontsize=7, loc="lower left")

    _scatter(rescored, majority, rare)
    base = _logistic(majority[:, :1], rare[:, :1])
    points = np.vstack([majority, rare])
    first, second = (standardise(score) for score in (base(points[:, :1]), points @ dual.theta))
    _boundary(rescored, lambda at: base(at[:, :1]), PAPER, "base")
    _boundary(
        rescored,
        lambda at: fuse(first.transform(base(at[:, :1])), second.transform(at @ dual.theta), 0.5) - 1.6,
        OURS,
        "base + ½ dual",
    )
    rescored.set_title("DRR: add the dual to the base's score")
    rescored.legend(fontsize=7, loc="lower left")
    numbers = pd.DataFrame(majority, columns=["x1", "x2"]).assign(raked_weight=dual.weights)
    numbers["times_donor"] = np.bincount(donors, minlength=len(majority))
    return picture, numbers


def _scatter(axes: Any, majority: Points, rare: Points) -> None:
    axes.plot(*majority.T, "o", ms=3, color=PAPER, alpha=0.5, label="majority")
    axes.plot(*rare.T, "o", ms=4, color=SECOND, label="rare")


def _logistic(majority: Points, rare: Points) -> Any:
    labels = np.repeat([0, 1], [len(majority), len(rare)])
    return (
        LogisticRegression(class_weight="balanced").fit(np.vstack([majority, rare]), labels).decision_function
    )


def _boundary(axes: Any, score: Any, colour: str, label: str) -> None:
    grid = np.linspace(-3.5, 4, 121)
    across, up = np.meshgrid(grid, grid)
    values = score(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    axes.contour(across, up, values, levels=[0.0], colors=[colour], linewidths=1.4)
    axes.plot([], [], color=colour, lw=1.4, label=label)
