"""Pieces of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from drr.report._svg import Plot


@dataclass(frozen=True)
class Section:
    """One chapter of the report."""

    anchor: str
    title: str
    body: str
    """as HTML"""

    def html(self) -> str:
        heading = f'<h2 id="{self.anchor}-heading">{escape(self.title)}</h2>'
        return f'<section id="{self.anchor}" aria-labelledby="{self.anchor}-heading">{heading}{self.body}</section>'


def paragraph(text: str) -> str:
    """Return plain text as a paragraph."""
    return f"<p>{escape(text)}</p>"


def table(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str, text_columns: int = 1
) -> str:
    """Return a table that scrolls sideways if it is too wide; only the first `text_columns` columns are text."""

    def cells(row: Sequence[object], tag: str) -> str:
        out = []
        for k, value in enumerate(row):
            kind = "" if k < text_columns else ' class="number"'
            scope = ' scope="col"' if tag == "th" else ""
            out.append(f"<{tag}{scope}{kind}>{escape(str(value))}</{tag}>")
        return f"<tr>{''.join(out)}</tr>"

    head = f"<thead>{cells(header, 'th')}</thead>" if any(header) else ""
    body = "".join(cells(row, "td") for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table></div>"
    )


def figure(plot: Plot, identifier: str, caption: str, legend: Sequence[tuple[str, str]] = ()) -> str:
    """Return a plot with its caption and legend; legend entries are (classes, text)."""
    keys = "".join(
        f'<li><svg class="key" viewBox="0 0 26 10" aria-hidden="true"><path class="line {classes}" d="M1 5H25"/></svg>'
        f"{escape(text)}</li>"
        for classes, text in legend
    )
    listed = f'<ul class="legend">{keys}</ul>' if keys else ""
    return f"<figure>{plot.svg(identifier)}{listed}<figcaption>{escape(caption)}</figcaption></figure>"


def figures(*parts: str) -> str:
    """Return figures side by side if there is room."""
    return f'<div class="figures">{"".join(parts)}</div>'


def percent(value: float, digits: int = 1) -> str:
    """Return a share in per cent."""
    return f"{100 * value:.{digits}f} %"


def signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign, a real minus."""
    return f"{value:+.{digits}f}".replace("-", "−")
