"""Tables as files hold them, read alike from every format: numbers as float64, categories as text.

What a reader makes of a file is not the file: pandas reads an empty cell of a text column as NaN, polars as null and
Arrow as None; codes are numbers to one and text to the other. A `TablePreparation` remembers what each column held at
fit, takes the frame of any of these readers, and returns the same columns for the same file.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from drr._checks.tables import frame_of_arrow

Kind = Literal["number", "category", "boolean", "date"]

# The level of categories that are missing, named as the feature map names it.
MISSING = "<missing>"

# Texts that pandas reads as missing; the other readers leave them as they are.
MISSING_TEXTS = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"}
    | {"NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
)

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_INFINITY = re.compile(r"\s*[+-]?inf(inity)?\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class TablePreparation:
    """What each column of a training table held.

    Examples
    --------
    >>> import pandas
    >>> from drr.features.preparation import TablePreparation
    >>> preparation = TablePreparation({"amount": "number", "country": "category"})
    >>> preparation.prepare(pandas.DataFrame({"country": ["x", None], "amount": ["1.5", 2]})).values.tolist()
    [[1.5, 'x'], [2.0, '<missing>']]
    """

    kinds: dict[str, Kind]
    """of the columns that describe a row, in order"""
    levels: dict[str, list[str]] = field(default_factory=dict)
    """the levels at fit of the categories that are all written as numbers"""
    missing_texts: dict[str, list[str]] = field(default_factory=dict)
    """what stood for a missing number, by column, beyond the usual ``NA``, ``NULL`` and so on"""

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold of it."""
        return asdict(self)

    def prepare(self, X: Any, first_row: int = 0) -> Any:
        """Return the columns of the fit, in their order, as a pandas frame of float64 and text.

        Parameters
        ----------
        X : pandas or polars frame, or pyarrow table
            With the columns of the fit, in any order; others are left out.
        first_row : int
            The number of the first row, for messages.
        """
        import pandas

        X = frame_of_arrow(X)
        if not hasattr(X, "columns"):
            raise TypeError(
                f"this model was fitted on a table with column names, but X is a {type(X).__name__}; pass a pandas or "
                "polars frame or a pyarrow table"
            )
        known = set(X.columns)
        missing = [name for name in self.kinds if name not in known]
        if missing:
            listed = ", ".join(map(repr, missing[:6])) + (" …" if len(missing) > 6 else "")
            raise ValueError(f"X has no column {listed}, which the model was fitted on")
        return pandas.DataFrame(
            {name: self._prepared(X[name], name, kind, first_row) for name, kind in self.kinds.items()}
        )

    def _prepared(self, column: Any, name: str, kind: Kind, first_row: int) -> NDArray[Any]:
        column = as_series(column, name)
        if kind == "number":
            return as_numbers(column, first_row, self.missing_texts.get(name, ()))
        if kind == "date":
            return as_days(column, first_row)
        return self._as_text(column, name, kind)

    def _as_text(self, column: Any, name: str, kind: Kind) -> NDArray[Any]:
        """Return the text of every cell; codes that were read as numbers are found again by their value."""
        by_value = {float(level): level for level in self.levels.get(name, ())}
        known = set(by_value.values())
        codes, values = column.factorize()
        texts = []
        for value in values.tolist():
            text = text_of(value)
            if kind == "boolean":
                text = text.lower()
            if known and text not in known and is_number_text(text):
                text = by_value.get(float(text), text)
            texts.append(MISSING if text in MISSING_TEXTS else text)
        # The code −1 of missing cells takes the last.
        return np.asarray(np.array([*texts, MISSING], dtype=object)[np.asarray(codes)])


def as_series(column: Any, name: str) -> Any:
    """Return a column of a pandas or polars frame as a pandas series."""
    import pandas

    if not hasattr(column, "cast"):
        return column
    if column.dtype.is_numeric():  # of polars
        return pandas.Series(column.cast(_polars_double()).to_numpy(), name=name)
    return pandas.Series(column.to_list(), name=name, dtype=object)


def as_numbers(column: Any, first_row: int = 0, missing_texts: Iterable[str] = ()) -> NDArray[np.float64]:
    """Return a pandas series as float64, with NaN for missing cells; raise by row at other text and at infinity."""
    if column.dtype.kind in "iufb" or str(column.dtype).startswith("decimal"):
        values = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    else:
        values = _numbers_of_objects(column, first_row, MISSING_TEXTS | frozenset(missing_texts))
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ValueError(
            f"column {column.name!r} is infinite in row {first_row + row + 1}; leave the cell empty or correct it"
        )
    return values


def as_days(column: Any, first_row: int = 0) -> NDArray[np.float64]:
    """Return a pandas series of dates, or of their ISO text, as days since 1970, with NaN for missing cells."""
    import pandas

    if column.dtype.kind != "M":
        blank = column.map(lambda cell: isinstance(cell, str) and cell.strip() in MISSING_TEXTS).to_numpy(
            bool
        )
        given = column.astype(object).where(~blank, None)
        read = pandas.to_datetime(given, format="ISO8601", utc=True, errors="coerce")
        bad = (read.isna() & given.notna()).to_numpy()
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"column {column.name!r} holds dates, but row {first_row + row + 1} holds {column.iloc[row]!r}; write "
                "dates as 2024-12-31 or 2024-12-31 23:59:59, or leave the cell empty"
            )
        column = read
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    days = column.to_numpy(dtype="datetime64[us]") - np.datetime64(0, "us")
    return np.where(np.isnat(days), np.nan, days / np.timedelta64(1, "D"))


def _numbers_of_objects(column: Any, first_row: int, missing: frozenset[str]) -> NDArray[np.float64]:
    codes, distinct = column.factorize()
    read = [_number_of(value, missing) for value in distinct.tolist()]
    if None in read:
        bad = [number is None for number in read]
        row = int(np.argmax(np.array([*bad, False])[codes]))
        raise ValueError(
            f"column {column.name!r} held numbers when the model was fitted, but row {first_row + row + 1} holds "
            f"{column.iloc[row]!r}; correct the value, or leave the cell empty"
        )
    return np.asarray(np.array([*read, np.nan], dtype=np.float64)[np.asarray(codes)])


def _number_of(value: Any, missing: frozenset[str]) -> float | None:
    """Return the number that a cell holds, NaN if it is missing, None for anything else."""
    if not isinstance(value, str):
        try:
            return float(value)
        except (TypeError, ValueError):
            return None
    if value.strip() in missing:
        return np.nan
    return float(value) if is_number_text(value) or _INFINITY.fullmatch(value) else None


def is_number_text(text: str) -> bool:
    """Return whether a text is a number as files write them: no blanks inside, no underscores, no words."""
    return _NUMBER.fullmatch(text) is not None


def is_plain_number(text: str) -> bool:
    """Return whether a text is a number without leading zeros, plus sign or exponent, thus not a code or name."""
    digits = text.removeprefix("-")
    return (
        is_number_text(text)
        and digits[:1].isdigit()
        and not re.match(r"0\d", digits)
        and not set("eE ") & set(text)
    )


def text_of(value: Any) -> str:
    """Return the text of a cell; a whole number has no decimals, however it was stored."""
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def _polars_double() -> Any:
    import polars

    return polars.Float64
