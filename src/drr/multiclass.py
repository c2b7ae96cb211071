"""One class against the rest, for every class: from one score per class to one decision and one distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from drr.calibration import SigmoidCalibration
from drr.rescoring import Rescoring


def class_decision(rescorings: Sequence[Rescoring], fused: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each class is above its own cut; the class with the largest value is predicted.

    Distances are brought to the common unit of log-odds by the slopes of the sigmoid calibrations, where there are any.
    """
    slopes = [
        each.calibration.slope if isinstance(each.calibration, SigmoidCalibration) else 1.0
        for each in rescorings
    ]
    return np.asarray(slopes * (fused - [each.cut for each in rescorings]))


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
