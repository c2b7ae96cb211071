"""Moment balance: how near raking brought the majority to the rare class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from drr.report._evaluation import Evaluation
from drr.report._html import Section, figure, figures, paragraph, table
from drr.report._svg import Axis, Plot, symmetric_axis

_N_SHOWN = 18


def section(evaluation: Evaluation) -> Section:
    """Return a love plot of the named moments, and a table of the worst."""
    dual = evaluation.dual
    moments, diagnostics = dual.moments_, dual.diagnostics_
    before, after = moments.base - moments.target, moments.raked - moments.target
    named = np.ones(len(before), dtype=bool)
    fourier = getattr(dual.feature_map_, "blocks_", {}).get("fourier", slice(0))
    named[fourier] = False
    shown = np.flatnonzero(named)[np.argsort(-np.abs(before[named]), kind="stable")[:_N_SHOWN]]
    body = paragraph(
        f"The distance between the mean of the majority and that of the rare class was "
        f"{diagnostics.base_discrepancy:.4g} before raking and is {diagnostics.discrepancy:.4g} after; no reweighting "
        f"of these rows comes nearer than {diagnostics.floor_lower_bound:.4g}."
    )
    if diagnostics.absent_levels:
        body += paragraph(
            f"No majority row has these levels, so raking cannot reach them: {', '.join(diagnostics.absent_levels)}."
        )
    parts = []
    if len(shown):
        caption = "Hollow: before raking; full: after. In the units of the feature map."
        if len(before) > len(shown):
            caption += f" {len(before) - len(shown)} more moments are not shown."
        labels = [str(name) for name in moments.names[shown]]
        parts.append(figure(_love_plot(labels, before[shown], after[shown]), "plot-moments", caption))
    blocks = getattr(dual.feature_map_, "blocks_", {"all": slice(None)})
    names = {"linear": "numbers (linear)", "one_hot": "levels", "fourier": "random features"}
    rows_of_blocks = [
        [
            names.get(name, name),
            len(before[block]),
            f"{np.linalg.norm(before[block]):.4g}",
            f"{np.linalg.norm(after[block]):.4g}",
        ]
        for name, block in blocks.items()
        if len(before[block])
    ]
    worst = [[gap.name, f"{gap.before:+.4g}", f"{gap.after:+.4g}"] for gap in moments.worst(8)]
    parts.append(
        "<div>"
        + table(
            ["block", "moments", "before", "after"], rows_of_blocks, caption="Distance of the means by block"
        )
        + table(["moment", "gap before", "gap after"], worst, caption="The moments farthest off after raking")
        + "</div>"
    )
    return Section("moments", "Moment balance", body + figures(*parts))


def _love_plot(labels: list[str], before: NDArray[np.float64], after: NDArray[np.float64]) -> Plot:
    """Plot how far each moment is from the rare class before and after raking."""
    described = (f"{label} {a:+.3g} to {b:+.3g}" for label, a, b in zip(labels, before, after, strict=True))
    plot = Plot(
        symmetric_axis(np.concatenate([before, after]), "majority mean − rare mean"),
        Axis(0, 1, ""),
        title="Moments before and after raking",
        description="; ".join(described),
        row_labels=labels,
    )
    rows = np.arange(len(labels))
    plot.rule("guide", x=0.0)
    plot.spans(rows, before, after, "thin")
    plot.points(before, rows, "hollow")
    plot.points(after, rows, "fused")
    return plot
