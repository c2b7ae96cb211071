"""Probabilities on fresh rows: ``DRR_DATA=... python -m benchmarks.calibration``.

On halves of the tables every map from the held-out fused scores of one `DRRClassifier` to probabilities stands beside
the probabilities of the base and `CalibratedClassifierCV` around it, all fitted on the same half. Brier score, and
calibration error: the mean distance of the mean probability from the rate in ten bins of equally many rows. The sigmoid
is the default; "half isotonic" is the mean of the sigmoid and the isotonic map, which ranks like the score as well.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import brier_score_loss

from benchmarks.bases.learners import LEARNERS
from benchmarks.tabular import data_directory, load_table
from drr import DRRClassifier
from drr.calibration import fit_calibration

SETS = ("yeast", "libras_move", "oil", "flare-f", "car-good", "hypo", "abalone", "us_crime")
N_BINS = 10

Vector = NDArray[np.float64]


def calibration_error(probability: Vector, y: NDArray[np.int64]) -> float:
    """The mean distance of the mean probability from the rate, over bins of equally many rows."""
    bins = np.array_split(np.argsort(probability, kind="stable"), N_BINS)
    return float(np.mean([abs(probability[rows].mean() - y[rows].mean()) for rows in bins]))


def probabilities(name: str, half: int, learner: str) -> Iterator[tuple[str, Vector, NDArray[np.int64]]]:
    """Yield each way to a probability with what it says of the other half, and the labels there."""
    table = load_table(name, data_directory())
    _, train, test = list(table.outer_splits(half + 1))[half]
    X, y, fresh, truth = table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test]
    base = LEARNERS[learner](table.categorical, 0)
    model = DRRClassifier(base, random_state=0, pos_label=1).fit(X, y)
    yield "base", model.base_score(fresh), truth
    calibrated = CalibratedClassifierCV(base).fit(X, y)
    yield "CalibratedClassifierCV", calibrated.predict_proba(fresh)[:, 1], truth
    rescoring, fused = model.rescorings_[0], model.fused_score(fresh)
    learned = rescoring.held_out_fused, rescoring.held_out.positive
    sigmoid, isotonic = (
        fit_calibration(*learned, method).predict(fused) for method in ("sigmoid", "isotonic")
    )
    yield "sigmoid", sigmoid, truth
    yield "isotonic", isotonic, truth
    yield "half isotonic", (sigmoid + isotonic) / 2, truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learner", default="HistGradientBoosting", choices=list(LEARNERS))
    parser.add_argument("--halves", type=int, nargs="*", default=[0, 1])
    parser.add_argument("--sets", nargs="*", default=SETS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for half in arguments.halves:
        values: dict[str, list[tuple[float, float]]] = {}
        for name in arguments.sets:
            for way, probability, truth in probabilities(name, half, arguments.learner):
                error = calibration_error(probability, truth)
                values.setdefault(way, []).append((brier_score_loss(truth, probability), error))
        print(f"{arguments.learner}, half {half}, means of {len(arguments.sets)} tables")
        reference = np.array(values["CalibratedClassifierCV"])
        for way, pairs in values.items():
            brier, error = np.mean(pairs, axis=0)
            wins = int((np.array(pairs)[:, 0] <= reference[:, 0]).sum())
            print(
                f"  {way:<23} Brier {brier:.4f}  calibration error {error:.4f}  Brier no worse than its in {wins}",
                flush=True,
            )


if __name__ == "__main__":
    main()
