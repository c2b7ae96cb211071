"""Ensembles that rebalance within: balanced random forest and RUSBoost."""

from __future__ import annotations

from collections.abc import Iterator

from imblearn.ensemble import BalancedRandomForestClassifier

from benchmarks.study.learners import STANDALONE, Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem
from benchmarks.study.rusboost import RealRusBoost


@register
class BalancedForest(Method):
    """Every tree sees as many majority rows as rare ones, drawn with replacement."""

    name = "balanced RF"
    learners = (STANDALONE,)
    rank_in_panel = 30

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
        model = BalancedRandomForestClassifier(
            100,
            sampling_strategy="auto",
            replacement=False,
            bootstrap=True,
            random_state=problem.seed,
            n_jobs=1,
        )
        scores = problem.predict(model, problem.fit.X, problem.fit.y)
        yield Outcome(self.name, scores.threshold, scores.test, extra={"fit_seconds": scores.seconds})


@register
class RusBoost(Method):
    """Boosted stumps on under-sampled rows, with real-valued votes."""

    name = "RUSBoost"
    settings = {"votes": "SAMME.R"}  # noqa: RUF012 - read, never changed
    learners = (STANDALONE,)
    rank_in_panel = 31

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
        model = RealRusBoost(50, random_state=problem.seed)
        scores = problem.predict(model, problem.fit.X, problem.fit.y)
        yield Outcome(self.name, scores.threshold, scores.test, extra={"fit_seconds": scores.seconds})
