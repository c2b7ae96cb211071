"""Which columns are categorical, their levels, and the one-hot column of each level."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from drr.features.columns import Columns

_ABSENT = -1
# Beyond as many levels, a column is doubtful if they are all numbers, or if most rows have one of their own.
_MAX_NUMBERS, _MAX_LEVELS = 50, 100


def find_categorical(rows: Columns, chosen: Any, names: list[str]) -> NDArray[np.bool_]:
    """Return the mask of the categorical columns: by dtype, or by names, positions or booleans in `chosen`."""
    mask = np.zeros(rows.n_columns, dtype=bool)
    if isinstance(chosen, str) and chosen == "from_dtype":
        mask[:] = [rows.is_categorical(j) for j in range(rows.n_columns)]
        return mask
    if chosen is not None and not np.iterable(chosen):
        raise ValueError(
            "categorical_features must be 'from_dtype', None, or a list of names, positions or booleans; "
            f"got {chosen!r}"
        )
    entries = [] if chosen is None else [chosen] if isinstance(chosen, str) else list(chosen)
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != rows.n_columns:
            raise ValueError(
                f"categorical_features is a mask of {len(entries)} booleans, but X has {rows.n_columns} columns"
            )
        mask[:] = entries
        return mask
    for entry in entries:
        mask[_position(entry, rows.n_columns, names)] = True
    return mask


def _position(entry: Any, n_columns: int, names: list[str]) -> int:
    if isinstance(entry, str):
        if entry in names:
            return names.index(entry)
        known = f"the columns are {', '.join(map(repr, names))}" if names else "X has no column names"
        raise ValueError(f"categorical_features names {entry!r}, which is not in X: {known}")
    if not isinstance(entry, bool) and isinstance(entry, numbers.Integral) and 0 <= int(entry) < n_columns:
        return int(entry)
    raise ValueError(
        f"categorical_features must hold names, positions from 0 to {n_columns - 1}, or one boolean per column; "
        f"got {entry!r}"
    )


@dataclass(frozen=True, eq=False)
class Levels:
    """What one categorical variable held at fit. Missing values are a level of their own if there were any."""

    values: NDArray[Any]
    """the levels other than missing, sorted"""
    columns: NDArray[np.int32]
    """the one-hot column of each of them; infrequent levels share the last"""
    missing_column: int
    """the one-hot column of missing values; −1 if there were none"""
    names: tuple[str, ...]
    """one per one-hot column"""

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def categories(self) -> NDArray[Any]:
        """All levels, with None last if values were missing."""
        return self.values if self.missing_column == _ABSENT else np.append(self.values, [None])

    def encode(self, codes: NDArray[np.intp], levels: Sequence[Any]) -> NDArray[np.int32]:
        """Return the one-hot column of every row, −1 for levels not seen at fit, from the results of `factorize`."""
        column_of = dict(zip(self.values.tolist(), self.columns.tolist(), strict=True))
        columns = [column_of.get(level, _ABSENT) for level in levels]
        return np.array([*columns, self.missing_column], dtype=np.int32)[
            codes
        ]  # code −1, missing, is the last

    def drift(self, levels: Sequence[Any]) -> str | None:
        """Describe a value and its counterpart at fit, if no level was seen then because of its type or spelling.

        Nothing but new levels is no drift: a fold of whole groups that were held out looks like that, or a block of
        sorted rows.
        """
        seen = set(self.values.tolist())
        if not seen or not levels or not seen.isdisjoint(levels):
            return None
        spelled = {_spelling(value): value for value in self.values}
        alike = [(level, spelled[_spelling(level)]) for level in levels if _spelling(level) in spelled]
        if not alike and _kinds(levels).isdisjoint(_kinds(seen)):
            alike = [(level, self.values[0]) for level in levels]
        return min((f"{level!r} where fit saw {value!r}" for level, value in alike), default=None)


def learn_levels(
    codes: NDArray[np.intp],
    levels: Sequence[Any],
    *,
    min_frequency: int | float | None,
    max_categories: int | None,
) -> Levels:
    """Sort the levels, join the infrequent ones as scikit-learn's OneHotEncoder does, and name the columns.

    Missing values keep a column of their own however few they are, and do not count as a level.
    """
    order = _sorting_order(levels)
    rank = np.empty(len(levels), dtype=np.intp)
    rank[order] = np.arange(len(levels))
    observed = codes != -1
    any_missing = not bool(observed.all())

    infrequent = np.zeros(len(levels), dtype=bool)
    if levels and (min_frequency is not None or max_categories is not None):
        encoder = OneHotEncoder(
            min_frequency=_as_count(min_frequency, len(codes)), max_categories=max_categories
        )
        joined = encoder.fit(rank[codes[observed]].reshape(-1, 1)).infrequent_categories_[0]
        infrequent[[] if joined is None else joined] = True
    n_frequent = int(np.count_nonzero(~infrequent))
    columns = np.where(infrequent, n_frequent + any_missing, np.cumsum(~infrequent) - 1).astype(np.int32)

    values = np.empty(len(levels), dtype=object)
    values[:] = [levels[k] for k in order]
    names = [text for text, joined in zip(_distinct_texts(values), infrequent, strict=True) if not joined]
    return Levels(
        values,
        columns,
        n_frequent if any_missing else _ABSENT,
        (*names, *["<missing>"] * any_missing, *["<infrequent>"] * bool(infrequent.any())),
    )


def describe_doubt(levels: Levels, label: str, n_rows: int) -> str | None:
    """Return what is odd about the levels of a column, if they are names of the rows or numbers written as text."""
    values = levels.values
    if len(values) > _MAX_NUMBERS and all(isinstance(value, str) and _is_number(value) for value in values):
        return (
            f"column {label} is text and holds {len(values)} different numbers; each is a category of its own. Convert "
            "the column to numbers, for example with pandas.to_numeric, unless they are codes"
        )
    if len(values) > _MAX_LEVELS and len(values) > n_rows / 2:
        return (
            f"column {label} has {len(values)} levels in {n_rows} rows, as names of the rows would; each is a category "
            "of its own. Leave the column out, or pool rare levels with min_frequency or max_categories"
        )
    return None


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _as_count(min_frequency: float | None, n_rows: int) -> int | None:
    """Turn a fraction of all rows into a count: the encoder sees only the rows without missing values."""
    if min_frequency is None:
        return None
    return math.ceil(min_frequency * n_rows) if min_frequency < 1 else int(min_frequency)


def _kinds(values: Iterable[Any]) -> set[type]:
    """Return the types of values that never equal each other: numbers of different types do."""
    families = (numbers.Real, str)
    return {next((each for each in families if isinstance(value, each)), type(value)) for value in values}


def _spelling(value: Any) -> float | str:
    """Return the same for values that differ only in type, in capitals, or as 1 and "1.0" do."""
    text = str(value).strip().casefold()
    try:
        return float(text)
    except ValueError:
        return text


def _sorting_order(levels: Sequence[Any]) -> list[int]:
    try:
        return sorted(range(len(levels)), key=levels.__getitem__)
    except TypeError:  # text and numbers, for example: any order works that does not depend on the rows
        return sorted(range(len(levels)), key=lambda k: (type(levels[k]).__name__, str(levels[k])))


def _distinct_texts(values: NDArray[Any]) -> list[str]:
    texts = [str(value) for value in values]
    return texts if len(set(texts)) == len(texts) else [repr(value) for value in values]
