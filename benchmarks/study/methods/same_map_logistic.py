"""Logistic regression on the raking features, alone and fused with the base: is it the dual, or the map?"""

from __future__ import annotations

import time
from collections.abc import Iterator

from sklearn.linear_model import LogisticRegression

from benchmarks.study.learners import STANDALONE, Learner
from benchmarks.study.methods import Method, register
from benchmarks.study.methods.drr import fused
from benchmarks.study.methods.variants import PRIMARY
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Prediction, Problem, digest

PENALTIES = (0.1, 1.0, 10.0, 100.0)
KINDS = {"LR": None, "balanced LR": "balanced"}
CONTROLS = tuple((kind, n_random, C) for kind in KINDS for n_random in PRIMARY for C in PENALTIES)


def control_name(kind: str, n_random: int, C: float) -> str:
    return f"{kind}(D={n_random},C={C:g})"


def control(problem: Problem, kind: str, n_random: int, C: float) -> tuple[Prediction, str]:
    """The decision function of the control, and the digest of the features it was fitted on; computed once a trial."""
    store, key = problem.shared, ("same-map", kind, n_random if problem.dataset.numeric else 0, C)
    if key not in store:
        fit, threshold, test = arrays = problem.features(problem.feature_map(n_random))
        model = LogisticRegression(C=C, class_weight=KINDS[kind], tol=1e-6, max_iter=2000)
        begin = time.perf_counter()
        model.fit(fit, problem.fit.y)
        seconds = time.perf_counter() - begin
        scores = Prediction(model.decision_function(threshold), model.decision_function(test), seconds)
        store[key] = scores, digest(arrays)
    return store[key]


@register
class SameMapLogistic(Method):
    name = "same-map"
    learners = (STANDALONE,)
    settings = {"C": PENALTIES, "tol": 1e-6, "max_iter": 2000}  # noqa: RUF012

    def arms(self) -> tuple[str, ...]:
        return tuple(control_name(*each) for each in CONTROLS)

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
        for each in CONTROLS:
            scores, features_digest = control(problem, *each)
            extra = {"features_digest": features_digest, "fit_seconds": scores.seconds}
            name = control_name(*each)
            yield Outcome(name, scores.threshold, scores.test, "score", is_full=False, extra=extra)


@register
class FusedSameMapLogistic(Method):
    name = "base+same-map"
    settings = SameMapLogistic.settings

    def arms(self) -> tuple[str, ...]:
        return tuple(f"base+{control_name(*each)}" for each in CONTROLS)

    def run(self, problem: Problem, learner: Learner) -> Iterator[Outcome]:
        base = problem.base(learner)
        for each in CONTROLS:
            scores, _ = control(problem, *each)
            yield fused(f"base+{control_name(*each)}", base, scores, is_full=False)
