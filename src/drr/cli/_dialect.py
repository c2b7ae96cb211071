"""How a CSV file separates its columns and writes its decimals, from its first lines."""

from __future__ import annotations

import csv
import io
import re

_SEPARATORS = (",", ";", "\t", "|")
_POINT = re.compile(r"[+-]?\d+\.\d+", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)


def find_separator(head: str) -> str:
    """Return what divides the first lines into most columns, as many in each; a comma if nothing does."""
    widths = {separator: _width(head, separator) for separator in _SEPARATORS}
    return max(_SEPARATORS, key=lambda separator: widths[separator])


def find_decimal(head: str, separator: str) -> str:
    """Return a comma if some cells are numbers with a decimal comma and none has a point."""
    if separator == ",":
        return "."
    cells = [cell.strip() for row in _rows(head, separator)[1:] for cell in row]
    has_comma = any(_COMMA.fullmatch(cell) for cell in cells)
    return "," if has_comma and not any(_POINT.fullmatch(cell) for cell in cells) else "."


def _width(head: str, separator: str) -> int:
    """Return the number of columns, or 1 if the lines differ in it."""
    widths = {len(row) for row in _rows(head, separator)}
    return widths.pop() if len(widths) == 1 else 1


def _rows(head: str, separator: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(io.StringIO(head, newline=""), delimiter=separator) if row]
    except csv.Error:
        return []
