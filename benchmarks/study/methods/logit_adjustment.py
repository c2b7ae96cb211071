"""Logit adjustment: the log odds of the base, shifted by those of the prior (Menon et al., 2021)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome, Scores, operating_point
from benchmarks.study.problem import Problem

# Probabilities nearer to 0 or 1 than this become ties: why the ranking is not quite that of the base.
CLIP = 1e-9


@register
class LogitAdjustment(Method):
    name = "logit adjust"
    rank_in_panel = 2

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        base = problem.base(learner)
        prior = problem.fit.y.mean()
        shift = np.log(prior / (1 - prior))

        def adjusted(probability: Scores) -> Scores:
            clipped = np.clip(probability, CLIP, 1 - CLIP)
            return np.log(clipped / (1 - clipped)) - shift

        test = adjusted(base.test)
        native = {
            f"native_{name}": value for name, value in operating_point(test > 0, problem.test.y).items()
        }
        share = float(np.mean((base.test < CLIP) | (base.test > 1 - CLIP)))
        extra = native | {"clipped_share": share}
        yield Outcome(self.name, adjusted(base.threshold), test, "logit", extra=extra)
