"""What cross-fitting and a chosen fusion weight gain over one split and w = ½.

    DRR_DATA=... python -m benchmarks.crossfit --trials 0:10 --base forest

Prints the mean average precision on the test halves per data set, and over all of them. Every weight is applied to the
same fitted models, so the columns differ in the weight alone. The rule behind "auto" was chosen on trials 10 to 19;
trials 0 to 9 are splits that had no part in the choice.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path

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
FIXED = {"base": 0.0, "w=1/2": 0.5, "w=1": 1.0}
CHOSEN = {"closed": "closed_form", "grid": "average_precision", "auto": "auto"}


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


@dataclass(frozen=True)
class Cell:
    """The standardised scores of one fit: of the rows that choose the weight, and of the test half."""

    base: np.ndarray
    dual: np.ndarray
    positive: np.ndarray
    test_base: np.ndarray
    test_dual: np.ndarray
    test_positive: np.ndarray

    def precision(self, weight: float) -> float:
        """Average precision on the test half at a weight."""
        return float(average_precision_score(self.test_positive, self.test_base + weight * self.test_dual))

    def chosen(self, method: str) -> float:
        """Average precision on the test half at a weight chosen on the other rows."""
        return self.precision(choose_fusion_weight(self.base, self.dual, self.positive, method))


def fit_cell(
    kind: str, table: Table, trial: int, train: np.ndarray, test: np.ndarray, holdout: float
) -> Cell:
    """Fit base and dual on one half, and score the other."""
    seed = MASTER_SEED + trial
    dual = RakingDual(RakingFeatureMap(random_state=MASTER_SEED))
    classifier = DRRClassifier(
        make_base(kind, table, seed), dual=dual, holdout=holdout, calibration=None, random_state=seed
    ).fit(table.X.iloc[train], table.y[train])
    rescoring = classifier.rescorings_[0]
    held_out, X_test = rescoring.held_out, table.X.iloc[test]
    return Cell(
        held_out.base,
        held_out.dual,
        held_out.positive,
        rescoring.base_standardisation.transform(classifier.base_score(X_test)),
        rescoring.dual_standardisation.transform(classifier.dual_score(X_test)),
        table.y[test] == classifier.pos_label_,
    )


def kept_cell(folder: Path | None, kind: str, table: Table, split: tuple, holdout: float) -> Cell:
    """A cell from the folder of an earlier run, or fitted and kept there."""
    if folder is None:
        return fit_cell(kind, table, *split, holdout)
    path = folder / f"{kind}_{table.name}_{split[0]:02d}_{holdout}.npz"
    if not path.exists():
        part = path.with_suffix(".part")
        with open(part, "wb") as file:
            np.savez(file, **vars(fit_cell(kind, table, *split, holdout)))
        part.rename(path)
    with np.load(path) as arrays:
        return Cell(**arrays)


def run_trial(folder: Path | None, kind: str, table: Table, split: tuple) -> dict[str, float]:
    """Average precision on the test half of every column."""
    figures = {}
    for holdout in (0.3, 5):
        cell = kept_cell(folder, kind, table, split, holdout)
        figures |= {f"{name} {holdout}": cell.precision(weight) for name, weight in FIXED.items()}
        figures |= {f"{name} {holdout}": cell.chosen(method) for name, method in CHOSEN.items()}
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
    parser.add_argument("--keep", type=Path, help="a folder for the scores, to go on from and to weigh anew")
    arguments = parser.parse_args()
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    chosen = arguments.trials
    print(f"{arguments.base}, trials {chosen.start} to {chosen.stop - 1}")
    print(f"{'':<14}" + "".join(f"{name:>12}" for name in COLUMNS), flush=True)
    means = []
    for name in arguments.sets:
        table = load_table(name, data_directory())
        splits = list(table.outer_splits(chosen.stop))[chosen.start :]
        trials = [run_trial(arguments.keep, arguments.base, table, split) for split in splits]
        means.append([np.mean([figures[column] for figures in trials]) for column in COLUMNS])
        print(f"{name:<14}" + "".join(f"{value:12.3f}" for value in means[-1]), flush=True)
    print(f"{'mean':<14}" + "".join(f"{value:12.3f}" for value in np.mean(means, axis=0)))


if __name__ == "__main__":
    main()
