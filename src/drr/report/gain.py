"""The paired gain in average precision, with its interval."""

from __future__ import annotations

from drr.fusion.gain import GainInterval
from drr.report._evaluation import Evaluation
from drr.report._html import Section, figure, paragraph, signed
from drr.report._svg import Plot, symmetric_axis


def interval(gain: GainInterval) -> str:
    """Return the interval in words."""
    if not gain.has_interval:
        return gain.interval_text
    return f"{gain.level:.0%} interval {signed(gain.low)} to {signed(gain.high)}"


def section(evaluation: Evaluation) -> Section:
    """Show one interval, and how to read it."""
    gain = evaluation.gain
    ends = [gain.low, gain.high] if gain.has_interval else []
    sentence = (
        f"Fused minus base: {signed(gain.gain)}, from {gain.base_average_precision:.3f} to "
        f"{gain.fused_average_precision:.3f}; {interval(gain)}."
    )
    plot = Plot(
        symmetric_axis([*ends, gain.gain], "gain in average precision"),
        symmetric_axis([1.0], ""),
        title="Paired gain in average precision",
        description=sentence,
        row_labels=["fused − base"],
        height=92,
    )
    plot.rule("guide", x=0.0)
    if ends:
        plot.spans([0], ends[:1], ends[1:], "fused")
    plot.points([gain.gain], [0], "fused", [sentence], radius=6)
    body = paragraph(
        f"Both scores rank the same rows, resampled {gain.n_resamples:,} times within each class. What the two "
        "scores have in common cancels: the interval of the difference is narrower than those of the two curves "
        "suggest."
    )
    return Section("gain", "Gain", body + figure(plot, "plot-gain", sentence))
