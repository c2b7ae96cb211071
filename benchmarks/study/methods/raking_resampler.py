"""R&R: majority rows drawn by their raked weights, relabelled as rare, and the learner trained again.

The paper's m = ⌊n/4⌋ can be read as the number of added rows, half of them relabelled (the arm without a suffix), or as
the number of relabelled rows, with as many bootstrapped ones (the arm ``m each``). Both are run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem
from drr import RakingResampler


def resampled(problem: Problem, learner: Learner, method: str, n_random: int, n_added: int) -> Outcome:
    """The outcome of training on the fit rows with these many added, half relabelled and half bootstrapped."""
    dual, _ = problem.raking(n_random)
    sampler = RakingResampler(dual, n_draws=n_added, random_state=problem.seed)
    _, y = sampler.fit_resample(problem.fit.rows, problem.fit.y)
    scores = problem.train(learner, problem.fit.X[sampler.sample_indices_], y)
    extra = {
        "fit_seconds": scores.seconds,
        "n_relabelled": sampler.n_relabelled_,
        "n_distinct_donors": sampler.n_distinct_donors_,
        "draws_per_effective_row": sampler.draws_per_effective_row_,
    }
    return Outcome(method, scores.threshold, scores.test, extra=extra)


class _RakingResample(Method):
    """One resolution and one reading of m."""

    n_random: int
    is_each = False

    @property
    def settings(self) -> dict[str, Any]:
        return {"dual": "paper", "added": "2*(n//4)" if self.is_each else "n//4"}

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        n_added = (2 if self.is_each else 1) * (len(problem.fit.y) // 4)
        yield resampled(problem, learner, self.name, self.n_random, n_added)


@register
class RakingResample128(_RakingResample):
    name = "R&R(D=128)"
    n_random = 128
    rank_in_panel = 80


@register
class RakingResample0(_RakingResample):
    name = "R&R(D=0)"
    n_random = 0


@register
class RakingResampleEach128(_RakingResample):
    name = "R&R(D=128,m each)"
    n_random = 128
    is_each = True


@register
class RakingResampleEach0(_RakingResample):
    name = "R&R(D=0,m each)"
    n_random = 0
    is_each = True
