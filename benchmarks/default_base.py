"""Which base serves tables with categories by default: a forest that encodes them, or boosted trees that take them.

    DRR_DATA=... python -m benchmarks.default_base --trials 3

Prints the mean average precision on the test halves of the tables with text columns: each learner fitted on all
training rows, alone and as `DRRClassifier(learner)`.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score

from benchmarks.tabular import data_directory, load_table
from drr import DRRClassifier
from drr.composition.table_forest import TableForest

DATA_SETS = ("abalone", "car-good", "flare-f", "hypo", "sick")


def score_table(name: str, n_trials: int) -> list[float]:
    """Return the mean average precision of forest and boosting, alone and then rescored."""
    table = load_table(name, data_directory())
    X = table.X.astype(dict.fromkeys(table.categorical, "category"))
    results = []
    for trial, train, test in table.outer_splits(n_trials):
        X_train, X_test, y_train, y_test = X.iloc[train], X.iloc[test], table.y[train], table.y[test]
        bases = [
            TableForest(random_state=trial),
            HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=trial),
        ]
        alone = [base.fit(X_train, y_train).predict_proba(X_test)[:, 1] for base in bases]
        rescored = [
            DRRClassifier(base, random_state=trial).fit(X_train, y_train).fused_score(X_test)
            for base in (None, clone(bases[1]))
        ]
        results.append([average_precision_score(y_test, score) for score in (*alone, *rescored)])
    return np.mean(results, axis=0).tolist()


def main() -> None:
    """Print one line per table, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=3, help="halves per table (default: %(default)s)")
    n_trials = parser.parse_args().trials
    warnings.simplefilter("ignore")
    print(f"{'':12}{'forest':>9}{'boosting':>9}{'forest+':>9}{'boosting+':>10}")
    lines = []
    for name in DATA_SETS:
        lines.append(score_table(name, n_trials))
        print(
            f"{name:12}{lines[-1][0]:9.3f}{lines[-1][1]:9.3f}{lines[-1][2]:9.3f}{lines[-1][3]:10.3f}",
            flush=True,
        )
    mean = np.mean(lines, axis=0)
    print(f"{'mean':12}{mean[0]:9.3f}{mean[1]:9.3f}{mean[2]:9.3f}{mean[3]:10.3f}")


if __name__ == "__main__":
    main()
