"""Bootstrapped average precision against a loop over scikit-learn's metric: ``python -m benchmarks.speed.ranking``.

Both evaluate the average precision of one score under bootstrap counts. scikit-learn is given its counts and charged
for the metric alone; ours ("bootstrap") is charged for drawing the resamples as well. "sweep" is one pass under float
weights of every row, without drawing. "paired" is the interval of two scores, against two calls of the metric.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks.speed.timing import best_times
from drr import gain_interval
from drr._native.ranking import Ranking
from drr.fusion.bootstrap import merge_rows, resample_totals

SHAPES = ((300, 20), (1_000, 50), (10_000, 300), (100_000, 1_000))  # rows, positives
N_RESAMPLES = 1_000


def bootstrap(score: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """The average precision of every resample, everything included."""
    cells = merge_rows(score, y)
    ranking = Ranking(cells.score, cells.positive)
    batches = resample_totals([cells.cell_of_row], y, N_RESAMPLES, np.random.default_rng(0))
    return [ranking.average_precision(totals) for (totals,) in batches]


def measure(n_rows: int, n_positive: int, repeats: int) -> dict[str, float]:
    """Seconds per resample."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) < n_positive
    score = rng.normal(size=n_rows) + 1.5 * y
    fused = score + rng.normal(size=n_rows) + y
    counts = rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows))
    weights = rng.exponential(size=(1, n_rows))
    ranking = Ranking(score, y)
    times = best_times(
        {
            "scikit-learn": lambda: average_precision_score(y, score, sample_weight=counts),
            "bootstrap": lambda: bootstrap(score, y),
            "sweep": lambda: ranking.average_precision(weights),
            "paired": lambda: gain_interval(y, score, fused, n_resamples=N_RESAMPLES, random_state=0),
        },
        repeats,
    )
    return times | {name: times[name] / N_RESAMPLES for name in ("bootstrap", "paired")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    print(
        f"{'rows':>8} {'positive':>8} | microseconds: scikit-learn, bootstrap, sweep, paired | times faster: same"
    )
    for n_rows, n_positive in SHAPES:
        seconds = measure(n_rows, n_positive, repeats)
        peer = seconds["scikit-learn"]
        ours = [seconds[name] for name in ("bootstrap", "sweep", "paired")]
        microseconds = " ".join(f"{1e6 * value:>9.1f}" for value in (peer, *ours))
        ratios = f"{peer / ours[0]:>7.0f} {peer / ours[1]:>7.0f} {2 * peer / ours[2]:>7.0f}"
        print(f"{n_rows:>8} {n_positive:>8} | {microseconds} | {ratios}")


if __name__ == "__main__":
    main()
