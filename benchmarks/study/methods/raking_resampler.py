"""R&R: majority rows drawn by their raked weights, relabelled as rare, and the learner trained again.

As in the code of the authors of raking and relabelling: of n fit rows, ⌈n/2⌉ in each class. Half of the rare ones are
bootstrapped, the others are the paper's m = n/4 relabelled donors; the majority ones are drawn with replacement from
the rows that were no donors, with the levels of categorical variables raked back to their shares in the majority.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem
from drr import RakingResampler


class Resampled(NamedTuple):
    """Rows of the fit subset with their new labels, and what is known of the draw."""

    rows: NDArray[np.intp]
    y: NDArray[np.int64]
    n_relabelled: int
    n_distinct_donors: int


def resample(problem: Problem, n_random: int, **options: Any) -> Resampled:
    """Draw once for all learners of a trial."""
    key = ("R&R", n_random, *sorted(options.items()))
    if key not in problem.shared:
        dual, _ = problem.raking(n_random)
        sampler = RakingResampler(dual, **({"random_state": problem.seed} | options))
        _, y = sampler.fit_resample(problem.fit.rows, problem.fit.y)
        problem.shared[key] = Resampled(
            sampler.sample_indices_, y, sampler.n_relabelled_, sampler.n_distinct_donors_
        )
    return problem.shared[key]


class _RakingResample(Method):
    """One resolution."""

    n_random: int
    settings = {"dual": "paper", "mode": "replace"}  # noqa: RUF012 - read, never changed

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        drawn = resample(problem, self.n_random)
        scores = problem.train(learner, problem.fit.X[drawn.rows], drawn.y)
        dual, _ = problem.raking(self.n_random)
        extra = {
            "fit_seconds": scores.seconds,
            "m_per_ess": (len(problem.fit.y) // 4) / dual.ess_,
            "n_relabelled": drawn.n_relabelled,
            "n_distinct_donors": drawn.n_distinct_donors,
        }
        yield Outcome(self.name, scores.threshold, scores.test, extra=extra)


@register
class RakingResample128(_RakingResample):
    name = "R&R(D=128)"
    n_random = 128
    rank_in_panel = 80


@register
class RakingResample0(_RakingResample):
    name = "R&R(D=0)"
    n_random = 0
    rank_in_panel = 79
