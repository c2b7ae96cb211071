"""What rescoring adds to a random-forest fit: ``DRR_DATA=... python -m benchmarks.overhead``.

Fits DRRClassifier around a random forest on large/cover.npz (286 048 rows, 10 columns), all on one thread, and reports
processor time, which other work on the machine disturbs little. The forest keeps the time that it spends itself: one
run gives both figures, and no difference of two long, noisy ones is needed. All else counts as added: the split, the
dual, the scores of the held-out rows by both models, the standardisation, the calibration and the cut. A first fit
with a single tree, not counted, makes the machine hand out the memory.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.tabular import data_directory
from drr import DRRClassifier, RakingDual


class TimedForest(RandomForestClassifier):
    """A random forest that remembers how long it took."""

    def fit(self, X, y, sample_weight=None):
        started = time.process_time()
        super().fit(X, y, sample_weight)
        self.fit_seconds_ = time.process_time() - started
        return self


class TimedDual(RakingDual):
    """A dual that remembers how long it took."""

    def fit(self, X, y, sample_weight=None):
        started = time.process_time()
        super().fit(X, y, sample_weight)
        self.fit_seconds_ = time.process_time() - started
        return self


def measure(X: np.ndarray, y: np.ndarray, n_trees: int) -> dict[str, float]:
    """Seconds of the forest's fit, of the dual's fit, and of all else in the fit of the classifier."""
    dual = TimedDual(random_state=0, n_threads=1)
    classifier = DRRClassifier(TimedForest(n_trees, random_state=0), dual=dual, random_state=0)
    started = time.process_time()
    classifier.fit(X, y)
    whole = time.process_time() - started
    forest, raking = classifier.estimator_.fit_seconds_, classifier.dual_.fit_seconds_
    return {"forest": forest, "dual": raking, "else": whole - forest - raking}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    with np.load(data_directory() / "large" / "cover.npz") as data:
        X, y = data["X"].astype(np.float64), data["target"]
    print(f"{len(y)} rows, {arguments.trees} trees; seconds, and what is added to the forest")
    measure(X, y, n_trees=1)
    for _ in range(arguments.repeats):
        seconds = measure(X, y, arguments.trees)
        added = (seconds["dual"] + seconds["else"]) / seconds["forest"]
        figures = "  ".join(f"{part} {value:.2f}" for part, value in seconds.items())
        print(f"{figures}  added {added:.1%}", flush=True)


if __name__ == "__main__":
    main()
