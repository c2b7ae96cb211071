"""FW-SMOTE: SMOTE with neighbours at a distance that weights features by Fisher score (Maldonado et al., 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.study.encoding import Matrix
from benchmarks.study.methods import register
from benchmarks.study.methods.resampling import Resampling, n_neighbours

QUANTIFIER_EXPONENT = 0.4
N_SELECTED = 3


def fisher_scores(X: Matrix, y: NDArray[np.int64]) -> Matrix:
    """|difference of the class means| over the sum of the class variances; zero for a constant coordinate."""
    rare, rest = X[y == 1], X[y == 0]
    distance = np.abs(rare.mean(axis=0) - rest.mean(axis=0))
    spread = rare.var(axis=0, ddof=1) + rest.var(axis=0, ddof=1)
    # A coordinate constant within both classes but not across them separates perfectly.
    perfect = np.where(distance > 0, np.inf, 0.0)
    return np.where(spread > 0, distance / np.where(spread > 0, spread, 1.0), perfect)


def quantifier_weights(scores: Matrix) -> Matrix:
    """Q(j/d) − Q((j−1)/d) with Q(t) = t^0.4 for the coordinate of rank j; equal scores keep their order."""
    d = len(scores)
    order = np.argsort(-scores, kind="stable")
    weights = np.empty(d)
    weights[order] = np.diff((np.arange(d + 1) / d) ** QUANTIFIER_EXPONENT)
    return weights


@register
class FWSmote(Resampling):
    """Up to three synthetic rows per rare row, between it and three of its five nearest; the prior is not balanced."""

    name = "FW-SMOTE"
    rank_in_panel = 18
    settings = {"Q": "t**0.4", "selected": N_SELECTED, "neighbours": 5}  # noqa: RUF012

    def resample(self, X: Matrix, y: NDArray[np.int64], seed: int) -> tuple[Matrix, NDArray[Any]]:
        rare = X[y == 1]
        if len(rare) < 2:
            raise ValueError("FW-SMOTE needs two rare rows")
        random = np.random.default_rng(seed)
        k = n_neighbours(y)
        n_selected = min(N_SELECTED, k)
        scaled = rare * np.sqrt(quantifier_weights(fisher_scores(X, y)))
        distances = ((scaled[:, None, :] - scaled[None, :, :]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
        chosen = np.stack([random.choice(row, n_selected, replace=False) for row in nearest])
        anchors = np.repeat(np.arange(len(rare)), n_selected)
        steps = random.random((len(anchors), 1))
        synthetic = rare[anchors] + steps * (rare[chosen.ravel()] - rare[anchors])
        return np.vstack([X, synthetic]), np.concatenate([y, np.ones(len(synthetic), dtype=y.dtype)])
