"""The paired gain in average precision, with its interval."""

from __future__ import annotations

from drr.report._evaluation import Evaluation
from drr.report._html import Section, figure, paragraph, signed
from drr.report._svg import Plot, symmetric_axis


def section(evaluation: Evaluation) -> Section:
    """Show one interval, and how to read it."""
    gain = evaluation.gain
    sentence = (
        f"Fused minus base: {signed(gain.gain)}, from {gain.base_average_precision:.3f} to "
        f"{gain.fused_average_precision:.3f}; {gain.level:.0%} interval {signed(gain.low)} to {signed(gain.high)}."
    )
    plot = Plot(
        symmetric_axis([gain.low, gain.high, gain.gain], "gain in average precision"),
        symmetric_axis([1.0], ""),
        title="Paired gain in average precision",
        description=sentence,
        row_labels=["fused − base"],
        height=92,
    )
    plot.rule("guide", x=0.0)
    plot.spans([0], [gain.low], [gain.high], "fused")
    plot.points([gain.gain], [0], "fused", [sentence], radius=6)
    body = paragraph(
        f"Both scores rank the same rows, resampled {gain.n_resamples:,} times within each class. What the two "
        "scores have in common cancels: the interval of the difference is narrower than those of the two curves "
        "suggest."
    )
    return Section("gain", "Gain", body + figure(plot, "plot-gain", sentence))
