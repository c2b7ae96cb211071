"""The feasibility floors of the paper's table, on its data and with its splits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from benchmarks.tabular import MASTER_SEED, N_TRIALS, load_table
from drr import RakingFeatureMap, find_floor

# Data set: the floor printed in the table (D = 128, mean of 30 trials, three decimals).
PRINTED = {
    "yeast": 0.387,
    "glass4": 0.310,
    "spectrometer": 0.249,
    "libras_move": 0.231,
    "vowel0": 0.156,
    "arrhythmia": 0.097,
    "oil": 0.092,
    "winequality": 0.081,
    "hypo": 0.074,
    "led": 0.065,
    "mammography": 0.053,
    "flare-f": 0.048,
    "us_crime": 0.046,
    "abalone": 0.029,
    "scene": 0.024,
    "boundary": 0.016,
    "yeast_ml8": 0.016,
    "car-good": 0.008,
    "abalone_19": 0.003,
}
ROUNDING = 0.0008


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", PRINTED)
def test_mean_floor(data_directory, name):
    table = load_table(name, data_directory)
    floors = []
    for trial, train, _ in table.outer_splits(N_TRIALS):
        fit, _ = train_test_split(
            train, test_size=0.3, stratify=table.y[train], random_state=MASTER_SEED + trial
        )
        feature_map = RakingFeatureMap(
            128, categorical_features=table.categorical or None, random_state=MASTER_SEED, sparse_output=False
        )
        features, labels = feature_map.fit_transform(table.X.iloc[fit]), table.y[fit]
        floors.append(find_floor(features[labels == 0], features[labels == 1].mean(axis=0)).value)
    print(f"{name}: {np.mean(floors):.4f}, printed {PRINTED[name]:.3f}")
    assert np.mean(floors) == pytest.approx(PRINTED[name], abs=ROUNDING)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["glass4", "yeast", "spectrometer", "led", "winequality"])
def test_published_algorithm_is_an_upper_bound(data_directory, name):
    table = load_table(name, data_directory)
    for _, train, _ in table.outer_splits(5):
        feature_map = RakingFeatureMap(
            128, categorical_features=table.categorical or None, random_state=MASTER_SEED, sparse_output=False
        )
        features, labels = feature_map.fit_transform(table.X.iloc[train]), table.y[train]
        rows, target = features[labels == 0], features[labels == 1].mean(axis=0)
        published, certified = find_floor(rows, target, method="paper"), find_floor(rows, target)
        assert certified.value <= published.value * (1 + 1e-9) + 1e-12
        assert published.value == pytest.approx(certified.value, abs=ROUNDING)
