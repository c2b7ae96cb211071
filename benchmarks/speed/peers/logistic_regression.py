"""scikit-learn's LogisticRegression on the same rows: not the same problem, but what one would fit instead."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.speed.shapes import Problem


def fit(problem: Problem) -> dict[str, Any]:
    rows = np.vstack([problem.features, problem.minority])
    labels = np.r_[np.zeros(len(problem.features)), np.ones(len(problem.minority))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(solver="newton-cholesky").fit(rows, labels)
    return {"iterations": int(model.n_iter_[0])}
