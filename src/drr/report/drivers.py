"""What drives the dual: the moments that separate the classes, and the columns its ranking depends on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._native.ranking import Ranking
from drr.report._evaluation import Evaluation
from drr.report._html import Section, figure, figures, paragraph
from drr.report._svg import Axis, Plot, axis_from_zero

_N_SHOWN = 15
_MAX_ROWS = 20_000


def section(evaluation: Evaluation) -> Section:
    """Show the contributions of the moments, exactly, and of the columns, by shuffling them."""
    names, contributions = moment_contributions(evaluation)
    order = np.argsort(-np.abs(contributions), kind="stable")[:_N_SHOWN]
    labels = [names[k] for k in order]
    plot = Plot(
        axis_from_zero(contributions[order], "θ times the gap of the means"),
        Axis(0, 1, ""),
        title="Contribution of the moments to the dual",
        description="; ".join(f"{names[k]} {contributions[k]:+.3g}" for k in order),
        row_labels=labels,
    )
    plot.rule("guide", x=0.0)
    plot.bars(contributions[order], "dual")
    parts = [
        figure(
            plot,
            "plot-moment-drivers",
            "The bars of all moments add up to the distance of the class means along the dual.",
        )
    ]
    columns, losses = column_losses(evaluation)
    if len(columns):
        order = np.argsort(-losses, kind="stable")[:_N_SHOWN]
        plot = Plot(
            axis_from_zero(losses[order], "loss of ROC AUC of the dual"),
            Axis(0, 1, ""),
            title="Columns that the dual depends on",
            description="; ".join(f"{columns[k]} {losses[k]:+.3f}" for k in order),
            row_labels=[columns[k] for k in order],
        )
        plot.rule("guide", x=0.0)
        plot.bars(losses[order], "dual")
        parts.append(
            figure(
                plot,
                "plot-column-drivers",
                "What the dual's own ranking loses when a column is shuffled among the rows, random features included.",
            )
        )
    body = paragraph(
        "The dual is a weighted sum of moments, so each moment's contribution to separating the classes can be "
        "read off. Random features mix all numeric columns: their part is shown as one bar, and shuffling shows "
        "which columns it depends on. Columns that carry the same information hide each other."
    )
    return Section("drivers", "What drives the dual", body + figures(*parts))


def moment_contributions(evaluation: Evaluation) -> tuple[list[str], NDArray[np.float64]]:
    """Return θⱼ(μ₁ⱼ − μ₀ⱼ) of each named moment, with one value for all random features.

    The values add up to θᵀ(μ₁ − μ₀).
    """
    dual = evaluation.dual
    moments = dual.moments_
    contributions = dual.direction_ * (moments.target - moments.base)
    fourier = getattr(dual.feature_map_, "blocks_", {}).get("fourier", slice(0))
    is_random = np.zeros(len(contributions), dtype=bool)
    is_random[fourier] = True
    names = [str(name) for name in moments.names[~is_random]]
    values = contributions[~is_random]
    if is_random.any():
        names.append(f"{int(is_random.sum())} random features")
        values = np.append(values, contributions[is_random].sum())
    return names, values


def column_losses(evaluation: Evaluation) -> tuple[list[str], NDArray[np.float64]]:
    """Return the ROC AUC that the dual loses when a column is shuffled; at most 20 000 rows are used."""
    names = [str(name) for name in getattr(evaluation.dual, "feature_names_in_", [])]
    if not names or not hasattr(evaluation.X, "iloc"):
        return [], np.zeros(0)
    random = np.random.default_rng(0)
    rare, others = np.flatnonzero(evaluation.labels), np.flatnonzero(~evaluation.labels)
    kept = [
        each if len(each) <= _MAX_ROWS // 2 else random.choice(each, _MAX_ROWS // 2, replace=False)
        for each in (rare, others)
    ]
    rows = np.sort(np.concatenate(kept))
    X, positive = evaluation.X.iloc[rows].reset_index(drop=True), evaluation.labels[rows]
    if not 0 < positive.sum() < len(positive):
        return [], np.zeros(0)
    whole = _area(evaluation, X, positive)
    losses = []
    for name in names:
        shuffled = X.copy(deep=False)
        shuffled[name] = X[name].to_numpy()[random.permutation(len(X))]
        losses.append(whole - _area(evaluation, shuffled, positive))
    return names, np.array(losses)


def _area(evaluation: Evaluation, X: Any, positive: NDArray[np.bool_]) -> float:
    score = evaluation.dual.score_samples(X)
    return float(Ranking(score, positive).roc_auc(np.ones((1, len(score))))[0])
