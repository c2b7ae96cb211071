"""Fit the parts of a rescored classifier: models, scores of rows they did not see, and what is learned from these."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from drr._checks.rows import reads_in_passes
from drr._native.tasks import task
from drr.composition.base_score import is_fitted
from drr.composition.holdout import Holdout
from drr.composition.models import Models, Recipe, fit_and_score, fit_models, fit_shared_duals
from drr.composition.out_of_bag import fit_out_of_bag, has_out_of_bag, out_of_bag_scores
from drr.composition.rescoring import HeldOutScores, Rescoring, fit_rescoring
from drr.fusion.bootstrap import MIN_RARE

Parts = list[list[HeldOutScores]]
"""the scores of each rare class, part by part"""


@dataclass(frozen=True, eq=False)
class Composition:
    """The fitted models, and for each rare class everything after their scores."""

    models: Models
    rescorings: list[Rescoring]


def can_score_out_of_bag(recipe: Recipe) -> bool:
    """Return whether the base is still to be fitted, and can score the rows that its members did not see.

    Weights rule that out as they do within the ensemble: scikit-learn 1.9 draws the bags by them.
    """
    if recipe.base is None or is_fitted(recipe.base) or "sample_weight" in recipe.base_params:
        return False
    return has_out_of_bag(recipe.base)


def fit_composition(
    recipe: Recipe,
    plan: Holdout,
    *,
    fusion_weight: float | str,
    calibration: str | None,
    rules: Sequence[Any],
    n_jobs: int | None,
) -> Composition:
    """Fit, score what was held out, and learn from the scores."""
    if reads_in_passes(recipe.X):  # blocks come in the order of the rows
        plan = replace(plan, splits=[(np.sort(a), np.sort(b)) for a, b in plan.splits])
    fit = _fit_out_of_bag if plan.is_out_of_bag else _fit_splits
    models, parts = fit(recipe, plan, n_jobs)
    if recipe.base is not None and is_fitted(recipe.base):
        _warn_of_known_rows(parts, recipe)
    shares = np.bincount(recipe.labels.codes) / len(recipe.labels.codes)
    one_base = plan.is_out_of_bag or recipe.base is None or is_fitted(recipe.base)
    rescorings = [
        fit_rescoring(
            parts[k],
            fusion_weight=fusion_weight,
            calibration=calibration,
            threshold=rules[k],
            rare_share=float(shares[index]),
            one_base=one_base,
        )
        for k, index in enumerate(recipe.rare)
    ]
    return Composition(models, rescorings)


def _warn_of_known_rows(parts: Parts, recipe: Recipe) -> None:
    """Warn if a base that was fitted before separates the held-out rows perfectly, as rows of its own fit."""
    for label, columns in zip(recipe.rare_labels.tolist(), parts, strict=True):
        base = np.concatenate([part.base for part in columns])
        positive = np.concatenate([part.positive for part in columns])
        if positive.sum() < MIN_RARE or base[positive].min() <= base[~positive].max():
            continue
        warnings.warn(
            f"The fitted base ranks every held-out row of class {label!r} above all others, as a model does with rows "
            "that it was fitted on. If it has seen these rows, weight, calibration, cut and gain_ are worthless: fit "
            "on rows that it has not seen, or pass the base unfitted.",
            UserWarning,
            stacklevel=5,
        )


def _fit_splits(recipe: Recipe, plan: Holdout, n_jobs: int | None) -> tuple[Models, Parts]:
    """Fit base and duals on one part of each split, and score the other.

    A cross-fit ends in models of all rows. The map of their duals serves the folds too: it is learned without labels,
    so no label of a held-out row reaches its score.
    """
    shared = None
    if plan.is_cross_fitted:
        with task("duals of all rows"):
            shared = fit_shared_duals(recipe, len(plan.splits))
    fits: Iterator[tuple[Models, list[HeldOutScores]]]
    if effective_n_jobs(n_jobs) == 1:  # starting a pool of one takes as long as a fold of a small table
        fits = (fit_and_score(recipe, fit, held_out, shared) for fit, held_out in plan.splits)
    else:
        fits = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(fit_and_score)(recipe, fit, held_out, shared) for fit, held_out in plan.splits
        )
    results = []
    for number in range(1, len(plan.splits) + 1):
        with task(f"fold {number} of {len(plan.splits)}"):
            results.append(next(fits))
    models: Models = results[0][0]
    if plan.is_cross_fitted:
        with task("all rows"):
            models = fit_models(recipe, shared=shared)
    return models, [[columns[k] for _, columns in results] for k in range(len(recipe.rare))]


def _fit_out_of_bag(recipe: Recipe, plan: Holdout, n_jobs: int | None) -> tuple[Models, Parts]:
    """Fit one base on all rows, which scores them out of the bag, and duals by the splits."""
    labels = recipe.labels
    with task("base"):
        base = fit_out_of_bag(recipe.base, recipe.X, labels.classes[labels.codes], recipe.base_params)
    scores = out_of_bag_scores(base, recipe.X, recipe.rare_labels)
    known = np.asarray(np.isfinite(scores).all(axis=1))
    with_scores = replace(recipe, base=None, base_params={}, given_scores=scores)
    splits = [(fit, held_out[known[held_out]]) for fit, held_out in plan.splits]
    models, parts = _fit_splits(with_scores, replace(plan, splits=splits), n_jobs)
    return replace(models, base=base), parts
