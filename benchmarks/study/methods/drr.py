"""Density-ratio rescoring: the standardised base score plus w times the standardised dual score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.study.learners import Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.methods.variants import PRIMARY_VARIANTS, SWEEP_VARIANTS, WEIGHTS, Variant
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import DualPrediction, Prediction, Problem
from drr.fusion import separation

DEPLOYED = 0.5


def fused(
    method: str, base: Prediction, second: Prediction, weight: float = DEPLOYED, **keys: Any
) -> Outcome:
    """The outcome of adding a second score to a base score, both standardised on the threshold rows."""
    (base_threshold, base_test), (threshold, test) = base.standardised(), second.standardised()
    return Outcome(method, base_threshold + weight * threshold, base_test + weight * test, "score", **keys)


def moments(problem: Problem, base: Prediction, dual: DualPrediction) -> dict[str, float]:
    """d₁, d₂, ρ and the predicted change of the deflection, on the test and on the threshold rows."""
    figures = {}
    for prefix, rows, first, second in (
        ("", problem.test, base.test, dual.scores.test),
        ("threshold_", problem.threshold, base.threshold, dual.scores.threshold),
    ):
        found = separation(first, second, rows.y, n_resamples=0)
        figures |= {
            f"{prefix}{name}": getattr(found, name) for name in ("d1", "d2", "rho", "effective_weight")
        }
    return figures


@register
class DRR(Method):
    """Both reported resolutions under every weight of the grid; ``DRR(D=128)`` is the one at w = ½."""

    name = "DRR"
    settings = {"dual": "paper", "weights": WEIGHTS}  # noqa: RUF012
    rank_in_panel = 100

    def arms(self) -> tuple[str, ...]:
        return tuple(arm_name(variant, weight) for variant in PRIMARY_VARIANTS for weight in WEIGHTS)

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        base = problem.base(learner)
        for variant in PRIMARY_VARIANTS:
            dual = problem.dual(variant.n_random)
            for weight in WEIGHTS:
                is_deployed = weight == DEPLOYED
                extra = moments(problem, base, dual) if is_deployed else {}
                name = arm_name(variant, weight)
                yield fused(name, base, dual.scores, weight, is_full=is_deployed, extra=extra)


@register
class DRRSweep(Method):
    """The other resolutions, tolerances and draws, at w = ½."""

    name = "DRR-sweep"
    settings = {"dual": "paper"}  # noqa: RUF012

    def arms(self) -> tuple[str, ...]:
        return tuple(arm_name(variant) for variant in SWEEP_VARIANTS)

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        base = problem.base(learner)
        for variant in SWEEP_VARIANTS:
            dual = problem.dual(variant.n_random, variant.eta, variant.draw)
            yield fused(arm_name(variant), base, dual.scores, is_full=False)


@register
class DRRDefaultSolver(Method):
    """The library's default, certified solver in place of the published algorithm."""

    name = "DRR-auto"
    settings = {"dual": "auto"}  # noqa: RUF012

    def arms(self) -> tuple[str, ...]:
        return ("DRR(D=128,auto)",)

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        dual = problem.dual(128, method="auto")
        yield fused(self.arms()[0], problem.base(learner), dual.scores, extra=dual.figures)


def arm_name(variant: Variant, weight: float = DEPLOYED) -> str:
    """``DRR(D=128)``, ``DRR(D=128,w=0.25)``, ``DRR(D=0,eta=0.2)`` and so on."""
    return f"DRR({variant.label})" if weight == DEPLOYED else f"DRR({variant.label},w={weight:g})"
