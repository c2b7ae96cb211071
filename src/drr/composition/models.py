"""The two kinds of models of a rescored classifier: one base for all classes, one dual per rare class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from drr._checks.labels import Labels
from drr._checks.rows import is_source
from drr._checks.tables import take_rows
from drr.composition.base_score import base_scores, fitted_copy, is_fitted, take_params
from drr.composition.rescoring import HeldOutScores
from drr.features import RakingFeatureMap
from drr.features.columns import read_columns
from drr.features.levels import find_categorical
from drr.raking.estimator import RakingDual
from drr.raking.one_versus_rest import OneVersusRest, fit_one_versus_rest

# Features embedded at a time when several duals are scored: 8 MB in double precision.
_BLOCK_SIZE = 2**20


@dataclass(frozen=True, eq=False)
class Recipe:
    """What to fit, and on what."""

    base: Any
    """a classifier, or None if base scores are given"""
    dual: Any
    X: Any
    labels: Labels
    rare: tuple[int, ...]
    """the positions of the classes to score: one of two classes, or all of more"""
    base_params: Mapping[str, Any]
    dual_params: Mapping[str, Any]
    given_scores: NDArray[np.float64] | None = None
    """one column of base scores per rare class, in place of a base"""

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weights of the rows in the dual and in everything after the scores."""
        weights = self.dual_params.get("sample_weight")
        return None if weights is None else np.asarray(weights, dtype=np.float64)

    @property
    def rare_labels(self) -> NDArray[Any]:
        return self.labels.classes[list(self.rare)]

    @property
    def is_checked(self) -> bool:
        """Whether `check_finite_rows` has looked at the numbers that the dual will read."""
        return isinstance(self.feature_map, RakingFeatureMap) and not is_source(self.X) and not self.is_fitted

    @property
    def feature_map(self) -> Any:
        return getattr(self.dual, "feature_map", None) or RakingFeatureMap()

    @property
    def knows_no_labels(self) -> bool:
        """Whether the feature map learns nothing from labels and can be fitted on held-out rows as well."""
        return type(self.feature_map) in (RakingFeatureMap, FrozenEstimator)

    @property
    def is_fitted(self) -> bool:
        """Nothing needs fitting: all rows may be held out."""
        return (self.base is None or is_fitted(self.base)) and is_fitted(self.dual)


@dataclass(frozen=True, eq=False)
class Models:
    """A fitted base and one fitted dual per rare class."""

    base: Any
    duals: list[Any]
    rare_labels: NDArray[Any]

    def base_scores(self, X: Any) -> NDArray[np.float64]:
        """Return one column per rare class."""
        return base_scores(self.base, X, self.rare_labels)

    def dual_scores(self, X: Any) -> NDArray[np.float64]:
        """Return one column per rare class."""
        if len(self.duals) == 1:
            return np.asarray(self.duals[0].log_density_ratio(X))[:, None]
        if not hasattr(self.duals[0], "feature_map_"):
            return np.stack([dual.log_density_ratio(X) for dual in self.duals], axis=1)
        return _log_density_ratios(self.duals, X)


def fit_shared_duals(recipe: Recipe, n_folds: int) -> OneVersusRest | None:
    """Fit the duals on all rows, with all that so many folds can share; None if folds need maps of their own."""
    if is_source(recipe.X) or not (_can_share_rows(recipe.dual) and recipe.knows_no_labels):
        return None
    y = recipe.labels.classes[recipe.labels.codes]
    with config_context(assume_finite=recipe.is_checked):
        return OneVersusRest(recipe.dual, recipe.X, y, recipe.rare_labels, recipe.weights, n_folds=n_folds)


def fit_models(
    recipe: Recipe, rows: NDArray[np.intp] | None = None, shared: OneVersusRest | None = None
) -> Models:
    """Fit base and duals on these rows, or on all without copying them; the duals only if none are shared."""
    X, y = recipe.X, recipe.labels.classes[recipe.labels.codes]
    base_params, dual_params = recipe.base_params, recipe.dual_params
    if rows is not None:
        X = None if shared is not None and recipe.base is None else take_rows(X, rows)
        base_params, dual_params = (take_params(each, rows, len(y)) for each in (base_params, dual_params))
        y = y[rows]
    base = None if recipe.base is None else fitted_copy(recipe.base, X, y, base_params)
    if shared is not None:
        return Models(base, shared.duals, recipe.rare_labels)
    with config_context(assume_finite=recipe.is_checked):
        duals = _fit_duals(recipe, X, y, dual_params)
    return Models(base, duals, recipe.rare_labels)


def fit_and_score(
    recipe: Recipe,
    fit: NDArray[np.intp],
    held_out: NDArray[np.intp],
    shared: OneVersusRest | None = None,
) -> tuple[Models, list[HeldOutScores]]:
    """Fit on some rows and score others; one pair of score columns per rare class."""
    models = fit_models(recipe, fit, shared)
    given = recipe.given_scores
    X = None if shared and given is not None else take_rows(recipe.X, held_out)
    base = models.base_scores(X) if given is None else given[held_out]
    with config_context(assume_finite=recipe.is_checked):
        dual = models.dual_scores(X) if shared is None else shared.score_held_out(fit, held_out)
    codes = recipe.labels.codes[held_out]
    weights = None if recipe.weights is None else recipe.weights[held_out]
    columns = [
        HeldOutScores(base[:, k], dual[:, k], codes == index, weights, held_out)
        for k, index in enumerate(recipe.rare)
    ]
    return models, columns


def _fit_duals(recipe: Recipe, X: Any, y: NDArray[Any], params: Mapping[str, Any]) -> list[Any]:
    """Fit a dual per rare class; several of them share one feature map."""
    if is_fitted(recipe.dual):
        return [recipe.dual]
    if _can_share_rows(recipe.dual) and len(recipe.rare) > 1 and not is_source(X):
        return fit_one_versus_rest(recipe.dual, X, y, recipe.rare_labels, **params)
    first = clone(recipe.dual).set_params(pos_label=recipe.rare_labels[0]).fit(X, y, **params)
    if not hasattr(first, "feature_map_"):
        return [
            first,
            *(clone(recipe.dual).set_params(pos_label=k).fit(X, y, **params) for k in recipe.rare_labels[1:]),
        ]
    shared = FrozenEstimator(first.feature_map_)
    others = [
        clone(recipe.dual).set_params(pos_label=label, feature_map=shared).fit(X, y, **params)
        for label in recipe.rare_labels[1:]
    ]
    return [first, *others]


def _can_share_rows(dual: Any) -> bool:
    """Return whether `OneVersusRest` can fit a dual: a RakingDual that is not fitted yet, by the certified method."""
    return type(dual) is RakingDual and dual.method == "auto" and not is_fitted(dual)


def check_same_class(recipe: Recipe) -> None:
    """Raise ValueError if the dual targets a different class than the one to score."""
    if is_fitted(recipe.dual):
        if len(recipe.rare) > 1:
            raise ValueError("a fitted dual serves two classes; with more, pass an unfitted one")
        label = recipe.dual.pos_label_
    else:
        label = getattr(recipe.dual, "pos_label", None)
    if label is not None and (len(recipe.rare) > 1 or label != recipe.rare_labels[0]):
        scored = ", ".join(repr(each) for each in recipe.rare_labels[:5].tolist())
        raise ValueError(
            f"the dual is for the class {label!r}, but the classifier scores {scored}; pass pos_label to the "
            "classifier and leave that of the dual unset"
        )


def check_finite_rows(recipe: Recipe) -> None:
    """Raise if a numeric column holds what the feature map cannot take, with the row's number in the whole table.

    Done once for all folds: the parts are then read without looking again. Passes over a source name its rows
    themselves, and maps of other packages check their own.
    """
    if not recipe.is_checked:
        return
    probe = clone(recipe.feature_map)
    rows = read_columns(probe, recipe.X, reset=True)
    names = list(getattr(probe, "feature_names_in_", []))
    numeric = np.flatnonzero(~find_categorical(rows, probe.categorical_features, names))
    for _ in rows.numeric_blocks(numeric.tolist(), allow_nan=probe.missing == "impute"):
        pass


def _log_density_ratios(duals: Sequence[Any], X: Any) -> NDArray[np.float64]:
    """Return the log density ratios of duals with one common map, a column each, embedding every row once."""
    if is_source(X):
        return np.asarray(X.map(partial(_log_density_ratios, duals)))
    thetas = np.stack([dual.direction_ for dual in duals], axis=1)
    offsets = np.array([dual.raking_.dual.log_partition for dual in duals])
    ratios = np.empty((X.shape[0], len(duals)))
    step = max(1, _BLOCK_SIZE // len(thetas))
    for begin in range(0, len(ratios), step):
        rows = np.arange(begin, min(begin + step, len(ratios)))
        ratios[rows] = duals[0].embed(take_rows(X, rows)) @ thetas - offsets
    return ratios
