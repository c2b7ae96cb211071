"""AveragedDual: any estimators in the place of the dual, alone or averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from drr._checks.labels import read_labels
from drr._checks.seeds import seed_nested
from drr.composition.base_score import is_fitted
from drr.fusion.standardisation import Standardisation, standardise
from drr.raking.estimator import RakingDual


class AveragedDual(BaseEstimator):  # type: ignore[misc]
    """Score rows by the mean of several second scores, each standardised on the rows it was fitted on.

    A list in `DRRClassifier(dual=...)` is this; the mean of duals with different random features varies less than any
    of them. One estimator that is no `RakingDual` goes through it as well.

    Parameters
    ----------
    estimators : list of estimators
        Each with ``fit(X, y)`` and ``log_density_ratio(X)`` or ``decision_function(X)``, where higher means more like
        the rare class. `RakingDual` knows the labels; others are fitted on 1 for the rare class and 0 for the rest.
        Fitted ones are used as they are.
    pos_label : label, default=None
        The rare class; None is the rarer of two.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted ones.
    pos_label_ : label
    classes_ : array

    Examples
    --------
    >>> import numpy as np
    >>> from drr import AveragedDual, RakingDual
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) < 20
    >>> X = rng.normal(size=(400, 3)) + y[:, None]
    >>> dual = AveragedDual([RakingDual(random_state=seed) for seed in range(3)]).fit(X, y)
    >>> score = dual.log_density_ratio(X)
    >>> bool(score[y].mean() > score[~y].mean()), len(dual.estimators_)
    (True, 3)
    """

    def __init__(self, estimators: Sequence[Any], *, pos_label: Any = None) -> None:
        self.estimators = estimators
        self.pos_label = pos_label

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> AveragedDual:
        """Fit every estimator that is not fitted yet.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            For the estimators that take it.

        Returns
        -------
        AveragedDual
            The estimator itself.
        """
        for estimator in self.estimators:
            check_second_score(estimator)
        if not self.estimators:
            raise ValueError("estimators is empty; name at least one estimator")
        labels = read_labels(X, y, type(self).__name__)
        rare = labels.rare_index(self.pos_label)
        self.classes_, self.pos_label_ = labels.classes, labels.classes[rare]
        is_rare = (labels.codes == rare).astype(int)
        self.estimators_ = [self._fitted(each, X, y, is_rare, sample_weight) for each in self.estimators]
        scores = [self._score(each, X) for each in self.estimators_]
        identity = Standardisation(0.0, 1.0)
        self._scales = [identity] if len(scores) == 1 else [standardise(each) for each in scores]
        return self

    def _fitted(
        self, estimator: Any, X: Any, y: ArrayLike, is_rare: NDArray[Any], sample_weight: ArrayLike | None
    ) -> Any:
        if is_fitted(estimator):
            return estimator
        copy = clone(estimator)
        takes_weights = sample_weight is not None and has_fit_parameter(copy, "sample_weight")
        weights = {"sample_weight": sample_weight} if takes_weights else {}
        if isinstance(copy, RakingDual):
            return copy.set_params(pos_label=self.pos_label_).fit(X, y, **weights)
        return copy.fit(X, is_rare, **weights)

    def log_density_ratio(self, X: Any) -> NDArray[np.float64]:
        """Return the mean of the standardised scores, or of one estimator its score.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows,)
        """
        check_is_fitted(self)
        columns = [
            scale.transform(self._score(each, X))
            for scale, each in zip(self._scales, self.estimators_, strict=True)
        ]
        return np.asarray(np.mean(columns, axis=0))

    def _score(self, estimator: Any, X: Any) -> NDArray[np.float64]:
        if hasattr(estimator, "log_density_ratio"):
            score = np.asarray(estimator.log_density_ratio(X), dtype=np.float64)
        else:
            score = np.asarray(estimator.decision_function(X), dtype=np.float64)
            if any(estimator is each for each in self.estimators):  # fitted before, on the user's labels
                score = score if estimator.classes_[-1] == self.pos_label_ else -score
        if score.shape != (X.shape[0],):
            raise ValueError(
                f"{type(estimator).__name__} scores {X.shape[0]} rows by an array of shape {score.shape}; one score "
                "per row is needed"
            )
        return score

    def __sklearn_is_fitted__(self) -> bool:
        return "_scales" in self.__dict__  # the last of a fit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        inputs = [get_tags(each).input_tags for each in self.estimators]
        for name in ("sparse", "allow_nan", "categorical", "string"):
            setattr(tags.input_tags, name, all(getattr(each, name) for each in inputs))
        return tags


def check_second_score(estimator: Any) -> None:
    """Raise if an estimator can give no second score."""
    scores = hasattr(estimator, "log_density_ratio") or hasattr(estimator, "decision_function")
    if not (hasattr(estimator, "fit") and scores):
        raise TypeError(
            f"dual must be a RakingDual, an estimator with fit and log_density_ratio or decision_function, a list of "
            f"such estimators, or None, got {estimator!r}"
        )


def prepare_dual(dual: Any, seed: int) -> Any:
    """Return the `dual` parameter of a classifier as an estimator that has its seed.

    The members of a list have consecutive seeds, so that duals that are alike draw different random features.
    """
    if isinstance(dual, list | tuple):
        return AveragedDual([_prepare_member(each, seed + k) for k, each in enumerate(dual)])
    check_second_score(dual)
    if is_fitted(dual) and hasattr(dual, "pos_label_") and hasattr(dual, "log_density_ratio"):
        return dual
    if isinstance(dual, RakingDual | AveragedDual):
        return seed_nested(dual, seed)
    return AveragedDual([_prepare_member(dual, seed)])


def _prepare_member(estimator: Any, seed: int) -> Any:
    """Return a member with its seed, or a fitted one so that it stays fitted when it is cloned."""
    check_second_score(estimator)
    if not is_fitted(estimator):
        return seed_nested(estimator, seed)
    return estimator if isinstance(estimator, FrozenEstimator) else FrozenEstimator(estimator)
