"""Scores on a common scale, and their weighted sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.scores import check_not_negative, check_score
from drr.theory import DEPLOYED_WEIGHT

# A scale up to this is a constant score: its divisor is one, and it adds nothing once centred.
CONSTANT_SCALE = 1e-12


@dataclass(frozen=True)
class Standardisation:
    """The map u ↦ (u − mean)/scale."""

    mean: float
    scale: float
    is_constant: bool = False
    """The scores it was fitted on do not vary; `scale` is one"""

    def transform(self, score: ArrayLike) -> NDArray[np.float64]:
        """Standardise scores with the mean and scale found earlier, on other rows."""
        return np.asarray((np.asarray(score, dtype=np.float64) - self.mean) / self.scale)


def standardise(score: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Standardisation:
    """Find the marginal mean and standard deviation (divisor n) of held-out scores.

    A standard deviation of at most 1e-12, or within the rounding of the scores, counts as constant: the
    divisor is then one.

    Examples
    --------
    >>> from drr.fusion import standardise
    >>> standardise([1.0, 3.0]).transform([1.0, 2.0, 5.0]).tolist()
    [-1.0, 0.0, 3.0]
    """
    score = check_score(score)
    weights = None
    if sample_weight is not None:
        weights = check_score(sample_weight, "sample_weight", len(score))
        if (weights < 0).any() or not weights.any():
            raise ValueError("sample_weight must not be negative, and at least one must be positive")
        score, weights = score[weights > 0], weights[weights > 0]
    lowest, highest = float(score.min()), float(score.max())
    if lowest == highest:  # the mean of equal numbers may differ from them in the last digit
        return Standardisation(lowest, 1.0, is_constant=True)
    mean = float(np.average(score, weights=weights))
    scale = float(np.sqrt(np.average((score - mean) ** 2, weights=weights)))
    rounding = 8 * np.finfo(np.float64).eps * max(abs(lowest), abs(highest))
    if scale <= max(CONSTANT_SCALE, rounding):
        return Standardisation(mean, 1.0, is_constant=True)
    return Standardisation(mean, scale)


def fuse(base: ArrayLike, dual: ArrayLike, weight: float = DEPLOYED_WEIGHT) -> NDArray[np.float64]:
    """Return the fused score s = base + weight·dual of two standardised scores.

    Examples
    --------
    >>> from drr.fusion import fuse
    >>> fuse([1.0, -1.0], [2.0, 0.0]).tolist()
    [2.0, -1.0]
    """
    weight = check_not_negative(weight, "weight")
    base = check_score(base, "base")
    return base + weight * check_score(dual, "dual", len(base))
