"""The methods, one small file each.

A method is a class with `Method` as its base, registered by `@register` and imported at the end of this file. Its arms
(the rows it produces) then appear in the results, and in the tables of methods that the paper lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.study.learners import LEARNERS, STANDALONE, Learner
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem

ALL_LEARNERS = tuple(LEARNERS)


class Method:
    """One entry of the study."""

    name: str
    """What the command line calls it"""
    learners: tuple[str, ...] = ALL_LEARNERS
    """The base learners it runs under; `(STANDALONE,)` for a method of its own"""
    settings: dict[str, Any] = {}  # noqa: RUF012 - read, never changed
    """Its fixed parameters, kept beside the results"""
    rank_in_panel: int | None = None
    """Its place in the panel tables; None leaves it to the tables of its own"""

    def arms(self) -> tuple[str, ...]:
        """The names of the rows it produces for each learner; most methods have one."""
        return (self.name,)

    def run(self, problem: Problem, learner: Learner | None) -> Iterator[Outcome]:
        """Fit on `problem.fit` and yield the scores of every arm."""
        raise NotImplementedError


METHODS: dict[str, Method] = {}


def register(method: type[Method]) -> type[Method]:
    """Add a method to the study."""
    if method.name in METHODS:
        raise ValueError(f"two methods are called {method.name!r}")
    METHODS[method.name] = method()
    return method


from benchmarks.study.methods import (  # noqa: E402 - each registers itself
    base,
    boosting,
    cap_diagnostic,
    cost_sensitive,
    drr,
    dual_alone,
    ensembles,
    fw_smote,
    logit_adjustment,
    raking_resampler,
    resampling,
    rose,
    same_map_logistic,
)

__all__ = [
    "ALL_LEARNERS",
    "METHODS",
    "STANDALONE",
    "Method",
    "base",
    "boosting",
    "cap_diagnostic",
    "cost_sensitive",
    "drr",
    "dual_alone",
    "ensembles",
    "fw_smote",
    "logit_adjustment",
    "raking_resampler",
    "register",
    "resampling",
    "rose",
    "same_map_logistic",
]
