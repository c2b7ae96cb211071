"""The dual score without a base; its rows carry what is known of the solve."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.study.learners import STANDALONE, Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.methods.variants import PRIMARY_VARIANTS, SWEEP_VARIANTS, Variant
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem, digest


def _outcome(problem: Problem, variant: Variant) -> Outcome:
    dual = problem.dual(variant.n_random, variant.eta, variant.draw)
    extra = dict(dual.figures)
    if variant.is_primary:
        feature_map = problem.raking(variant.n_random)[0].feature_map_
        extra["features_digest"] = digest(problem.features(feature_map))
    scores, name = dual.scores, f"dual({variant.label})"
    return Outcome(name, scores.threshold, scores.test, "score", is_full=variant.is_primary, extra=extra)


@register
class DualAlone(Method):
    name = "dual"
    learners = (STANDALONE,)
    settings = {"dual": "paper"}  # noqa: RUF012
    rank_in_panel = 90

    def arms(self) -> tuple[str, ...]:
        return tuple(f"dual({variant.label})" for variant in PRIMARY_VARIANTS)

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
        for variant in PRIMARY_VARIANTS:
            yield _outcome(problem, variant)


@register
class DualSweep(Method):
    name = "dual-sweep"
    learners = (STANDALONE,)
    settings = {"dual": "paper"}  # noqa: RUF012

    def arms(self) -> tuple[str, ...]:
        return tuple(f"dual({variant.label})" for variant in SWEEP_VARIANTS)

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
        for variant in SWEEP_VARIANTS:
            yield _outcome(problem, variant)
