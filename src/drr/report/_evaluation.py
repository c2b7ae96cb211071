"""The scores of labelled rows, from which every section of the report is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._native.ranking import Ranking
from drr.classifier import DRRClassifier
from drr.composition.rescoring import Rescoring
from drr.decision.rules import Sweep
from drr.fusion.bootstrap import merge_rows, resample_totals
from drr.fusion.gain import GainInterval, gain_interval
from drr.fusion.separation import Separation, separation
from drr.fusion.standardisation import fuse
from drr.raking.estimator import RakingDual

N_RESAMPLES = 400
LEVEL = 0.95
SCORES = ("base", "dual", "fused")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A fitted classifier and the scores of labelled rows."""

    classifier: DRRClassifier
    X: Any
    """the rows, to describe their columns"""
    labels: NDArray[np.bool_]
    """which rows of `X` are rare"""
    scores: dict[str, NDArray[np.float64]]
    """base, dual (both standardised) and fused"""
    positive: NDArray[np.bool_]
    """which of the scored rows are rare"""
    held_out: bool
    """the scored rows are those held out in the fit, not those of `X`"""
    details: dict[str, Any] = field(default_factory=dict)
    """names of files, rows per day and the like"""

    @property
    def rescoring(self) -> Rescoring:
        return self.classifier.rescorings_[0]

    @property
    def dual(self) -> RakingDual:
        dual: RakingDual = self.classifier.dual_
        return dual

    @property
    def rare_label(self) -> Any:
        return self.classifier.pos_label_

    @property
    def n_rows(self) -> int:
        return len(self.positive)

    @property
    def n_rare(self) -> int:
        return int(self.positive.sum())

    @property
    def share(self) -> float:
        """The share of the rare class."""
        return self.n_rare / self.n_rows

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        return {name: Ranking(score, self.positive) for name, score in self.scores.items()}

    @cached_property
    def sweeps(self) -> dict[str, Sweep]:
        """True and false positives at every cut."""
        ones = np.ones(self.n_rows)
        return {name: Sweep(*ranking.curve(ones)) for name, ranking in self.rankings.items()}

    @cached_property
    def gain(self) -> GainInterval:
        return gain_interval(
            self.positive, self.scores["base"], self.scores["fused"], level=LEVEL, random_state=0
        )

    @cached_property
    def separation(self) -> Separation:
        return separation(
            self.scores["base"],
            self.scores["dual"],
            self.positive,
            weight=self.rescoring.fusion_weight,
            level=LEVEL,
            random_state=0,
        )

    def resample(self, statistic: Callable[[Ranking, NDArray[Any]], Any]) -> dict[str, NDArray[np.float64]]:
        """Compute a statistic of each ranking under bootstrap counts, drawing the same rows for all rankings."""
        cells = [merge_rows(self.scores[name], self.positive) for name in SCORES]
        rankings = [Ranking(each.score, each.positive) for each in cells]
        places = [each.cell_of_row for each in cells]
        found: dict[str, list[Any]] = {name: [] for name in SCORES}
        for totals in resample_totals(places, self.positive, N_RESAMPLES, np.random.default_rng(0)):
            for name, ranking, counts in zip(SCORES, rankings, totals, strict=True):
                found[name].append(statistic(ranking, counts))
        return {name: np.concatenate(each) for name, each in found.items()}


def evaluate(
    classifier: DRRClassifier,
    X: Any,
    y: ArrayLike,
    *,
    base_score: ArrayLike | None = None,
    held_out: bool = False,
    details: dict[str, Any] | None = None,
) -> Evaluation:
    """Score labelled rows, or with `held_out` take the scores of the rows held out in the fit."""
    if len(classifier.rescorings_) != 1:
        raise ValueError("a report is about two classes; fit one classifier per rare class with pos_label")
    labels = np.asarray(y) == classifier.pos_label_
    rescoring = classifier.rescorings_[0]
    if held_out:
        kept = rescoring.held_out
        base, dual, positive = kept.base, kept.dual, kept.positive
    else:
        found = classifier.scores(X, base_score=base_score)
        base, dual = rescoring.standardise(found.base, found.dual)
        positive = labels
    if not 0 < positive.sum() < len(positive):
        raise ValueError(
            f"a report needs rows of both classes, but {int(positive.sum())} of {len(positive)} rows are of the rare "
            f"class {np.asarray(classifier.pos_label_).item()!r}; pass rows of both classes"
        )
    scores = {"base": base, "dual": dual, "fused": fuse(base, dual, rescoring.fusion_weight)}
    return Evaluation(classifier, X, labels, scores, positive, held_out, details or {})
