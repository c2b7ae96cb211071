"""The learner as it is, on the imbalanced fit rows."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem


@register
class Base(Method):
    name = "base"
    rank_in_panel = 0

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        base = problem.base(learner)
        yield Outcome(self.name, base.threshold, base.test, extra={"fit_seconds": base.seconds})
