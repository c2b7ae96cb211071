"""Histogram gradient boosting, plain and with balanced class weights."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.study.learners import STANDALONE, Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem


class _Boosting(Method):
    learners = (STANDALONE,)
    class_weight: str | None = None

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
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
            class_weight=self.class_weight,
            random_state=problem.seed,
        )
        scores = problem.predict(model, problem.fit.X, problem.fit.y)
        extra = {"fit_seconds": scores.seconds, "n_iter": int(model.n_iter_)}
        yield Outcome(self.name, scores.threshold, scores.test, extra=extra)


@register
class Boosting(_Boosting):
    name = "HistGB"
    rank_in_panel = 40


@register
class WeightedBoosting(_Boosting):
    name = "weighted HistGB"
    class_weight = "balanced"
    rank_in_panel = 41
