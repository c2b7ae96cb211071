"""R&R: majority rows drawn by their raked weights, relabelled as rare, and the learner trained again.

The paper says that m = ⌊n/4⌋, that the added block is half relabelled and half bootstrapped rare rows, and that the
learner is trained on the balanced set, near a prior of ½. Three readings are run:

- the main arm, without a suffix: a block of m rows against m majority rows drawn without replacement. It alone trains
  at a prior of ½, and it comes nearest to the paper's average precision and Brier score;
- ``m in all``: all fit rows, and a block of m rows;
- ``m each``: all fit rows, m relabelled and m bootstrapped rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Prediction, Problem
from drr import RakingResampler


def retrain(
    problem: Problem,
    learner: Learner,
    sampler: RakingResampler,
    *,
    is_balanced: bool,
    seed: int | None = None,
) -> Prediction:
    """Train on the fit rows with the sampler's block, or on the block against as many majority rows."""
    _, y = sampler.fit_resample(problem.fit.rows, problem.fit.y)
    rows = sampler.sample_indices_
    if is_balanced:
        n = len(problem.fit.y)
        block, majority = rows[n:], np.flatnonzero(problem.fit.y == 0)
        random = np.random.default_rng(problem.seed if seed is None else seed)
        others = random.choice(majority, min(len(block), len(majority)), replace=False)
        rows, y = np.concatenate([others, block]), np.repeat([0, 1], [len(others), len(block)])
    return problem.train(learner, problem.fit.X[rows], y)


class _RakingResample(Method):
    """One resolution and one reading of m."""

    n_random: int
    reading = "balanced"

    @property
    def settings(self) -> dict[str, Any]:
        return {"dual": "paper", "reading": self.reading}

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        dual, _ = problem.raking(self.n_random)
        m = len(problem.fit.y) // 4
        n_added = 2 * m if self.reading == "m each" else m
        sampler = RakingResampler(dual, n_draws=n_added, random_state=problem.seed)
        scores = retrain(problem, learner, sampler, is_balanced=self.reading == "balanced")
        extra = {
            "fit_seconds": scores.seconds,
            "m_per_ess": m / dual.ess_,
            "n_relabelled": sampler.n_relabelled_,
            "n_distinct_donors": sampler.n_distinct_donors_,
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


@register
class RakingResampleAll128(_RakingResample):
    name = "R&R(D=128,m in all)"
    n_random = 128
    reading = "m in all"
    rank_in_panel = 81


@register
class RakingResampleEach128(_RakingResample):
    name = "R&R(D=128,m each)"
    n_random = 128
    reading = "m each"
    rank_in_panel = 82
