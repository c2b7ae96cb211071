"""What several tests of the classifier fit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression


@pytest.fixture
def two_classes(rng):
    y = (np.arange(400) < 40).astype(int)
    X = rng.normal(size=(400, 4)) + y[:, None] * np.array([1.5, 0.8, 0.0, 0.4])
    order = rng.permutation(400)
    return X[order], y[order]


@pytest.fixture
def base():
    return LogisticRegression()
