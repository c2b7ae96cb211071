"""A small writer of plots in SVG: axes, lines, bands, points and bars, coloured by the style sheet of the page.

Every shape carries classes instead of colours, which makes one drawing fit light screens, dark screens and paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

_MAX_POINTS = 400


@dataclass(frozen=True)
class Axis:
    """One direction of a plot."""

    low: float
    high: float
    label: str
    is_logarithmic: bool = False
    format: Callable[[float], str] = lambda value: f"{value:g}".replace("-", "−")

    def share(self, value: float) -> float:
        """Return the position of a value on the axis, from 0 to 1; values beyond an end are moved to it."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        clipped = min(max(value, self.low), self.high)
        return (self._scaled(clipped) - low) / (high - low)

    def ticks(self) -> list[float]:
        """Return round numbers along the axis."""
        if self.is_logarithmic:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0**power for power in range(first, last + 1)]
        step = _round_step((self.high - self.low) / 5)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.is_logarithmic else value


class Plot:
    """A drawing with two axes, as one SVG element with a title and a description for those who cannot see it."""

    def __init__(
        self,
        x: Axis,
        y: Axis,
        *,
        title: str,
        description: str,
        row_labels: Sequence[str] = (),
        height: float | None = None,
    ) -> None:
        self._x, self._y = x, y
        self._title, self._description = title, description
        self._row_labels = [_shortened(label) for label in row_labels]
        self._width = 420.0
        self._left = 12.0 + 6.6 * max(map(len, self._row_labels)) if row_labels else 50.0
        self._right, self._top, self._bottom = 14.0, 10.0, 44.0
        rows_height = self._top + self._bottom + 20.0 * len(self._row_labels)
        self._height = height or (rows_height if row_labels else 300.0)
        self._shapes: list[str] = []

    def line(self, x: ArrayLike, y: ArrayLike, classes: str) -> None:
        """Draw a line through points."""
        self._shapes.append(f'<path class="line {classes}" d="M{self._points(x, y)}"/>')

    def band(self, x: ArrayLike, low: ArrayLike, high: ArrayLike, classes: str) -> None:
        """Draw the area between two curves."""
        xs = np.asarray(x, dtype=float)
        there, back = self._points(xs, high), self._points(xs[::-1], np.asarray(low, dtype=float)[::-1])
        self._shapes.append(f'<path class="band {classes}" d="M{there} {back}Z"/>')

    def points(
        self, x: ArrayLike, y: ArrayLike, classes: str, tips: Iterable[str] = (), radius: float = 4
    ) -> None:
        """Draw dots; `tips` appear on hovering."""
        texts = list(tips)
        for k, (a, b) in enumerate(zip(np.atleast_1d(x), np.atleast_1d(y), strict=True)):
            tip = f"<title>{escape(texts[k])}</title>" if texts else ""
            self._shapes.append(
                f'<circle class="dot {classes}" cx="{self._px(a):.1f}" cy="{self._py(b):.1f}" r="{radius:g}">{tip}'
                "</circle>"
            )

    def segments(self, x: ArrayLike, low: ArrayLike, high: ArrayLike, classes: str) -> None:
        """Draw vertical strokes, such as intervals."""
        for a, b, c in zip(np.atleast_1d(x), np.atleast_1d(low), np.atleast_1d(high), strict=True):
            self._stroke(self._px(a), self._py(b), self._px(a), self._py(c), classes)

    def spans(self, y: ArrayLike, low: ArrayLike, high: ArrayLike, classes: str) -> None:
        """Draw horizontal strokes."""
        for a, b, c in zip(np.atleast_1d(y), np.atleast_1d(low), np.atleast_1d(high), strict=True):
            self._stroke(self._px(b), self._py(a), self._px(c), self._py(a), classes)

    def bars(self, values: ArrayLike, classes: str) -> None:
        """Draw horizontal bars from zero, one per row label."""
        for k, value in enumerate(np.asarray(values, dtype=float)):
            left, right = sorted((self._px(0.0), self._px(value)))
            middle = self._py(k)
            self._shapes.append(
                f'<rect class="bar {classes}" x="{left:.1f}" y="{middle - 6:.1f}" width="{right - left:.1f}" '
                'height="12"/>'
            )

    def rule(self, classes: str, *, x: float | None = None, y: float | None = None) -> None:
        """Draw a straight line across the plot."""
        if x is not None:
            self._stroke(self._px(x), self._top, self._px(x), self._height - self._bottom, classes)
        if y is not None:
            self._stroke(self._left, self._py(y), self._width - self._right, self._py(y), classes)

    def svg(self, identifier: str) -> str:
        """Return the whole element; the identifier must be unique on its page."""
        return (
            f'<svg viewBox="0 0 {self._width:g} {self._height:g}" role="img" '
            f'aria-labelledby="{identifier}-title {identifier}-text">'
            f'<title id="{identifier}-title">{escape(self._title)}</title>'
            f'<desc id="{identifier}-text">{escape(self._description)}</desc>'
            f"{''.join(self._axes())}{''.join(self._shapes)}</svg>"
        )

    def _axes(self) -> Iterable[str]:
        bottom, right = self._height - self._bottom, self._width - self._right
        for tick in self._x.ticks():
            at = self._px(tick)
            yield f'<path class="grid" d="M{at:.1f} {self._top:g}V{bottom:g}"/>'
            yield (
                f'<text class="tick" x="{at:.1f}" y="{bottom + 16:g}" text-anchor="middle">'
                f"{self._x.format(tick)}</text>"
            )
        if self._row_labels:
            for k, label in enumerate(self._row_labels):
                yield (
                    f'<text class="tick" x="{self._left - 8:.1f}" y="{self._py(k) + 4:.1f}" text-anchor="end">'
                    f"{escape(label)}</text>"
                )
        else:
            for tick in self._y.ticks():
                at = self._py(tick)
                yield f'<path class="grid" d="M{self._left:g} {at:.1f}H{right:g}"/>'
                yield (
                    f'<text class="tick" x="{self._left - 6:g}" y="{at + 4:.1f}" text-anchor="end">'
                    f"{self._y.format(tick)}</text>"
                )
            middle = (self._top + bottom) / 2
            yield (
                f'<text class="axis" transform="rotate(-90)" x="{-middle:g}" y="12" text-anchor="middle">'
                f"{escape(self._y.label)}</text>"
            )
        yield f'<path class="frame" d="M{self._left:g} {self._top:g}V{bottom:g}H{right:g}"/>'
        yield (
            f'<text class="axis" x="{(self._left + right) / 2:g}" y="{self._height - 8:g}" text-anchor="middle">'
            f"{escape(self._x.label)}</text>"
        )

    def _stroke(self, x1: float, y1: float, x2: float, y2: float, classes: str) -> None:
        self._shapes.append(f'<path class="line {classes}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')

    def _points(self, x: ArrayLike, y: ArrayLike) -> str:
        xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        if len(xs) > _MAX_POINTS:
            kept = np.unique(np.linspace(0, len(xs) - 1, _MAX_POINTS).round().astype(int))
            xs, ys = xs[kept], ys[kept]
        return " ".join(f"{self._px(a):.1f},{self._py(b):.1f}" for a, b in zip(xs, ys, strict=True))

    def _px(self, value: float) -> float:
        return self._left + self._x.share(float(value)) * (self._width - self._right - self._left)

    def _py(self, value: float) -> float:
        height = self._height - self._bottom - self._top
        if self._row_labels:  # the first row on top
            return self._top + (float(value) + 0.5) / len(self._row_labels) * height
        return self._top + (1.0 - self._y.share(float(value))) * height


def axis_from_zero(values: ArrayLike, label: str) -> Axis:
    """Return an axis for bars that start at zero."""
    array = np.asarray(values, dtype=float)
    low, high = min(0.0, float(array.min(initial=0.0))), max(0.0, float(array.max(initial=0.0)))
    margin = 0.08 * (high - low) or 1.0
    return Axis(low - margin if low < 0 else 0.0, high + margin, label)


def symmetric_axis(values: ArrayLike, label: str) -> Axis:
    """Return an axis around zero that holds all values."""
    reach = float(np.max(np.abs(np.asarray(values, dtype=float)), initial=0.0)) or 1.0
    return Axis(-1.08 * reach, 1.08 * reach, label)


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= step * (1 - 1e-9))


def _shortened(label: str, most: int = 22) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"
