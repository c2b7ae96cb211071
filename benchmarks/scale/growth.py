"""Time of a fit against the number of rows, with the fitted exponent and a picture.

    python -m benchmarks.scale.growth [--most 20000000] [--folder /tmp] [--picture growth.png]

The rows are the first of one file, read in passes, and as cached as the machine lets them be; each fit is made after
one pass over its rows, which brings what fits into the cache.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import drr
from benchmarks.scale.rows import first_rows, make_targets, write_rows
from drr.streaming.dataset import LocalDataset
from drr.streaming.passes import TiltSums

FIRST_LARGE = 10**6  # below, what a fit costs whatever its rows takes the most


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    path = arguments.folder / f"rows-{arguments.most}.npy"
    write_rows(path, arguments.most)
    target = make_targets()["outside the hull"]
    steps = (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7)
    sizes = np.array([n for n in steps if n < arguments.most] + [arguments.most])
    drr.rake(first_rows(path, 10**4), target)  # what is loaded once is not timed
    seconds, passes = (
        np.array(each) for each in zip(*(time_fit(path, n, target) for n in sizes), strict=True)
    )
    for n, time_of_fit, count in zip(sizes, seconds, passes, strict=True):
        print(
            f"{n:>9} rows: {time_of_fit:8.3f} s, {count} passes, {1e9 * time_of_fit / n / count:.1f} ns a row and pass"
        )
    everywhere, _ = exponent_of(sizes, seconds)
    large = sizes >= min(FIRST_LARGE, arguments.most // 10)
    exponent, line = exponent_of(sizes[large], seconds[large])
    print(
        f"time grows as rows^{everywhere:.2f} over all sizes, as rows^{exponent:.2f} from {sizes[large][0]} rows on"
    )
    if arguments.picture:
        draw(arguments.picture, sizes, seconds, exponent, line)


def exponent_of(sizes: np.ndarray, seconds: np.ndarray) -> tuple[float, np.ndarray]:
    """The exponent of least squares in the logarithms, and the line that belongs to it."""
    exponent, offset = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(exponent), np.exp(offset) * sizes**exponent


def time_fit(path: Path, n_rows: int, target: np.ndarray) -> tuple[float, int]:
    rows = first_rows(path, n_rows)
    LocalDataset(rows).run_pass(TiltSums(target, np.zeros(len(target))))
    passes: list[int] = []
    began = time.perf_counter()
    drr.rake(rows, target, callback=lambda values: passes.append(values["passes"]))
    return time.perf_counter() - began, passes[-1]


def draw(picture: Path, sizes: np.ndarray, seconds: np.ndarray, exponent: float, line: np.ndarray) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
    axes.loglog(sizes, seconds, "o", color="tab:blue", label="fit: floor and dual, in passes")
    axes.loglog(
        sizes[-len(line) :], line, "-", color="tab:orange", label=f"rows to the power of {exponent:.2f}"
    )
    axes.set(xlabel="rows of 100 columns in single precision", ylabel="seconds")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    main()
