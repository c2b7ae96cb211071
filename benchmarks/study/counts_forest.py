"""A random forest whose class weights multiply the bootstrap counts.

Up to scikit-learn 1.3, the version of the paper, ``RandomForestClassifier(class_weight="balanced")`` drew the bootstrap
rows alike and gave each drawn row the weight of its class. Newer versions draw the rows in proportion to the weights,
which is another method: half of the rows of every tree are then rare. Without weights both are the same forest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight


class CountsForest(ClassifierMixin, BaseEstimator):
    """Trees on bootstrap rows, each with its number of draws times the weight of its class."""

    def __init__(self, n_trees: int = 100, class_weight: Any = "balanced", random_state: Any = None) -> None:
        self.n_trees = n_trees
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> CountsForest:
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = compute_sample_weight(self.class_weight, y)
        values = np.asarray(X, dtype=np.float32)  # once, not in every tree
        random = check_random_state(self.random_state)
        seeds = [random.randint(np.iinfo(np.int32).max) for _ in range(self.n_trees)]
        self.trees_ = [self._grow(values, codes, weights, seed) for seed in seeds]
        return self

    def _grow(
        self, X: NDArray[np.float32], codes: NDArray[np.intp], weights: NDArray[np.float64], seed: int
    ) -> DecisionTreeClassifier:
        drawn = check_random_state(seed).randint(0, len(codes), len(codes), dtype=np.int32)
        counts = np.bincount(drawn, minlength=len(codes))
        tree = DecisionTreeClassifier(max_features="sqrt", random_state=seed)
        return tree.fit(X, codes, sample_weight=weights * counts, check_input=False)

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.asarray(X, dtype=np.float32)
        return np.asarray(
            np.mean([tree.predict_proba(values, check_input=False) for tree in self.trees_], axis=0)
        )

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
