"""The learner with balanced class weights, if it takes any; those of the forest multiply its bootstrap counts."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.study.learners import LEARNERS, Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem


@register
class CostSensitive(Method):
    name = "cost-sensitive"
    learners = tuple(learner.name for learner in LEARNERS.values() if learner.has_class_weight)
    settings = {"forest": "weights on bootstrap counts"}  # noqa: RUF012 - read, never changed
    rank_in_panel = 1

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        scores = problem.train(learner, problem.fit.X, problem.fit.y, class_weight="balanced")
        yield Outcome(self.name, scores.threshold, scores.test, extra={"fit_seconds": scores.seconds})
