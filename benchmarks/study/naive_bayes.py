"""Naive Bayes over Gaussian numbers and smoothed categorical levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from benchmarks.study.encoding import Layout, Matrix


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
    """The product of a Gaussian and a categorical naive Bayes on one encoded matrix.

    A synthetic row may hold fractions in its indicators: it counts for its largest. A level unseen at fit has no
    indicator and says nothing about the class.
    """

    def __init__(self, layout: Layout, alpha: float = 1.0) -> None:
        self.layout = layout
        self.alpha = alpha

    def fit(self, X: Matrix, y: NDArray[Any]) -> MixedNaiveBayes:
        self.classes_ = np.unique(y)
        n_numeric = self.layout.n_numeric
        self.gaussian_ = GaussianNB().fit(X[:, :n_numeric], y) if n_numeric else None
        self.level_log_probabilities_ = None
        if self.layout.blocks:
            codes = np.stack([X[:, block].argmax(axis=1) for block in self.layout.blocks], axis=1)
            levels = CategoricalNB(alpha=self.alpha, min_categories=list(self.layout.n_levels)).fit(codes, y)
            self.level_log_probabilities_ = np.hstack(levels.feature_log_prob_)
        self.log_prior_ = np.log(np.bincount(np.searchsorted(self.classes_, y)) / len(y))
        return self

    def predict_proba(self, X: Matrix) -> Matrix:
        n_numeric = self.layout.n_numeric
        joint = np.tile(self.log_prior_, (len(X), 1))
        if self.gaussian_ is not None:
            joint = self.gaussian_.predict_joint_log_proba(X[:, :n_numeric])
        if self.level_log_probabilities_ is not None:
            joint = joint + X[:, n_numeric:] @ self.level_log_probabilities_.T
        joint = joint - joint.max(axis=1, keepdims=True)
        likelihood = np.exp(joint)
        return likelihood / likelihood.sum(axis=1, keepdims=True)

    def predict(self, X: Matrix) -> NDArray[Any]:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
