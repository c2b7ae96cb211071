"""Precision–recall and ROC curves of base, dual and fused score, with bootstrap bands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._native.ranking import Ranking
from drr.decision.rules import Sweep
from drr.report._evaluation import LEVEL, N_RESAMPLES, SCORES, Evaluation
from drr.report._html import Section, figure, figures, paragraph, table
from drr.report._svg import Axis, Plot

_RECALL = np.linspace(0.005, 1.0, 200)
_RATE = np.linspace(0.0, 1.0, 161) ** 2  # denser at few alerts
_TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
_LEGEND = [("base", "base"), ("dual", "dual"), ("fused", "fused")]


def section(evaluation: Evaluation) -> Section:
    """Show both kinds of curve and the areas under them."""
    curves = {name: np.concatenate(_both_curves(sweep)) for name, sweep in evaluation.sweeps.items()}
    resampled = evaluation.resample(_resampled_curves)
    bands = {name: np.quantile(each, _TAILS, axis=0) for name, each in resampled.items()}
    n = len(_RECALL)

    unit = "{:.1f}".format
    pr = Plot(
        Axis(0, 1, "recall", format=unit),
        Axis(0, 1, "precision", format=unit),
        title="Precision–recall curves",
        description=_described(evaluation, "average_precision", "average precision"),
    )
    pr.rule("guide", y=evaluation.share)
    roc = Plot(
        Axis(0, 1, "false-positive rate", format=unit),
        Axis(0, 1, "recall", format=unit),
        title="ROC curves",
        description=_described(evaluation, "roc_auc", "area under the ROC curve"),
    )
    roc.line([0, 1], [0, 1], "guide")
    for name in SCORES:
        pr.band(_RECALL, bands[name][0, :n], bands[name][1, :n], name)
        roc.band(_RATE, bands[name][0, n:], bands[name][1, n:], name)
    for name in SCORES:
        pr.line(_RECALL, curves[name][:n], name)
        roc.line(_RATE, curves[name][n:], name)
    body = paragraph(
        "How many of the rows flagged are of the rare class (precision), and how many of the rare class are flagged "
        "(recall), as the cut is lowered. With a rare class, look at the first figure: the second hardly shows the "
        "false alarms that matter."
    )
    body += figures(
        figure(
            pr, "plot-pr", f"Bands: {LEVEL:.0%} of {N_RESAMPLES} resamples. Dashed line: chance.", _LEGEND
        ),
        figure(roc, "plot-roc", "Dashed line: chance.", _LEGEND),
    )
    body += table(
        ["score", "average precision", "interval", "ROC AUC", "interval"],
        _areas(evaluation),
        caption=f"Areas under the curves, with {LEVEL:.0%} bootstrap intervals",
    )
    return Section("ranking", "Ranking", body)


def precision_at(sweep: Sweep, recall: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the precision at the highest cut that reaches each recall."""
    first = np.searchsorted(sweep.recall, recall - 1e-12)
    return sweep.precision[np.minimum(first, len(sweep.recall) - 1)]


def recall_at(sweep: Sweep, rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the recall at the lowest cut within each false-positive rate."""
    last = np.searchsorted(sweep.false_positive_rate, rate + 1e-12, side="right") - 1
    return sweep.recall[last]


def _both_curves(sweep: Sweep) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return precision_at(sweep, _RECALL), recall_at(sweep, _RATE)


def _resampled_curves(ranking: Ranking, counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.stack([np.concatenate(_both_curves(Sweep(*ranking.curve(row)))) for row in counts])


def _areas(evaluation: Evaluation) -> list[list[str]]:
    ones = np.ones((1, evaluation.n_rows))
    precisions = evaluation.resample(lambda ranking, counts: ranking.average_precision(counts))
    areas = evaluation.resample(lambda ranking, counts: ranking.roc_auc(counts))
    rows = []
    for name in SCORES:
        row = [name]
        for value, resampled in (
            (evaluation.rankings[name].average_precision(ones)[0], precisions[name]),
            (evaluation.rankings[name].roc_auc(ones)[0], areas[name]),
        ):
            low, high = np.quantile(resampled, _TAILS)
            row += [f"{value:.3f}", f"{low:.3f} to {high:.3f}"]
        rows.append(row)
    return rows


def _described(evaluation: Evaluation, method: str, name: str) -> str:
    ones = np.ones((1, evaluation.n_rows))
    values = ", ".join(
        f"{score} {getattr(evaluation.rankings[score], method)(ones)[0]:.3f}" for score in SCORES
    )
    return f"Curves of the base, the dual and the fused score; {name}: {values}."
