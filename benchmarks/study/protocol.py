"""The splits: stratified halves, then fit and threshold rows within the training half."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedShuffleSplit, train_test_split

from benchmarks.study.datasets import Dataset
from benchmarks.tabular import MASTER_SEED, N_TRIALS

Rows = NDArray[np.intp]

TEST_SHARE = 0.5
THRESHOLD_SHARE = 0.3

SETTINGS = {
    "master_seed": MASTER_SEED,
    "n_trials": N_TRIALS,
    "outer": "StratifiedShuffleSplit(30, test_size=0.5, random_state=master_seed)",
    "inner": "train_test_split(test_size=0.3, stratify, random_state=master_seed+trial)",
    "grouped": "halves, then 3 of 10 parts, of whole groups by StratifiedGroupKFold, random_state=master_seed+trial",
}


@dataclass(frozen=True)
class Split:
    """Disjoint rows: models are fitted on `fit`; scales, cuts and Platt maps on `threshold`; `test` is only scored."""

    fit: Rows
    threshold: Rows
    test: Rows


def trial_seed(trial: int) -> int:
    """The seed of everything random within a trial but the outer split and the random features."""
    return MASTER_SEED + trial


def n_fit(n_rows: int) -> int:
    """The number of fit rows of a data set without groups: both splits round the part that is held out up."""
    n_train = n_rows - math.ceil(TEST_SHARE * n_rows)
    return n_train - math.ceil(THRESHOLD_SHARE * n_train)


def split_rows(dataset: Dataset, trial: int) -> Split:
    """The rows of one trial."""
    if not 0 <= trial < N_TRIALS:
        raise ValueError(f"trial must be between 0 and {N_TRIALS - 1}, got {trial}")
    if dataset.groups is not None:
        return _split_groups(dataset.y, dataset.groups, trial)
    outer = StratifiedShuffleSplit(N_TRIALS, test_size=TEST_SHARE, random_state=MASTER_SEED)
    halves = outer.split(np.zeros(len(dataset.y)), dataset.y)
    train, test = next(pair for number, pair in enumerate(halves) if number == trial)
    fit, threshold = train_test_split(
        train, test_size=THRESHOLD_SHARE, stratify=dataset.y[train], random_state=trial_seed(trial)
    )
    return Split(fit, threshold, test)


def _split_groups(y: NDArray[np.int64], groups: NDArray[np.str_], trial: int) -> Split:
    """The same shares with whole groups (patients) on one side: one of two folds, then 3 of 10."""
    seed = trial_seed(trial)
    train, test = next(
        StratifiedGroupKFold(2, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, groups)
    )
    folds = StratifiedGroupKFold(10, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # Fewer rare rows than folds leave parts without any, which the choice below allows for.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = [part for _, part in folds.split(np.zeros(len(train)), y[train], groups[train])]
    # Few groups may hold all rare rows: of all ways to take three parts, that with nearest to 3/10 of the rare rows.
    labels = y[train]
    wanted = THRESHOLD_SHARE * labels.sum()
    chosen = min(
        combinations(parts, 3), key=lambda three: abs(sum(labels[part].sum() for part in three) - wanted)
    )
    threshold = np.sort(np.concatenate(chosen))
    fit = np.setdiff1d(np.arange(len(train)), threshold)
    return Split(train[fit], train[threshold], test)
