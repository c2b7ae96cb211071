"""Draw the thumbnails of the examples that the gallery shows without running: ``python tools/draw_thumbnails.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse

from drr import RakingDual, RakingFeatureMap

FOLDER = Path(__file__).parents[1] / "docs" / "_static" / "thumbnails"
GREY, BLUE, RED = "0.55", "tab:blue", "tab:red"


def draw_map_reduce(ax: plt.Axes) -> None:
    """Draw blocks of rows, their answers and the merged answer."""
    for block in range(4):
        y = 3.0 - block
        ax.add_patch(plt.Rectangle((0, y - 0.3), 1.6, 0.6, facecolor="0.88", edgecolor=GREY))
        for column in range(1, 8):
            ax.plot([0.2 * column] * 2, [y - 0.3, y + 0.3], color="0.75", linewidth=0.8)
        ax.add_patch(plt.Circle((2.7, y), 0.2, facecolor=BLUE, edgecolor="white"))
        ax.annotate("", (2.45, y), (1.65, y), arrowprops={"arrowstyle": "->", "color": GREY})
        ax.annotate("", (4.1, 1.5), (2.95, y), arrowprops={"arrowstyle": "->", "color": GREY})
    ax.add_patch(plt.Circle((4.4, 1.5), 0.32, facecolor=RED, edgecolor="white"))
    ax.text(0.8, 3.6, "blocks", ha="center")
    ax.text(2.7, 3.6, "answers", ha="center")
    ax.text(4.4, 2.1, "merged", ha="center")
    ax.set(xlim=(-0.1, 5), ylim=(-0.6, 4), aspect="equal")
    ax.axis("off")


def draw_cells(ax: plt.Axes) -> None:
    """Draw the scores of generated cells, as the example computes them."""
    rng = np.random.default_rng(0)
    is_rare = np.arange(2000) < 40
    rates = rng.gamma(0.5, 1.0, size=300) * np.ones((2000, 1))
    rates[np.ix_(is_rare, np.arange(20))] *= 3
    cells = scipy.sparse.csr_array(np.log1p(rng.poisson(rates)).astype(np.float64))
    dual = RakingDual(RakingFeatureMap(0)).fit(cells[::2], is_rare[::2])
    score, is_rare = dual.score_samples(cells[1::2]), is_rare[1::2]
    bins = np.linspace(score.min(), score.max(), 45)
    ax.hist(score[~is_rare], bins, color="0.75", density=True, label="other cells")
    ax.hist(score[is_rare], bins, color=RED, alpha=0.8, density=True, label="rare cells")
    ax.set(xlabel="score of the dual", yticks=[])
    ax.legend()


def main() -> None:
    """Write both pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in {"own_map_reduce": draw_map_reduce, "anndata_rare_cells": draw_cells}.items():
        figure, ax = plt.subplots(figsize=(4, 2.8), layout="constrained")
        draw(ax)
        figure.savefig(FOLDER / f"{name}.png", dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
