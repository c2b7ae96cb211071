"""Several duals at once, each of one class against the rest: they share the map, the embedded rows and their span."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from drr._checks.arrays import check_features
from drr._checks.labels import read_labels
from drr._checks.tables import check_table
from drr._native.threads import resolve_n_threads
from drr.raking.estimator import RakingDual
from drr.raking.fitting import conclude, fit_map, rake_dual, split_classes
from drr.raking.problem import ArrayProblem, RakingProblem, mean_of_rows
from drr.raking.results import Raking
from drr.raking.span import RowSpan, SpanProblem, is_worthwhile

Vector = NDArray[np.float64]


def fit_one_versus_rest(
    dual: RakingDual, X: Any, y: ArrayLike, pos_labels: Iterable[Any], sample_weight: ArrayLike | None = None
) -> list[RakingDual]:
    """Fit a copy of `dual` for each of those classes against all others, on rows in memory.

    The feature map is fitted and the rows are embedded once. All rows take part in every problem, those of the class
    itself with base weight zero, so no class has a copy of the others' features. With more features than rows, one Gram
    matrix of all rows serves every class: it costs as much as about three duals, and each dual then a fifth.
    """
    duals = [clone(dual).set_params(pos_label=label) for label in pos_labels]
    labels = read_labels(X, y, type(dual).__name__)
    rows: _SharedRows | None = None
    for each in duals:
        table = check_table(each, X, reset=True)
        positive, row_weights = split_classes(each, labels, sample_weight)
        majority = np.flatnonzero(~positive)
        if rows is None:
            each.feature_map_ = fit_map(each, table, y, len(majority))
            features = check_features(each.embed(table), "the transformed rows")
            rows = _SharedRows(features, len(duals), each.n_threads)
            shared = FrozenEstimator(each.feature_map_)
        else:
            each.feature_map = each.feature_map_ = shared
        problem, base_weights = rows.problem(positive, row_weights)
        raking, each.eta_ = rake_dual(each, problem, base_weights)
        each.raking_ = _of_majority(raking, majority)
        conclude(each, problem.target)
    return duals


class _SharedRows:
    """Embedded rows of all classes."""

    def __init__(self, features: Any, n_problems: int, n_threads: int | None) -> None:
        self._features, self._n_threads = features, resolve_n_threads(n_threads)
        self._span = RowSpan(features, self._n_threads) if is_worthwhile(features, n_problems) else None

    def problem(
        self, positive: NDArray[np.bool_], row_weights: Vector | None
    ) -> tuple[RakingProblem, Vector]:
        """Return the problem of one class, and its base weights."""
        ones = np.ones(len(positive)) if row_weights is None else row_weights
        base_weights = np.where(positive, 0.0, ones)
        base_weights /= base_weights.sum()
        target_weights = np.where(positive, ones, 0.0)
        target_weights /= target_weights.sum()
        if self._span is not None:
            return SpanProblem(self._span, target_weights, base_weights), base_weights
        target = mean_of_rows(self._features, target_weights, self._n_threads)
        return ArrayProblem(self._features, target, base_weights, self._n_threads), base_weights


def _of_majority(raking: Raking, majority: NDArray[np.intp]) -> Raking:
    """Return the raking with the rows counted among the majority, as if there were no others."""
    floor = replace(
        raking.floor,
        support=np.searchsorted(majority, raking.floor.support).astype(np.int64),
        n_rows=len(majority),
    )
    assert raking.dual.weights is not None
    return replace(raking, floor=floor, dual=replace(raking.dual, weights=raking.dual.weights[majority]))
