"""Everything that a fitted classifier says of some rows, computed together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores, probabilities and labels of rows, from one look at each model.

    With three classes or more the scores and probabilities have one column per class.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import DRRClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) < 40
    >>> X = rng.normal(size=(600, 4)) + y[:, None]
    >>> scores = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y).scores(X)
    >>> scores.fused.shape, scores.probability.shape, scores.label.dtype
    ((600,), (600,), dtype('bool'))
    """

    base: NDArray[np.float64]
    """the raw score of the base"""
    dual: NDArray[np.float64]
    """the raw score of the dual, an estimated log density ratio"""
    fused: NDArray[np.float64]
    """z(base) + w·z(dual)"""
    probability: NDArray[np.float64] | None
    """of the rare class, or of each class; None without a calibration"""
    label: NDArray[Any]
