"""Out-of-bag scores: what a bootstrap ensemble says of each row through the members that did not see it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils import check_array

from drr._native.draws import mark_draws
from drr.composition.base_score import fitted_copy, last_step
from drr.composition.table_forest import TableForest

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
    """Return a copy fitted on all rows, with what `out_of_bag_scores` needs of it."""
    copied = clone(estimator)
    ensemble = last_step(copied)
    if not (_draws_by_sampler(ensemble) or _is_plain_forest(copied) or ensemble.oob_score):
        ensemble.set_params(oob_score=True)
    with warnings.catch_warnings():  # rows that are in every bag are simply not held out
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        warnings.filterwarnings("ignore", message="invalid value encountered", category=RuntimeWarning)
        return fitted_copy(copied, X, y, fit_params)


def out_of_bag_scores(estimator: Any, X: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return one column of probabilities per label; not a number for rows that every member has seen."""
    ensemble = last_step(estimator)
    classes = estimator.classes_.tolist()
    columns = [classes.index(label) for label in labels.tolist()]
    if _draws_by_sampler(ensemble):
        # The out-of-bag scores that such a forest computes itself count a row as unseen if one of its copies is.
        if hasattr(estimator, "steps") and len(estimator.steps) > 1:
            X = estimator[:-1].transform(X)
        samples = (sampler.sample_indices_ for sampler in ensemble.samplers_)
        return _mean_of_unseen(ensemble, X, (_marked(rows, X.shape[0]) for rows in samples), columns)
    if hasattr(ensemble, "oob_decision_function_"):
        scores = np.array(ensemble.oob_decision_function_, dtype=np.float64)
        scores[~(scores.sum(axis=1) > 0)] = np.nan  # no member votes on a row that all have seen
        return np.asarray(scores[:, columns])
    if isinstance(ensemble, TableForest):
        X = ensemble.encoder_.transform(X)
    return _mean_of_unseen(ensemble, X, _bags(ensemble, X.shape[0]), columns)


def _mean_of_unseen(
    forest: Any, X: Any, bags: Iterable[NDArray[np.bool_]], columns: list[int]
) -> NDArray[np.float64]:
    """Return the mean probabilities of some classes over the trees whose bag lacks the row."""
    X = check_array(X, accept_sparse="csr", dtype=np.float32, order="C", ensure_all_finite=False)
    total = np.zeros((len(columns), X.shape[0]))
    n_votes = np.zeros(X.shape[0])
    for tree, bag in zip(forest.estimators_, bags, strict=True):
        unseen = np.flatnonzero(~bag)
        rows = X[unseen] if issparse(X) else X.take(unseen, axis=0)
        votes = tree.predict_proba(rows, check_input=False)
        for k, column in enumerate(columns):
            total[k, unseen] += votes[:, column]
        n_votes[unseen] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray((total / n_votes).T)


def _bags(forest: Any, n_rows: int) -> Iterator[NDArray[np.bool_]]:
    """Yield for each tree of a forest which rows it has drawn.

    The forest can name them, but drawing them again that way takes longer than all votes. They are drawn here as
    scikit-learn draws them, and where that is not what it says of the last tree, the forest names them all.
    """
    named = _named_by_forest(forest, forest.estimators_[-1])
    generator = np.random.MT19937(0)
    state = np.random.RandomState(generator)  # seeding it seeds the generator

    def draw(tree: Any) -> NDArray[np.bool_]:
        state.seed(tree.random_state)
        drawn = np.zeros(1 << (n_rows - 1).bit_length(), dtype=np.uint8)
        mark_draws(generator, len(named), n_rows, drawn)
        return drawn[:n_rows].view(np.bool_)

    is_same = np.array_equal(draw(forest.estimators_[-1]), _marked(named, n_rows))
    for tree in forest.estimators_:
        yield draw(tree) if is_same else _marked(_named_by_forest(forest, tree), n_rows)


def _named_by_forest(forest: Any, tree: Any) -> NDArray[np.intp]:
    """Return the rows that a forest says one of its trees has drawn; asked for all, it holds those of all at once."""
    alone = copy(forest)
    alone.estimators_ = [tree]
    return np.asarray(alone.estimators_samples_[0])


def _marked(rows: NDArray[np.intp], n_rows: int) -> NDArray[np.bool_]:
    marked = np.zeros(n_rows, dtype=bool)
    marked[rows] = True
    return marked


def _is_plain_forest(estimator: Any) -> bool:
    """Return whether a forest keeps to scikit-learn's draws, and sees the rows of the table as they are."""
    return type(estimator) in (RandomForestClassifier, ExtraTreesClassifier, TableForest)


def _draws_by_sampler(ensemble: Any) -> bool:
    """Return whether a resampler draws the sample of each tree of a forest, as in imbalanced-learn."""
    return isinstance(ensemble, RandomForestClassifier) and hasattr(ensemble, "sampling_strategy")
