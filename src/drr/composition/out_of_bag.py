"""Out-of-bag scores: what a bootstrap ensemble says of each row through the members that did not see it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils import check_array

from drr.composition.base_score import fitted_copy, last_step

# A row is out of the bag of about 37 % of the members. Fewer members than this leave too few votes per row to stand for
# the whole ensemble, and folds of so small an ensemble are cheap.
MIN_MEMBERS = 50


def has_out_of_bag(estimator: Any) -> bool:
    """Return whether an unfitted classifier, also at the end of a pipeline, can score rows out of the bag."""
    if any(hasattr(step, "fit_resample") for _, step in getattr(estimator, "steps", [])):
        return False  # the rows that reach the ensemble are not the rows of the table
    ensemble = last_step(estimator)
    if not isinstance(ensemble, RandomForestClassifier | ExtraTreesClassifier | BaggingClassifier):
        return False
    if getattr(ensemble, "class_weight", None) is not None:
        return False  # scikit-learn 1.9 draws the bags by the weights: heavy rows are in nearly all of them
    members = getattr(ensemble, "n_estimators", 0)
    return bool(members >= MIN_MEMBERS and (ensemble.bootstrap or _draws_by_sampler(ensemble)))


def fit_out_of_bag(estimator: Any, X: Any, y: NDArray[Any], fit_params: Mapping[str, Any]) -> Any:
    """Return a copy fitted on all rows that keeps its out-of-bag scores."""
    copy = clone(estimator)
    ensemble = last_step(copy)
    if not _draws_by_sampler(ensemble) and not ensemble.oob_score:
        ensemble.set_params(oob_score=True)
    with warnings.catch_warnings():  # rows that are in every bag are simply not held out
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        warnings.filterwarnings("ignore", message="invalid value encountered", category=RuntimeWarning)
        return fitted_copy(copy, X, y, fit_params)


def out_of_bag_scores(estimator: Any, X: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return one column of probabilities per label; not a number for rows that every member has seen."""
    ensemble = last_step(estimator)
    if _draws_by_sampler(ensemble):
        if hasattr(estimator, "steps") and len(estimator.steps) > 1:
            X = estimator[:-1].transform(X)
        scores = _unseen_by_sampler(ensemble, X)
    else:
        scores = np.array(ensemble.oob_decision_function_, dtype=np.float64)
        scores[~(scores.sum(axis=1) > 0)] = np.nan  # no member votes on a row that all have seen
    classes = estimator.classes_.tolist()
    return np.asarray(scores[:, [classes.index(label) for label in labels.tolist()]])


def _unseen_by_sampler(forest: Any, X: Any) -> NDArray[np.float64]:
    """Return the mean over the trees whose sample lacks the row.

    The out-of-bag scores that such a forest computes itself count a row as unseen if one of its copies is.
    """
    X = check_array(X, accept_sparse="csr", dtype=np.float32, ensure_all_finite=False)
    total = np.zeros((X.shape[0], len(forest.classes_)))
    n_votes = np.zeros(X.shape[0])
    for sampler, tree in zip(forest.samplers_, forest.estimators_, strict=True):
        unseen = np.ones(X.shape[0], dtype=bool)
        unseen[sampler.sample_indices_] = False
        total[unseen] += tree.predict_proba(X[unseen])
        n_votes[unseen] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray(total / n_votes[:, None])


def _draws_by_sampler(ensemble: Any) -> bool:
    """Return whether a resampler draws the sample of each tree of a forest, as in imbalanced-learn."""
    return isinstance(ensemble, RandomForestClassifier) and hasattr(ensemble, "sampling_strategy")
