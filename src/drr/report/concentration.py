"""Weight concentration: how few majority rows the raking depends on."""

from __future__ import annotations

from typing import Any

import numpy as np

from drr.plotting.weight_concentration import WeightConcentrationDisplay
from drr.report._evaluation import Evaluation
from drr.report._html import Section, figure, figures, paragraph, percent, table
from drr.report._svg import Axis, Plot

_N_DONORS = 10


def section(evaluation: Evaluation) -> Section:
    """Return the share of the weight on the heaviest rows, and which rows these are."""
    dual = evaluation.dual
    weights: Any = dual.weights_
    if weights is None:
        body = paragraph(
            f"The weighted majority is worth {dual.ess_:,.1f} rows of equal weight, "
            f"{percent(dual.diagnostics_.ess_share, 2)} of the majority rows (effective sample size). The rows were "
            "read in passes and the weight of each was not kept, so the heaviest are not shown; a dual fitted on rows "
            "in memory shows them."
        )
        return Section("concentration", "Weight concentration", body)
    weights = np.sort(weights)[::-1]
    concentration = WeightConcentrationDisplay(weights)
    n_rows, cumulative = len(weights), np.cumsum(weights)
    places = np.unique(np.geomspace(1, n_rows, 200).round().astype(int))
    plot = Plot(
        Axis(1, max(n_rows, 2), "heaviest majority rows", is_logarithmic=True, format=lambda v: f"{v:,.0f}"),
        Axis(0, 1, "share of the weight", format="{:.1f}".format),
        title="Concentration of the raked weights",
        description=f"{concentration.ess:.0f} effective rows of {n_rows}; half of the weight is on "
        f"{concentration.rows_holding(0.5)} rows.",
    )
    plot.line(places, places / n_rows, "base")
    plot.line(places, cumulative[places - 1], "fused")
    plot.rule("guide", x=min(max(concentration.ess, 1.0), n_rows))
    rows = [
        [f"{k:,}", percent(float(cumulative[k - 1]))]
        for k in (1, 10, 100, 1000, 10_000, 100_000)
        if k <= n_rows
    ]
    holding = [[percent(share, 0), f"{concentration.rows_holding(share):,}"] for share in (0.5, 0.9, 0.99)]
    body = paragraph(
        f"The weighted majority is worth {concentration.ess:,.1f} rows of equal weight, "
        f"{percent(concentration.ess / n_rows, 2)} of the {n_rows:,} majority rows (effective sample size). Few "
        "effective rows make the dual depend on them: raise η for more, at the cost of a larger distance."
    )
    body += figures(
        figure(
            plot,
            "plot-concentration",
            "Vertical dashed line: the effective number of rows.",
            [("fused", "raked weights"), ("base", "equal weights")],
        ),
        "<div>"
        + table(["heaviest rows", "their weight"], rows, caption="What the heaviest rows hold")
        + table(["share of the weight", "rows"], holding, caption="How many rows hold a share")
        + "</div>",
    )
    return Section("concentration", "Weight concentration", body + _donors(evaluation, n_rows))


def _donors(evaluation: Evaluation, n_rows: int) -> str:
    donors = evaluation.details.get("donors", [])[:_N_DONORS]
    if not donors:
        return ""
    rows = [[f"{row:,}", percent(weight, 2), f"{weight * n_rows:,.1f} ×"] for row, weight in donors]
    return table(
        ["row of the training table", "weight", "times its base weight"],
        rows,
        caption="The heaviest rows: the majority rows most like the rare class",
    )
