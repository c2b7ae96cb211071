"""The weight of the dual: what two moments predict, and what the ranking shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from drr import theory
from drr.fusion.separation import Interval, Separation
from drr.fusion.weight import WEIGHT_GRID
from drr.plotting.fusion_curve import fusion_curve
from drr.report._evaluation import LEVEL, Evaluation
from drr.report._html import Section, figure, figures, paragraph, table
from drr.report._svg import Axis, Plot

_N_RESAMPLES = 199


def section(evaluation: Evaluation) -> Section:
    """Return the curves d′(w) and AP(w), with the deployed and the best weight."""
    moments = evaluation.separation
    weight = evaluation.rescoring.fusion_weight
    reach = max(2.0, 1.25 * weight, 1.25 * moments.closed_form_weight)
    legend = [("fused", "base + w · dual"), ("base", "base alone")]
    body = paragraph(
        "The fused score is the standardised base score plus w times the standardised dual score. A deflection is "
        "the distance of the class means in within-class standard deviations; a larger one does not always mean a "
        "larger average precision, which the second figure shows as measured."
    )
    body += figures(
        figure(
            _deflection_plot(moments, weight, reach, evaluation.share),
            "plot-deflection",
            "Predicted from two moments. Full dot: in use; hollow: best.",
            legend,
        ),
        figure(
            _precision_plot(evaluation, weight, reach),
            "plot-weight",
            f"Measured, with the {LEVEL:.0%} interval of the gain over the base.",
            legend,
        ),
    )
    return Section("fusion", "Is the dual worth adding?", body + _table_of_moments(moments, weight))


def _deflection_plot(moments: Separation, weight: float, reach: float, share: float) -> Plot:
    """Plot the deflection that the two moments predict at every weight."""
    best = moments.closed_form_weight
    grid = np.linspace(0.0, reach, 101)
    effective = theory.effective_weight(grid, moments.d1, moments.d2, share)
    deflection = theory.fusion_deflection(moments.d1, moments.d2, moments.rho, effective)

    def at(w: float) -> float:
        return float(np.interp(w, grid, deflection))

    plot = Plot(
        Axis(0, reach, "weight w of the dual"),
        _around(deflection, "deflection d′(w)"),
        title="Deflection of the fused score by weight",
        description=f"Base alone {moments.d1:.2f}, in use {at(weight):.2f} at {weight:.2f}, best {at(best):.2f} at "
        f"{best:.2f}.",
    )
    plot.rule("base thin", y=moments.d1)
    plot.line(grid, deflection, "fused")
    plot.points([best], [at(best)], "hollow", [f"best: w = {best:.2f}"], radius=6)
    plot.points([weight], [at(weight)], "fused", [f"in use: w = {weight:.2f}"], radius=5)
    return plot


def _precision_plot(evaluation: Evaluation, weight: float, reach: float) -> Plot:
    """Plot the average precision that was measured at every weight."""
    weights, gains = fusion_curve(
        evaluation.scores["base"],
        evaluation.scores["dual"],
        evaluation.positive,
        [w for w in WEIGHT_GRID if w <= reach],
        weight,
        n_resamples=_N_RESAMPLES,
        level=LEVEL,
        random_state=0,
    )
    base = gains[0].base_average_precision
    measured = np.array([gain.fused_average_precision for gain in gains])
    low, high = (np.array([base + getattr(gain, end) for gain in gains]) for end in ("low", "high"))
    in_use = float(np.interp(weight, weights, measured))
    plot = Plot(
        Axis(0, reach, "weight w of the dual"),
        _around(np.concatenate([low, high, measured, [base]]), "average precision"),
        title="Average precision of the fused score by weight",
        description=f"Base alone {base:.3f}; in use {in_use:.3f}; largest {measured.max():.3f} at "
        f"{weights[np.argmax(measured)]:.2f}.",
    )
    if gains[0].has_interval:
        plot.band(weights, low, high, "fused")
    plot.rule("base thin", y=base)
    plot.line(weights, measured, "fused")
    plot.points([weight], [in_use], "fused", [f"in use: w = {weight:.2f}"], radius=5)
    return plot


def _table_of_moments(moments: Separation, weight: float) -> str:
    in_use = ("w_eff, the weight in use within the classes", moments.effective_weight)
    rows: list[tuple[str, float, Interval]] = [
        ("d₁, deflection of the base", moments.d1, moments.d1_interval),
        ("d₂, deflection of the dual", moments.d2, moments.d2_interval),
        ("ρ, their correlation within the classes", moments.rho, moments.rho_interval),
        (*in_use, moments.effective_weight_interval),
        ("change of the deflection at the weight in use", moments.change, moments.change_interval),
        (
            "best weight by the two moments",
            moments.closed_form_weight,
            moments.closed_form_weight_interval,
        ),
    ]
    return table(
        ["", "estimate", f"{LEVEL:.0%} interval"],
        [[name, f"{value:.3f}", _ends(ends)] for name, value, ends in rows],
        caption=f"The two moments; the weight in use is {weight:.3g}",
    )


def _ends(interval: Interval) -> str:
    return "too few rare rows" if np.isnan(interval.low) else f"{interval.low:.3f} to {interval.high:.3f}"


def _around(values: NDArray[np.float64], label: str) -> Axis:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.08 * (high - low) or 0.05
    return Axis(low - margin, high + margin, label)
