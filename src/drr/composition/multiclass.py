"""One class against the rest, for every class: from one score per class to one decision and one distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.special
from numpy.typing import NDArray

from drr.calibration import IsotonicCalibration, SigmoidCalibration
from drr.composition.rescoring import Rescoring

# Nearer to zero or one, the last bit of a probability would move its log-odds by more than 1e-7.
_LEAST_ODDS = 1e-9


def class_rules(threshold: Any, labels: Sequence[Any], *, calibrated: bool) -> list[Any]:
    """Return the rule for the cut of each scored class, from the `threshold` parameter of the classifier.

    Two classes have one cut. Of more, the most probable is predicted, whatever the rule: all are cut at one half. A
    mapping cuts the classes that it names by rules of their own. Without probabilities each class needs a cut.
    """
    if not isinstance(threshold, Mapping):
        return [None if calibrated and len(labels) > 1 else threshold] * len(labels)
    if len(labels) == 1:
        raise ValueError(f"threshold={threshold!r} names classes, which is for three or more; pass one rule")
    unknown = [label for label in threshold if label not in labels]
    if unknown:
        raise ValueError(
            f"threshold names the class {unknown[0]!r}, which is not among those of y: {list(labels)}"
        )
    if not calibrated and len(threshold) < len(labels):
        raise ValueError("without a calibration, threshold must name a rule for every class")
    return [threshold.get(label) for label in labels]


def class_decision(rescorings: Sequence[Rescoring], fused: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each class is above its own cut; the class with the largest value is predicted.

    Distances are in the common unit of log-odds: the most probable class is predicted if all are cut at one half.
    If a class has no calibration, all are in standard deviations of the scores.
    """
    calibrated = all(each.calibration is not None for each in rescorings)
    columns = []
    for k, each in enumerate(rescorings):
        above = fused[:, k] - each.cut
        if calibrated and isinstance(each.calibration, SigmoidCalibration):
            above = each.calibration.slope * above
        elif calibrated and isinstance(each.calibration, IsotonicCalibration):
            above = _log_odds(each.calibration.predict(fused[:, k])) - _log_odds_at_cut(each)
        columns.append(above)
    return np.stack(columns, axis=1)


def _log_odds_at_cut(rescoring: Rescoring) -> float:
    """Return the log-odds at the cut; zero for the cut at one half, even if no probability is that large."""
    assert rescoring.calibration is not None
    if rescoring.cut == rescoring.calibration.score_at(0.5):
        return 0.0
    return float(_log_odds(rescoring.calibration.predict([rescoring.cut]))[0])


def _log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-odds that are finite even for the zeros and ones of an isotonic map."""
    return np.asarray(scipy.special.logit(np.clip(probabilities, _LEAST_ODDS, 1 - _LEAST_ODDS)))


def class_probabilities(rescorings: Sequence[Rescoring], fused: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return calibrated probabilities of each class against the rest, normalised; equal ones if all are zero."""
    columns = []
    for k, rescoring in enumerate(rescorings):
        assert rescoring.calibration is not None
        columns.append(rescoring.calibration.predict(fused[:, k]))
    probabilities = np.stack(columns, axis=1)
    total = probabilities.sum(axis=1, keepdims=True)
    even = np.full_like(probabilities, 1.0 / len(rescorings))
    return np.asarray(np.divide(probabilities, total, out=even, where=total > 0))
