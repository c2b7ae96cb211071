"""The first screen: what was measured, on what, and what came out."""

from __future__ import annotations

from html import escape

from drr.report._evaluation import Evaluation
from drr.report._html import percent, signed
from drr.report.gain import interval


def html(evaluation: Evaluation) -> str:
    """Return the verdict and the key numbers."""
    gain = evaluation.gain
    kind = "good" if gain.is_gain else "bad" if gain.is_loss else ""
    cards = [
        ("", f"{evaluation.n_rows:,}", "rows scored"),
        ("", f"{evaluation.n_rare:,}", f"of class {evaluation.rare_label} ({percent(evaluation.share, 2)})"),
        ("", f"{gain.base_average_precision:.3f}", "average precision of the base"),
        ("", f"{gain.fused_average_precision:.3f}", "with the dual added"),
        (
            kind,
            signed(gain.gain),
            f"gain, {interval(gain)}",
        ),
    ]
    items = "".join(
        f'<li class="{kind}"><b>{escape(value)}</b><span>{escape(text)}</span></li>'
        for kind, value, text in cards
    )
    return f'<p class="verdict">{escape(verdict(evaluation))}</p><ul class="cards">{items}</ul>{_source(evaluation)}'


def verdict(evaluation: Evaluation) -> str:
    """Return the result in a sentence."""
    gain = evaluation.gain
    diagnostics = evaluation.dual.diagnostics_
    if diagnostics.is_zero and not diagnostics.is_limit:
        return "The dual is zero: it adds nothing to any score, and the ranking is that of the base."
    if gain.is_gain:
        return "Adding the dual improves the ranking of the rare class on these rows, beyond chance."
    if gain.is_loss:
        return "Adding the dual worsens the ranking on these rows, beyond chance: lower its weight or leave it out."
    if not gain.has_interval:
        return (
            f"These rows hold {gain.n_positive} of the rare class: too few to say whether adding the dual helps. "
            "Ten are the minimum, and some dozens are better."
        )
    direction = "higher" if gain.gain > 0 else "lower"
    return (
        f"On these rows the average precision with the dual is {direction}, but the interval of the gain includes "
        "zero: no difference is shown."
    )


def _source(evaluation: Evaluation) -> str:
    if evaluation.held_out:
        text = (
            "These are the rows that were held out when the model was fitted: the table given is the one it was fitted "
            "on. Base and dual did not see them, but weight, calibration and cut were learned from them. Give "
            "other rows for an independent judgement."
        )
        return f'<p class="warning">{escape(text)}</p>'
    text = "All numbers are about the rows given. They are honest only if these rows took no part in the fit."
    return f"<p>{escape(text)}</p>"
