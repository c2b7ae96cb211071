"""One class against the rest, for every class: from one score per class to one decision and one distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.special
from numpy.typing import NDArray

from drr.calibration import SigmoidCalibration
from drr.rescoring import Rescoring


def class_rules(threshold: Any, labels: Sequence[Any], *, calibrated: bool) -> list[Any]:
    """The rule for the cut of each class that is scored, from the `threshold` parameter of the classifier.

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
    """How far each class is above its own cut; the class with the largest value is predicted.

    Distances are in the common unit of log-odds, where there are calibrations. For the cuts at one half they are the
    log-odds themselves, so that the most probable class is predicted.
    """
    columns = []
    for k, each in enumerate(rescorings):
        if isinstance(each.calibration, SigmoidCalibration):
            columns.append(each.calibration.slope * (fused[:, k] - each.cut))
        elif each.calibration is not None and each.cut == each.calibration.score_at(0.5):
            columns.append(_log_odds(each.calibration.predict(fused[:, k])))
        else:
            columns.append(fused[:, k] - each.cut)
    return np.stack(columns, axis=1)


def _log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finite also for the zeros and ones of an isotonic map."""
    smallest = np.finfo(np.float64).eps
    return np.asarray(scipy.special.logit(np.clip(probabilities, smallest, 1 - smallest)))


def class_probabilities(rescorings: Sequence[Rescoring], fused: NDArray[np.float64]) -> NDArray[np.float64]:
    """The calibrated probability of each class against the rest, normalised to sum one; alike where all are zero."""
    columns = []
    for k, rescoring in enumerate(rescorings):
        assert rescoring.calibration is not None
        columns.append(rescoring.calibration.predict(fused[:, k]))
    probabilities = np.stack(columns, axis=1)
    total = probabilities.sum(axis=1, keepdims=True)
    even = np.full_like(probabilities, 1.0 / len(rescorings))
    return np.asarray(np.divide(probabilities, total, out=even, where=total > 0))
