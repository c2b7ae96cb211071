"""What rescoring adds to a random-forest fit: ``DRR_DATA=... python -m benchmarks.overhead``.

Fits DRRClassifier around a random forest on large/cover.npz (286 048 rows, 10 columns), all on one thread, and reports
processor time, which other work on the machine disturbs little. The forest keeps the time that it spends itself, so
that no difference of two long, noisy runs is needed. All else counts as added: the split, the dual, the scores of the
held-out rows by both models, the standardisation, the calibration and the cut. It is compared with a random-forest fit
on all rows, which is what somebody without this package would wait for, and with the forest inside, which sees the
seven tenths that are not held out. A first fit with a single tree, not counted, makes the machine hand out the memory;
a virtual one may take it back in the meantime, and the time in the system tells what it then costs to get it again.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import resource

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.tabular import data_directory
from drr import DRRClassifier, RakingDual


def processor_time() -> np.ndarray:
    """Seconds of the process so far: in all, and of these in the system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return np.array([usage.ru_utime + usage.ru_stime, usage.ru_stime])


class Timed:
    """Remembers how long its fit took."""

    def fit(self, X, y, sample_weight=None):
        started = processor_time()
        super().fit(X, y, sample_weight)
        self.fit_seconds_ = processor_time() - started
        return self


class TimedForest(Timed, RandomForestClassifier):
    """A random forest with a clock."""


class TimedDual(Timed, RakingDual):
    """A dual with a clock."""


def measure(X: np.ndarray, y: np.ndarray, n_trees: int) -> dict[str, float]:
    """Seconds of a forest's fit on all rows, and of the forest's, the dual's and all else in the fit of the classifier.

    The last entry is the part of the dual and of all else that was spent in the system.
    """
    alone = TimedForest(n_trees, random_state=0).fit(X, y)
    dual = TimedDual(random_state=0, n_threads=1)
    classifier = DRRClassifier(TimedForest(n_trees, random_state=0), dual=dual, random_state=0)
    started = processor_time()
    classifier.fit(X, y)
    whole = processor_time() - started
    forest, raking = classifier.estimator_.fit_seconds_, classifier.dual_.fit_seconds_
    added = whole - forest
    return {
        "forest on all rows": alone.fit_seconds_[0],
        "forest inside": forest[0],
        "dual": raking[0],
        "else": added[0] - raking[0],
        "of these system": added[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    with np.load(data_directory() / "large" / "cover.npz") as data:
        X, y = data["X"].astype(np.float64), data["target"]
    print(f"{len(y)} rows, {arguments.trees} trees; seconds of processor time")
    measure(X, y, n_trees=1)
    for _ in range(arguments.repeats):
        seconds = measure(X, y, arguments.trees)
        added = seconds["dual"] + seconds["else"]
        figures = "  ".join(f"{part} {value:.2f}" for part, value in seconds.items())
        forests = ("forest on all rows", "forest inside")
        shares = ", ".join(f"{added / seconds[forest]:.1%} of the {forest}" for forest in forests)
        print(f"{figures}; added: {shares}", flush=True)


if __name__ == "__main__":
    main()
