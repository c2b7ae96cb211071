"""Reliability of the probabilities, pooled over four data sets with a forest as the base.

Needs predictions, which the results do not hold: ``python -m benchmarks.study reliability`` computes the bins once and
keeps them, and only them, beside the results.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from benchmarks.study.datasets import load_dataset
from benchmarks.study.figures import OURS, Drawing, figure
from benchmarks.study.learners import LEARNERS
from benchmarks.study.methods import METHODS
from benchmarks.study.platt import fit_platt
from benchmarks.study.problem import Problem
from benchmarks.study.results import Results

DATA_SETS = ("oil", "glass4", "yeast", "us_crime")
N_TRIALS = 20
N_BINS = 10
ARMS = {
    "base": "base",
    "cost-sensitive": "cost-sensitive",
    "SMOTE": "SMOTE",
    "balanced RF": "balanced RF",
    "R&R(D=128)": "R&R(D=128)",
    "HistGB": "HistGB",
    "DRR(D=128)": "DRR",
}
FILE = "reliability.csv"


def pooled_predictions(directory: Path, arm: str, n_trials: int = N_TRIALS) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and labels of all test halves; DRR's after its Platt map, the others' as they are."""
    probabilities, labels = [], []
    for name in DATA_SETS:
        for trial in range(n_trials):
            problem = Problem(load_dataset(name, directory), trial)
            for outcome in METHODS[ARMS[arm]].run(problem, LEARNERS["RF"]):
                if outcome.method != arm:
                    continue
                test = outcome.test
                if outcome.kind == "score":
                    test = fit_platt(outcome.threshold, problem.threshold.y).predict(test)
                probabilities.append(test)
                labels.append(problem.test.y)
    return np.concatenate(probabilities), np.concatenate(labels)


def bins(probability: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """Mean probability and share of rare rows in up to ten quantile bins; equal probabilities stay together."""
    edges = np.unique(np.quantile(probability, np.linspace(0, 1, N_BINS + 1)))
    places = np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, max(len(edges) - 2, 0))
    groups = pd.DataFrame({"bin": places, "probability": probability, "observed": y}).groupby("bin")
    return groups.agg(
        probability=("probability", "mean"), observed=("observed", "mean"), rows=("observed", "size")
    )


def compute(directory: Path, out: Path, n_trials: int = N_TRIALS) -> pd.DataFrame:
    """The bins of every arm, written to the folder of results."""
    frames = []
    for arm in ARMS:
        probability, y = pooled_predictions(directory, arm, n_trials)
        brier = float(np.mean((probability - y) ** 2))
        frames.append(bins(probability, y).assign(method=arm, brier=brier, trials=n_trials))
        print(f"{arm}: Brier {brier:.4f}", flush=True)
    frame = pd.concat(frames).reset_index(drop=True)
    frame.to_csv(out / FILE, index=False, float_format="%.6g")
    return frame


@figure
def reliability(results: Results) -> Drawing | None:
    """Observed share of rare rows against the predicted probability."""
    if results.folder is None or not (results.folder / FILE).exists():
        return None
    frame = pd.read_csv(results.folder / FILE)
    picture, axes = plt.subplots(figsize=(5, 4.4))
    for name, part in frame.groupby("method", sort=False):
        is_drr = str(name).startswith("DRR")
        label = f"{name} (Brier {part['brier'].iloc[0]:.3f})"
        axes.plot(
            part["probability"],
            part["observed"],
            "o-",
            ms=4,
            lw=2.2 if is_drr else 1,
            color=OURS if is_drr else None,
            label=label,
        )
    axes.plot([0, 1], [0, 1], color="black", lw=0.8, ls="--")
    axes.set(
        xlabel="predicted probability, mean of the bin",
        ylabel="share of rare rows",
        title=f"{', '.join(DATA_SETS)}; forest, {int(frame['trials'].iloc[0])} half splits",
    )
    axes.legend(fontsize=7)
    return picture, frame
