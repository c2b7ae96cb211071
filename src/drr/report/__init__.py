"""Report: everything about a fitted classifier and labelled rows on one page of HTML, without any network.

One module per section; `_evaluation` holds the scores from which all are computed.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from html import escape
from typing import Any

from numpy.typing import ArrayLike

from drr._files import written_whole
from drr._native import __version__
from drr.classifier import DRRClassifier
from drr.report import (
    certificate,
    concentration,
    data,
    decision,
    drivers,
    fusion,
    gain,
    moments,
    ranking,
    reliability,
    summary,
    versions,
)
from drr.report._evaluation import Evaluation, evaluate
from drr.report._style import STYLE

__all__ = ["render_report", "write_report"]

_SECTIONS = (
    ranking,
    gain,
    decision,
    reliability,
    fusion,
    drivers,
    moments,
    concentration,
    certificate,
    data,
    versions,
)

# The page may use its own style sheet and nothing else: no scripts, no images, no connections.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_report(
    classifier: DRRClassifier,
    X: Any,
    y: ArrayLike,
    *,
    base_score: ArrayLike | None = None,
    held_out: bool = False,
    title: str = "Density-ratio rescoring",
    details: Mapping[str, Any] | None = None,
) -> str:
    """Return the report as one page of HTML.

    Parameters
    ----------
    classifier : DRRClassifier
        Fitted, of two classes.
    X : table of shape (n_rows, n_columns)
        Labelled rows that took no part in the fit; columns of a pandas frame are described by name.
    y : array of shape (n_rows,)
    base_score : array of shape (n_rows,), optional
        The scores of the base for these rows; needed for a classifier fitted from scores.
    held_out : bool, default=False
        X and y are the rows of the fit: show the scores of those that were held out in it.
    title : str, default="Density-ratio rescoring"
    details : dict, optional
        ``subtitle`` (a line of text), ``rows_per_day`` (for the budget of alerts), ``donors`` (pairs of row number and
        weight) and ``versions`` (of the model file).

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from drr import DRRClassifier
    >>> from drr.report import render_report
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) < 60
    >>> X = rng.normal(size=(600, 3)) + y[:, None]
    >>> classifier = DRRClassifier(random_state=0).fit(X[::2], y[::2])
    >>> page = render_report(classifier, X[1::2], y[1::2])
    >>> page.startswith("<!DOCTYPE html>"), "Solver certificate" in page
    (True, True)
    """
    evaluation = evaluate(
        classifier, X, y, base_score=base_score, held_out=held_out, details=dict(details or {})
    )
    return _page(evaluation, title)


def write_report(
    path: str | os.PathLike[str], classifier: DRRClassifier, X: Any, y: ArrayLike, **options: Any
) -> None:
    """Write the report to a file, which appears once it is complete.

    Parameters
    ----------
    path : path
        Usually ends in ``.html``.
    classifier, X, y, **options
        As in `render_report`.
    """
    page = render_report(classifier, X, y, **options)
    with written_whole(path) as draft:
        draft.write_text(page, encoding="utf-8")


def _page(evaluation: Evaluation, title: str) -> str:
    sections = [module.section(evaluation) for module in _SECTIONS]
    links = "".join(f'<li><a href="#{each.anchor}">{escape(each.title)}</a></li>' for each in sections)
    made = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    subtitle = evaluation.details.get("subtitle", "")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p class="lead">{escape(subtitle)}</p>
{summary.html(evaluation)}
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
<main>
{"".join(each.html() for each in sections)}
</main>
<footer>Made by drr {__version__} on {made}. This page loads nothing from the network.</footer>
</body>
</html>
"""
