"""A support vector machine with Platt's probabilities.

What ``SVC(probability=True)`` did before scikit-learn deprecated it: decision values of five random folds, a logistic
map of them with Platt's smoothed targets, probabilities kept 1e-7 away from 0 and 1. A fold trained on one class alone
gives ±1, as in libsvm. The folds come from NumPy's generator, not libsvm's, so single probabilities differ from it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from benchmarks.study.platt import fit_platt, smoothed_targets

N_FOLDS = 5
SMALLEST_PROBABILITY = 1e-7
WIDE = 1000  # columns from which the distances of libsvm, one pair at a time, cost several matrix products


class PlattSVC(ClassifierMixin, BaseEstimator):
    """RBF support vector machine for two classes with probabilities."""

    def __init__(self, class_weight: Any = None, random_state: Any = None) -> None:
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> PlattSVC:
        self.classes_ = np.unique(y)
        positive = y == self.classes_[1]
        weight = self._resolved_weight(y)
        self.machine_ = _train(X, y, weight)
        order = check_random_state(self.random_state).permutation(len(y))
        decision = np.empty(len(y))
        for held_out in np.array_split(order, N_FOLDS):
            rest = np.setdiff1d(order, held_out)
            if len(np.unique(y[rest])) < 2:
                decision[held_out] = 1.0 if positive[rest[0]] else -1.0
            else:
                machine = _train(X[rest], y[rest], weight)
                decision[held_out] = machine.decision_function(X[held_out])
        self.platt_ = fit_platt(decision, smoothed_targets(positive), penalty=0.0)
        return self

    def _resolved_weight(self, y: NDArray[Any]) -> dict[Any, float] | None:
        """Balanced weights of all rows, for the folds as well, as libsvm does it."""
        if self.class_weight is None:
            return None
        return {label: len(y) / (len(self.classes_) * np.sum(y == label)) for label in self.classes_.tolist()}

    def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.machine_.decision_function(X)

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        probability = self.platt_.predict(self.machine_.decision_function(X))
        probability = np.clip(probability, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
        return np.stack([1 - probability, probability], axis=1)

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        return self.machine_.predict(X)


def _train(X: NDArray[np.float64], y: NDArray[Any], class_weight: dict[Any, float] | None) -> SVC:
    """A machine at scikit-learn's defaults: RBF kernel, C = 1, γ = 1/(columns · variance)."""
    if X.shape[1] < WIDE:
        return SVC(class_weight=class_weight).fit(X, y)
    kernel = partial(rbf_kernel, gamma=1 / (X.shape[1] * X.var()))
    return SVC(kernel=kernel, class_weight=class_weight).fit(X, y)
