"""Probabilities for other shares of the classes than those of the rows they were learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.scores import check_between


def check_prior(prior: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return shares of all classes that sum to one; of two classes a number is the share of the second."""
    if np.ndim(prior) == 0:
        if n_classes > 2:
            raise ValueError(f"target_prior={prior!r} is for two classes; pass the shares of all {n_classes}")
        share = check_between(prior, 0.0, 1.0, "target_prior")
        return np.array([1 - share, share])
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != (n_classes,) or not (shares > 0).all() or not np.isfinite(shares).all():
        raise ValueError(
            f"target_prior must be one share above 0 per class, {n_classes} in all, got {prior!r}"
        )
    return np.asarray(shares / shares.sum())


def shift_prior(
    probabilities: NDArray[np.float64], shares: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weigh each class by how much more frequent it becomes, and normalise: Bayes' rule for another prior."""
    weighed = probabilities * (target / shares)
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))
