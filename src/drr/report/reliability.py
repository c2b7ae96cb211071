"""Do the probabilities hold? Predicted against observed shares."""

from __future__ import annotations

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from drr.report._evaluation import Evaluation
from drr.report._html import Section, figure, figures, paragraph, percent, table
from drr.report._svg import Axis, Plot

_N_BINS = 10


def section(evaluation: Evaluation) -> Section:
    """Return a reliability diagram with equal expected numbers of rare rows in its bins."""
    calibration = evaluation.rescoring.calibration
    if calibration is None:
        return Section(
            "reliability", "Probabilities", paragraph("The model was fitted without a calibration.")
        )
    probability = calibration.predict(evaluation.scores["fused"])
    bins = reliability_bins(probability, evaluation.positive)
    predicted = np.array([probability[rows].mean() for rows in bins])
    counts = np.array([len(rows) for rows in bins])
    found = np.array([evaluation.positive[rows].sum() for rows in bins])
    intervals = [
        scipy.stats.binomtest(k, n).proportion_ci(0.95, "wilson") for k, n in zip(found, counts, strict=True)
    ]
    low, high = np.array(intervals).T
    reach = min(1.0, 1.08 * max(predicted.max(), high.max()))
    brier = float(np.mean((probability - evaluation.positive) ** 2))
    constant = evaluation.share * (1 - evaluation.share)
    plot = Plot(
        Axis(0, reach, "predicted probability"),
        Axis(0, reach, "observed share"),
        title="Reliability of the probabilities",
        description="Predicted against observed: "
        + "; ".join(f"{p:.3f} against {k / n:.3f}" for p, k, n in zip(predicted, found, counts, strict=True)),
    )
    plot.line([0, reach], [0, reach], "guide")
    plot.segments(predicted, low, high, "fused thin")
    tips = [f"predicted {p:.3f}: {k} of {n} rows" for p, k, n in zip(predicted, found, counts, strict=True)]
    plot.points(predicted, found / counts, "fused", tips)
    rows = [
        [f"{p:.4f}", f"{k / n:.4f}", f"{a:.4f} to {b:.4f}", f"{n:,}", f"{k:,}"]
        for p, k, n, a, b in zip(predicted, found, counts, low, high, strict=True)
    ]
    body = paragraph(
        f"The rows are sorted by probability and cut into bins that each should hold the same number of rare rows. "
        f"The mean probability is {percent(float(probability.mean()), 2)}, the share of the rare class "
        f"{percent(evaluation.share, 2)}. Brier score {brier:.4f}, against {constant:.4f} for that share alone."
    )
    body += figures(
        figure(
            plot,
            "plot-reliability",
            "Calibrated points are on the dashed line. Strokes: 95% intervals of the shares.",
        ),
        table(
            ["predicted", "observed", "95% interval", "rows", "rare"],
            rows,
            caption="The bins",
            text_columns=0,
        ),
    )
    return Section("reliability", "Probabilities", body)


def reliability_bins(probability: NDArray[np.float64], positive: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return bins of rows of neighbouring probability, with about the same sum of probabilities in each bin."""
    order = np.argsort(probability, kind="stable")
    mass = np.cumsum(probability[order])
    n_bins = int(min(_N_BINS, max(1, positive.sum())))
    ends = np.searchsorted(mass, mass[-1] * np.arange(1, n_bins) / n_bins, side="left") + 1
    return [rows for rows in np.split(order, ends) if len(rows)]
