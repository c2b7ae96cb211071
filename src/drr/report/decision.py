"""The cut: its confusion table, and what other cuts would give."""

from __future__ import annotations

import warnings

import numpy as np

from drr.decision.rules import CutRule, PrecisionAtLeast, RecallAtLeast, Sweep, TopK
from drr.report._evaluation import Evaluation
from drr.report._html import Section, paragraph, percent, table

_PRECISIONS = (0.25, 0.5, 0.75, 0.9)
_RECALLS = (0.5, 0.75, 0.9, 0.95)
_SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)


def section(evaluation: Evaluation) -> Section:
    """Show the confusion table, recall at given precisions, and alerts at a budget."""
    flagged = evaluation.scores["fused"] > evaluation.rescoring.cut
    positive = evaluation.positive
    cells = {
        "hits": int((flagged & positive).sum()),
        "false alarms": int((flagged & ~positive).sum()),
        "misses": int((~flagged & positive).sum()),
        "correct rejections": int((~flagged & ~positive).sum()),
    }
    recall = cells["hits"] / evaluation.n_rare
    precision = cells["hits"] / max(1, int(flagged.sum()))
    body = paragraph(
        f"A row is flagged if its fused score exceeds {evaluation.rescoring.cut:.4g}. That flags "
        f"{percent(float(flagged.mean()), 2)} of the rows and finds {percent(recall)} of the rare class; "
        f"{percent(precision)} of the flagged rows are of it."
    )
    body += table(
        ["", "flagged", "not flagged", "all"],
        [
            [
                f"class {evaluation.rare_label}",
                f"{cells['hits']:,}",
                f"{cells['misses']:,}",
                f"{evaluation.n_rare:,}",
            ],
            [
                "others",
                f"{cells['false alarms']:,}",
                f"{cells['correct rejections']:,}",
                f"{evaluation.n_rows - evaluation.n_rare:,}",
            ],
        ],
        caption="Confusion table at the cut of the model",
    )
    body += table(
        ["precision to keep", "recall, base", "recall, fused", "alerts, base", "alerts, fused"],
        [_alternative(f"{level:.0%}", PrecisionAtLeast(level), evaluation) for level in _PRECISIONS],
        caption="The largest recall at a given precision (–: no cut has this precision)",
    )
    body += table(
        ["recall to keep", "precision, base", "precision, fused", "alerts, base", "alerts, fused"],
        [
            _alternative(f"{level:.0%}", RecallAtLeast(level), evaluation, by_recall=True)
            for level in _RECALLS
        ],
        caption="What a given recall costs",
    )
    body += _budget(evaluation)
    return Section("decision", "The cut and its alternatives", body)


def _budget(evaluation: Evaluation) -> str:
    per_day = evaluation.details.get("rows_per_day")
    shares = [share for share in _SHARES if share * evaluation.n_rows >= 1]
    if not shares:
        return ""
    header = ["alerts per 1,000 rows", *(["alerts per day"] if per_day else [])]
    rows = []
    for share in shares:
        row = [f"{1000 * share:g}", *([f"{share * per_day:,.0f}"] if per_day else [])]
        for name in ("base", "fused"):
            sweep = evaluation.sweeps[name]
            k = _choose(TopK(share), sweep)
            row += [percent(float(sweep.recall[k])), percent(float(np.nan_to_num(sweep.precision[k])))]
        rows.append(row)
    header += ["recall, base", "precision, base", "recall, fused", "precision, fused"]
    caption = "What a budget of alerts finds"
    if per_day:
        caption += f", at {per_day:,.0f} rows per day"
    return table(header, rows, caption=caption)


def _alternative(label: str, rule: CutRule, evaluation: Evaluation, *, by_recall: bool = False) -> list[str]:
    values, alerts = [], []
    for name in ("base", "fused"):
        sweep = evaluation.sweeps[name]
        k = _choose(rule, sweep)
        reached = by_recall or (k > 0 and sweep.precision[k] >= rule.precision - 1e-12)  # type: ignore[attr-defined]
        values.append(percent(float((sweep.precision if by_recall else sweep.recall)[k])) if reached else "–")
        alerts.append(f"{sweep.true_positives[k] + sweep.false_positives[k]:,.0f}" if reached else "–")
    return [label, *values, *alerts]


def _choose(rule: CutRule, sweep: Sweep) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a rule that cannot be met shows in the table
        return rule.choose(sweep)
