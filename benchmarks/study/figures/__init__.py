"""Figures: a function of the results each, that returns a picture and the numbers in it.

`@figure` registers one. Ours are filled circles in blue; what the paper prints is a grey ring or a grey line.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from benchmarks.study.results import Results

Drawing = tuple[Figure, pd.DataFrame]

OURS, SECOND, PAPER = "#1f6fb4", "#d1662b", "#8a8a8a"
STYLE = {
    "figure.dpi": 110,
    "savefig.bbox": "tight",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "svg.hashsalt": "drr",
}

FIGURES: dict[str, Callable[[Results], Drawing | None]] = {}


def figure(function: Callable[[Results], Drawing | None]) -> Callable[[Results], Drawing | None]:
    """Register a figure under the name of its function; it returns None where the results do not suffice."""
    FIGURES[function.__name__] = function
    return function


def write_figures(results: Results, out: Path) -> list[str]:
    """Write every figure as PNG, SVG and CSV; returns the names of those that the results do not suffice for."""
    out.mkdir(parents=True, exist_ok=True)
    left_out = []
    for name, draw in FIGURES.items():
        with plt.rc_context(STYLE):
            drawn = draw(results)
            if drawn is None:
                left_out.append(name)
                continue
            picture, numbers = drawn
            picture.savefig(out / f"{name}.png", dpi=130)
            picture.savefig(out / f"{name}.svg", metadata={"Date": None})
            plt.close(picture)
        numbers.to_csv(out / f"{name}.csv", index=False, float_format="%.6g")
    return left_out


from benchmarks.study.figures import comparison, fusion, reliability, schematic  # noqa: E402 - each registers its figures

__all__ = [
    "FIGURES",
    "Drawing",
    "comparison",
    "figure",
    "fusion",
    "reliability",
    "schematic",
    "write_figures",
]
