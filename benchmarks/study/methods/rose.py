"""ROSE: rows drawn from a kernel density estimate around either class (Menardi and Torelli, 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.study.encoding import Matrix
from benchmarks.study.methods import register
from benchmarks.study.methods.resampling import Resampling


@register
class Rose(Resampling):
    """A new sample of the same size, half of it rare.

    Each new row is an old one of its class plus Gaussian noise of the standard deviation h·σ, where σ is the class's
    deviation in that coordinate and h = (4/((d + 2)·n))^(1/(d + 4)) the normal-reference bandwidth for its n rows in d
    coordinates. Indicators of levels are coordinates like others.
    """

    name = "ROSE"
    rank_in_panel = 17

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        random = np.random.default_rng(seed)
        labels = (random.random(len(y)) < 0.5).astype(np.int64)
        rows = np.empty_like(X)
        for label in (0, 1):
            members, wanted = X[y == label], labels == label
            if len(members) < 2:
                raise ValueError("ROSE needs two rows of each class to estimate a deviation")
            n, d = members.shape
            bandwidth = (4 / ((d + 2) * n)) ** (1 / (d + 4)) * members.std(axis=0, ddof=1)
            centres = members[random.integers(n, size=int(wanted.sum()))]
            rows[wanted] = centres + bandwidth * random.normal(size=centres.shape)
        return rows, labels
