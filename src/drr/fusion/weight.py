"""The weight of the dual in the fused score, chosen on held-out scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold

from drr._checks.scores import (
    check_labels,
    check_not_negative,
    check_sample_weight,
    check_score,
    is_number,
)
from drr._native.ranking import Ranking
from drr.fusion.bootstrap import merge_rows, resample_totals
from drr.fusion.separation import separation
from drr.fusion.standardisation import fuse

# Weights tried for the largest average precision: even on a logarithmic scale, and no dual at all.
WEIGHT_GRID = (0.0, 0.1, 0.18, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)

# Resamples on which weights are compared. Their seed is fixed: the same scores always have the same weight.
N_RESAMPLES = 100
_SEED = 0

# Folds in which a weight is judged by rows that did not choose it.
_N_FOLDS = 5

# Average precisions are sums of as many fractions as there are rare rows; nearer than this they are the same.
_TIE = 1e-12

Scores = NDArray[np.float64]

METHODS = ("auto", "closed_form", "average_precision")


def choose_fusion_weight(
    base: ArrayLike,
    dual: ArrayLike,
    y: ArrayLike,
    method: float | str = "auto",
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: object = None,
) -> float:
    """Choose the weight w of s = base + w·dual from standardised held-out scores.

    Parameters
    ----------
    base, dual : array of shape (n_rows,)
        Standardised scores of rows that fitted neither model.
    y : array of shape (n_rows,)
    method : float, "auto", "closed_form" or "average_precision", default="auto"
        A number is the weight itself. "closed_form" has the largest deflection d′(w), from the two deflections and the
        within-class correlation of the scores, corrected for their marginal standardisation and at most 4.
        "average_precision" is the best weight of a grid from 0 to 8. "auto" resamples the rows 100 times and goes
        halfway, as angles arctan w, between the mean of the best weights and the smallest weight whose average
        precision is within one standard error of the best: few rare rows leave many weights about as good as the best
        one, and of these a smaller one does less harm. Of equally good weights the smallest counts, so that a base
        which ranks the rows perfectly gets a weight of zero.
    sample_weight : array of shape (n_rows,), optional
    pos_label : label, optional
        The rare class.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from drr import choose_fusion_weight
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) < 100
    >>> base, dual = rng.normal(size=(2, 2000)) + np.outer([1.0, 3.0], y)
    >>> choose_fusion_weight(base, dual, y) > 1.0
    True
    """
    check_weight_method(method)
    if is_number(method):
        return float(method)
    base = check_score(base, "base")
    dual = check_score(dual, "dual", len(base))
    positive = check_labels(y, len(base), pos_label)
    weights = check_sample_weight(sample_weight, positive)
    if method == "closed_form":
        return _closed_form(base, dual, positive, weights)
    if weights is not None:
        present = weights > 0
        base, dual, positive, weights = base[present], dual[present], positive[present], weights[present]
    choose = _best_weight if method == "average_precision" else _cautious_weight
    return choose(base, dual, positive, weights)


def fuse_crosswise(
    base: Scores, dual: Scores, positive: NDArray[np.bool_], method: str, weights: Scores | None = None
) -> Scores:
    """Fuse every row by a weight that was chosen on other rows, in five folds.

    A gain measured on the rows that chose the weight is too large. Folds of different weights share one scale: that
    of cos α·base + sin α·dual with tan α = w.
    """
    n_folds = min(_N_FOLDS, int(positive.sum()), int((~positive).sum()))
    if n_folds < 2:
        return fuse(base, dual, choose_fusion_weight(base, dual, positive, method, weights))
    fused = np.empty(len(base))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=_SEED)
    for others, rows in splitter.split(base, positive):
        part = None if weights is None else weights[others]
        weight = choose_fusion_weight(base[others], dual[others], positive[others], method, part)
        fused[rows] = fuse(base[rows], dual[rows], weight) / np.sqrt(1 + weight**2)
    return fused


def check_weight_method(method: object) -> None:
    """Check that `method` is a weight or a way to choose one."""
    if is_number(method):
        check_not_negative(method, "fusion_weight")
    elif method not in METHODS:
        named = ", ".join(repr(name) for name in METHODS)
        raise ValueError(f"fusion_weight must be a number of at least 0 or one of {named}, got {method!r}")


def _closed_form(base: Scores, dual: Scores, positive: NDArray[np.bool_], weights: Scores | None) -> float:
    return separation(base, dual, positive, sample_weight=weights, n_resamples=0).closed_form_weight


def _best_weight(base: Scores, dual: Scores, positive: NDArray[np.bool_], weights: Scores | None) -> float:
    row_weights = np.ones((1, len(base))) if weights is None else weights[None, :]
    precisions = [
        float(Ranking(fuse(base, dual, weight), positive).average_precision(row_weights)[0])
        for weight in WEIGHT_GRID
    ]
    return WEIGHT_GRID[int(np.argmax(precisions))]


def _cautious_weight(
    base: Scores, dual: Scores, positive: NDArray[np.bool_], weights: Scores | None
) -> float:
    """Return the weight halfway, as angles arctan w, between the best and the smallest that is hardly worse."""
    precisions = _resampled_precisions(base, dual, positive, weights)
    angles = np.arctan(WEIGHT_GRID)

    # 1. The mean of the best angles of the resamples; of equally good weights the smallest.
    is_best = precisions >= precisions.max(axis=0) - _TIE
    best_angle = float(angles[np.argmax(is_best, axis=0)].mean())

    # 2. The smallest angle whose average precision is within one standard error of the largest.
    shortfall = precisions[np.argmax(precisions.mean(axis=1))] - precisions
    is_close = shortfall.mean(axis=1) <= shortfall.std(axis=1) + _TIE
    cautious_angle = float(angles[np.argmax(is_close)])

    return float(np.tan((best_angle + cautious_angle) / 2))


def _resampled_precisions(
    base: Scores, dual: Scores, positive: NDArray[np.bool_], weights: Scores | None
) -> Scores:
    """Return the average precision at every weight of the grid (rows) in every resample (columns)."""
    cells = [merge_rows(fuse(base, dual, weight), positive) for weight in WEIGHT_GRID]
    rankings = [Ranking(each.score, each.positive) for each in cells]
    batches = resample_totals(
        [each.cell_of_row for each in cells],
        positive,
        N_RESAMPLES,
        np.random.default_rng(_SEED),
        row_weight=weights,
    )
    precisions = [
        np.stack([ranking.average_precision(each) for ranking, each in zip(rankings, totals, strict=True)])
        for totals in batches
    ]
    return np.concatenate(precisions, axis=1)
