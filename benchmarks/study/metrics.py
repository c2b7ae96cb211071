"""What is measured on the test half; maps and cuts come from the threshold rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.study.platt import fit_platt
from drr._native.ranking import Ranking
from drr.calibration import fit_calibration
from drr.decision import choose_cut

Scores = NDArray[np.float64]

CUTS = ("half", "balanced", "f1")
POINT_METRICS = ("balanced_accuracy", "f1", "mcc", "g_mean")
RANKING = ("ap", "auc")
PROBABILITY = ("brier", "brier_platt", "brier_platt_ml", "platt_slope")
COLUMNS = (*RANKING, *PROBABILITY, *(f"{metric}_{cut}" for cut in CUTS for metric in POINT_METRICS))


@dataclass(frozen=True, eq=False)
class Outcome:
    """The scores of one arm on the threshold and the test rows, before anything is measured."""

    method: str
    threshold: Scores
    """Raw scores, for ranking"""
    test: Scores
    kind: str = "probability"
    """What the scores are: "probability" is reported as it is, "score" becomes one through its own Platt map,
    "logit" has no probability of its own and is cut at zero"""
    is_full: bool = True
    """Whether operating points are measured, or the ranking and the Brier score alone"""
    extra: dict[str, Any] = field(default_factory=dict)


def measure(outcome: Outcome, y_threshold: NDArray[np.int64], y_test: NDArray[np.int64]) -> dict[str, float]:
    """All metrics of one outcome; NaN where a metric is not defined for it."""
    figures = dict.fromkeys(COLUMNS, np.nan)
    if not (np.isfinite(outcome.threshold).all() and np.isfinite(outcome.test).all()):
        raise ValueError("scores are not finite")
    figures["ap"], figures["auc"] = rank(outcome.test, y_test)
    platt = fit_platt(outcome.threshold, y_threshold)
    figures["platt_slope"] = platt.slope
    figures["brier_platt"] = brier(platt.predict(outcome.test), y_test)
    reported = {"probability": outcome.test, "score": platt.predict(outcome.test), "logit": None}[
        outcome.kind
    ]
    if reported is not None:
        figures["brier"] = brier(reported, y_test)
    if not outcome.is_full:
        return figures
    likeliest = fit_calibration(outcome.threshold, y_threshold, constrained=False)
    figures["brier_platt_ml"] = brier(likeliest.predict(outcome.test), y_test)
    decision = outcome.threshold if outcome.kind != "score" else platt.predict(outcome.threshold)
    on_test = outcome.test if reported is None else reported
    cuts = {
        "half": 0.5 if reported is not None else None,
        "balanced": choose_cut(decision, y_threshold, "balanced_accuracy"),
        "f1": choose_cut(decision, y_threshold, "f1"),
    }
    for name, cut in cuts.items():
        if cut is not None:
            for metric, value in operating_point(on_test > cut, y_test).items():
                figures[f"{metric}_{name}"] = value
    return figures


def rank(score: Scores, y: NDArray[np.int64]) -> tuple[float, float]:
    """Average precision and area under the ROC curve, from one sort."""
    ranking, ones = Ranking(np.ascontiguousarray(score), y == 1), np.ones((1, len(y)))
    return float(ranking.average_precision(ones)[0]), float(ranking.roc_auc(ones)[0])


def brier(probability: Scores, y: NDArray[np.int64]) -> float:
    """Mean squared error of the probability of the rare class."""
    return float(np.mean((probability - y) ** 2))


def operating_point(label: NDArray[np.bool_], y: NDArray[np.int64]) -> dict[str, float]:
    """Balanced accuracy, F1, Matthews correlation and geometric mean of the recalls; 0 where 0/0."""
    positive = y == 1
    tp, fp = float(np.sum(label & positive)), float(np.sum(label & ~positive))
    fn, tn = float(np.sum(~label & positive)), float(np.sum(~label & ~positive))
    recall, specificity = tp / (tp + fn), tn / (tn + fp)
    denominator = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {
        "balanced_accuracy": (recall + specificity) / 2,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / denominator if denominator > 0 else 0.0,
        "g_mean": float(np.sqrt(recall * specificity)),
    }
