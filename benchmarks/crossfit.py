"""What cross-fitting and a chosen fusion weight gain over one split and w = ½.

    DRR_DATA=... python -m benchmarks.crossfit --trials 0:10 --base forest

Prints the mean average precision on the test halves per data set, and over all of them. Every weight is applied to the
same fitted models, so the columns differ in the weight alone. The rule behind "auto" was chosen on trials 0 to 9; later
trials are splits that had no part in the choice.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from benchmarks.tabular import MASTER_SEED, Table, data_directory, load_table
from drr import DRRClassifier, RakingDual, RakingFeatureMap, choose_fusion_weight

DATA_SETS = (
    "glass4",
    "yeast",
    "libras_move",
    "spectrometer",
    "oil",
    "led",
    "flare-f",
    "winequality",
    "vowel0",
    "arrhythmia",
    "abalone",
    "us_crime",
    "car-good",
    "hypo",
)
COLUMNS = (
    "base 0.3",
    "w=1/2 0.3",
    "closed 0.3",
    "grid 0.3",
    "auto 0.3",
    "base 5",
    "w=1/2 5",
    "w=1 5",
    "closed 5",
    "grid 5",
    "auto 5",
)


def make_base(kind: str, table: Table, seed: int) -> object:
    """A base with the paper's settings, behind a one-hot encoder."""
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), table.categorical),
        remainder="passthrough",
    )
    if kind == "forest":
        model = RandomForestClassifier(100, random_state=seed)
    else:
        model = HistGradientBoostingClassifier(
            learning_rate=0.05,
            max_iter=300,
            max_leaf_nodes=31,
            min_samples_leaf=10,
            l2_regularization=1.0,
            early_stopping=True,
            validation_fraction=0.15,
            n_iter_no_change=20,
            tol=1e-7,
            random_state=seed,
        )
    return make_pipeline(encoder, model)


def run_trial(kind: str, table: Table, trial: int, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Average precision on the test half of every column."""
    seed = MASTER_SEED + trial
    X_train, y_train, X_test, y_test = table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test]
    figures = {}
    for holdout in (0.3, 5):
        dual = RakingDual(RakingFeatureMap(random_state=MASTER_SEED))
        classifier = DRRClassifier(
            make_base(kind, table, seed), dual=dual, holdout=holdout, calibration=None, random_state=seed
        ).fit(X_train, y_train)
        rescoring = classifier.rescorings_[0]
        held_out = rescoring.held_out
        base = rescoring.base_standardisation.transform(classifier.base_score(X_test))
        dual_score = rescoring.dual_standardisation.transform(classifier.dual_score(X_test))
        scores = (held_out.base, held_out.dual, held_out.positive)
        weights = {
            "base": 0.0,
            "w=1/2": 0.5,
            "w=1": 1.0,
            "closed": choose_fusion_weight(*scores, "closed_form"),
            "grid": choose_fusion_weight(*scores, "average_precision"),
            "auto": choose_fusion_weight(*scores, "auto"),
        }
        for name, weight in weights.items():
            figures[f"{name} {holdout}"] = average_precision_score(y_test, base + weight * dual_score)
    return figures


def trial_range(text: str) -> range:
    """The trials from FIRST up to, not including, END."""
    first, end = text.split(":")
    return range(int(first), int(end))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=trial_range, default=range(10), metavar="FIRST:END")
    parser.add_argument("--base", choices=("forest", "boosting"), default="forest")
    parser.add_argument("--sets", nargs="*", default=DATA_SETS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = arguments.trials
    print(f"{arguments.base}, trials {chosen.start} to {chosen.stop - 1}")
    print(f"{'':<14}" + "".join(f"{name:>12}" for name in COLUMNS), flush=True)
    means = []
    for name in arguments.sets:
        table = load_table(name, data_directory())
        splits = list(table.outer_splits(chosen.stop))[chosen.start :]
        trials = [run_trial(arguments.base, table, *split) for split in splits]
        means.append([np.mean([figures[column] for figures in trials]) for column in COLUMNS])
        print(f"{name:<14}" + "".join(f"{value:12.3f}" for value in means[-1]), flush=True)
    print(f"{'mean':<14}" + "".join(f"{value:12.3f}" for value in np.mean(means, axis=0)))


if __name__ == "__main__":
    main()
