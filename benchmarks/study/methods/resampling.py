"""Resamplers of imbalanced-learn: the fit rows are resampled, and the learner trained on the result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from imblearn.combine import SMOTEENN
from imblearn.over_sampling import ADASYN, SMOTE, SVMSMOTE, BorderlineSMOTE, RandomOverSampler
from imblearn.under_sampling import RandomUnderSampler
from numpy.typing import NDArray

from benchmarks.study.encoding import Matrix
from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem


def n_neighbours(y: NDArray[np.int64]) -> int:
    """Five, or as many as a small rare class allows."""
    return max(1, min(5, int(y.sum()) - 1))


class Resampling(Method):
    """A method that is a change of the fit rows; give it `resample`."""

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        raise NotImplementedError

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        key = ("resampled", self.name)  # the same rows for every learner
        if key not in problem.shared:
            problem.shared[key] = self.resample(problem.fit.X, problem.fit.y, problem.seed)
        X, y = problem.shared[key]
        if len(np.unique(y)) < 2:
            raise ValueError("the resampled rows have one class only")
        scores = problem.train(learner, X, y)
        extra = {"fit_seconds": scores.seconds, "n_rows": len(y), "minority_share": float(np.mean(y == 1))}
        yield Outcome(self.name, scores.threshold, scores.test, extra=extra)


@register
class Smote(Resampling):
    name = "SMOTE"
    rank_in_panel = 10

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return SMOTE(k_neighbors=n_neighbours(y), random_state=seed).fit_resample(X, y)


@register
class BorderlineSmote(Resampling):
    name = "BSMOTE"
    rank_in_panel = 11

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return BorderlineSMOTE(k_neighbors=n_neighbours(y), random_state=seed).fit_resample(X, y)


@register
class Adasyn(Resampling):
    name = "ADASYN"
    rank_in_panel = 12

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return ADASYN(n_neighbors=n_neighbours(y), random_state=seed).fit_resample(X, y)


@register
class RandomOver(Resampling):
    name = "ROS"
    rank_in_panel = 13

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return RandomOverSampler(random_state=seed).fit_resample(X, y)


@register
class RandomUnder(Resampling):
    name = "RUS"
    rank_in_panel = 14

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return RandomUnderSampler(random_state=seed).fit_resample(X, y)


@register
class SmoteEnn(Resampling):
    """At the library's defaults, as in the paper: with fewer than six rare fit rows it fails, and that is recorded."""

    name = "SMOTE-ENN"
    rank_in_panel = 15

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return SMOTEENN(random_state=seed).fit_resample(X, y)


@register
class SvmSmote(Resampling):
    name = "SVM-SMOTE"
    rank_in_panel = 16

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        return SVMSMOTE(k_neighbors=n_neighbours(y), random_state=seed).fit_resample(X, y)
