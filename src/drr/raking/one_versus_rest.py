"""Several duals of one table: of each class against the rest, on all rows and on folds of them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from drr._checks.labels import read_labels
from drr._checks.tables import check_table
from drr._native.tasks import task
from drr.raking.diagnostics import direction_of
from drr.raking.estimator import RakingDual
from drr.raking.fitting import conclude, fit_map, rake_dual, split_classes, warn_of_zero_dual
from drr.raking.results import Status
from drr.raking.shared_rows import SharedRows, share_rows

Vector = NDArray[np.float64]
Rows = NDArray[np.intp]


def fit_one_versus_rest(
    dual: RakingDual, X: Any, y: ArrayLike, pos_labels: Iterable[Any], sample_weight: ArrayLike | None = None
) -> list[RakingDual]:
    """Fit a copy of `dual` for each of those classes against all others, on rows in memory.

    The feature map is fitted and the rows are embedded once. All rows take part in every problem, those of the class
    itself with base weight zero, so no class has a copy of the others' features. With more features than rows, one Gram
    matrix of all rows serves every class: it costs as much as about three duals, and each dual then a fifth.
    """
    return OneVersusRest(dual, X, y, pos_labels, sample_weight).duals


class OneVersusRest:
    """Duals fitted on all rows of a table, whose map and embedded rows serve folds of the rows as well."""

    def __init__(
        self,
        dual: RakingDual,
        X: Any,
        y: ArrayLike,
        pos_labels: Iterable[Any],
        sample_weight: ArrayLike | None = None,
        *,
        n_folds: int = 0,
    ) -> None:
        self.duals = [clone(dual).set_params(pos_label=label) for label in pos_labels]
        labels = read_labels(X, y, type(dual).__name__)
        self._rows: SharedRows | None = None
        self._solved = []
        shared: Any = None
        for each in self.duals:
            table = check_table(each, X, reset=True)
            positive, weights = split_classes(each, labels, sample_weight)
            majority = np.flatnonzero(~positive)
            if self._rows is None:
                each.feature_map_ = fit_map(each, table, y, len(majority))
                n_problems = len(self.duals) * (1 + n_folds)
                self._rows = share_rows(each, table, weights, n_problems)
                shared = FrozenEstimator(each.feature_map_)
            else:
                each.feature_map = each.feature_map_ = shared
            problem, base_weights = self._rows.problem(positive)
            with _task_of(each):
                raking, each.eta_ = rake_dual(each, problem, base_weights)
            self._solved.append((positive, problem, raking))
            each.raking_ = self._rows.of_majority(raking, majority)
            conclude(each, self._rows.centred(problem.target))
        if n_folds and len(self.duals) == 1 and dual.min_ess is None:  # an effective size counts all rows
            assert self._rows is not None
            self._rows = self._rows.thinned(positive, raking)

    def score_held_out(self, fit: Rows, held_out: Rows) -> Vector:
        """Return log density ratios of held-out rows by duals of the rows to fit on, a column per class.

        The search for each dual begins at the dual of all rows. That changes its path but not its end, because the
        problem is convex. Of a large majority some rows stand for the others, see `ThinnedRows`.
        """
        assert self._rows is not None
        part = self._rows.part(fit)
        directions, offsets = [], []
        for dual, (positive, whole, whole_raking) in zip(self.duals, self._solved, strict=True):
            problem, base_weights = part.problem(positive)
            with _task_of(dual):
                raking, eta = rake_dual(dual, problem, base_weights, part.start(whole, whole_raking))
            if whole_raking.dual.status is not Status.ZERO_DUAL:  # of which the fit of all rows has warned
                warn_of_zero_dual(dual, raking, eta)
            directions.append(direction_of(raking, problem.target, limit_direction=dual.limit_direction))
            offsets.append(raking.dual.log_partition)
        return np.asarray(part.scores(held_out, np.stack(directions)) - np.array(offsets))


def _task_of(dual: RakingDual) -> AbstractContextManager[None]:
    return task(f"{type(dual).__name__} of class {dual.pos_label_}")
