"""What each column of a training table holds: numbers, categories, truth values or dates, and what is doubtful."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Any

import numpy as np

from drr._checks.messages import listed
from drr.cli._errors import CommandError
from drr.features.preparation import MISSING_TEXTS, Kind, TablePreparation, is_number_text, text_of

# A text column with more levels than this, most of them of single rows, identifies rows rather than describing them.
_MAX_LEVELS = 100
# Up to this share of texts among numbers count as missing numbers, if there are few different ones.
_MAX_WORDS_SHARE, _MAX_WORDS = 0.1, 20
# From this share of numbers on, a category is doubtful.
_MANY_NUMBERS = 0.5

_LEADING_ZERO = re.compile(r"-?0\d+", re.ASCII)
_GROUPED = re.compile(r"[+-]?(\d+,\d+|\d{1,3}([.,' ]\d{3})+([.,]\d+)?)", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{2,4}( .*)?", re.ASCII)


@dataclass
class Roles:
    """What the user says of the columns."""

    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    dates: Sequence[str] = ()


@dataclass
class Reading:
    """The preparation under way, and what the user is to know of it."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    levels: dict[str, list[str]] = field(default_factory=dict)
    missing_texts: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def is_ambiguous(column: Any) -> bool:
    """Return whether a column was read as booleans or whole numbers that may be codes or categories."""
    if column.dtype.kind in "biu":
        return True
    if column.dtype.kind != "f":
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool(((values == np.floor(values)) | np.isnan(values)).all())


def read_kinds(frame: Any, roles: Roles, as_written: Any) -> tuple[TablePreparation, list[str]]:
    """Return what each column holds and what is doubtful about it; raise with all columns that fit nowhere.

    `as_written` has the text of the ambiguous columns, or none if the file has its own types.
    """
    reading = Reading()
    is_empty = frame.isna().to_numpy().all(axis=0)
    for (name, column), empty in zip(frame.items(), is_empty.tolist(), strict=True):
        if empty:
            reading.notes.append(f"column {name!r} is empty and is left out")
            continue
        texts = as_written[name] if name in as_written.columns else None
        _read_column(reading, name, column, roles, texts)
    if reading.problems:
        raise CommandError("; ".join(reading.problems))
    if not reading.kinds:
        raise CommandError("every column that could describe the rows is empty; give a table with values")
    return TablePreparation(reading.kinds, reading.levels, reading.missing_texts), reading.notes


def _read_column(reading: Reading, name: str, column: Any, roles: Roles, texts: Any) -> None:
    word = quote(name)
    kind = column.dtype.kind
    type_name = str(column.dtype)
    if name in roles.dates:
        reading.kinds[name] = "date"
    elif name in roles.categorical:
        _take_category(reading, name, _counts(column))
    elif kind == "b":
        reading.kinds[name] = "boolean"
    elif kind in "iuf" or type_name.startswith("decimal"):
        _read_numbers(reading, name, None if name in roles.numeric else texts)
    elif kind == "M" or type_name.startswith(("date", "timestamp")):
        reading.problems.append(_about_dates(name, f"column {name!r} holds {type_name}"))
    elif kind in "OU" and not type_name.startswith(("list", "struct", "map", "binary")):
        _read_text(reading, name, _counts(column), len(column), is_forced=name in roles.numeric)
    else:
        reading.problems.append(
            f"column {name!r} holds {type_name}, neither numbers nor categories; leave it out with --drop {word} or "
            f"take its values as categories with --categorical {word}"
        )


def _read_numbers(reading: Reading, name: str, texts: Any) -> None:
    """Take a column of numbers, unless it is written with leading zeros, as codes are."""
    counts = {} if texts is None else _counts(texts)
    codes = [text for text in counts if _LEADING_ZERO.fullmatch(text.strip())]
    if codes:
        _read_codes(reading, name, counts, codes[0])
    else:
        reading.kinds[name] = "number"


def _read_codes(reading: Reading, name: str, counts: dict[str, int], example: str) -> None:
    """Take numbers with leading zeros as categories, unless they are nearly as many as the rows."""
    word = quote(name)
    if _identifies_rows(counts):
        reading.problems.append(
            f"column {name!r} holds {len(counts)} different numbers with leading zeros ({example!r}, …), as numbers of "
            f"accounts would; {_choices(name)}, or --numeric {word}"
        )
        return
    _take_category(reading, name, counts)
    reading.notes.append(
        f"column {name!r} holds numbers with leading zeros ({example!r}): it is read as categories; --numeric "
        f"{word} takes them as numbers"
    )


def _read_text(reading: Reading, name: str, counts: dict[str, int], n_rows: int, *, is_forced: bool) -> None:
    """Decide on the kind of a column by its texts."""
    word = quote(name)
    n_cells = sum(counts.values())
    words = [text for text in counts if not is_number_text(text)]
    n_words = sum(counts[text] for text in words)
    codes = [text for text in counts if _LEADING_ZERO.fullmatch(text.strip())]
    if is_forced:
        _take_numbers(reading, name, words)
    elif not counts:
        reading.notes.append(f"column {name!r} is empty and is left out")
    elif set(map(str.lower, counts)) <= {"true", "false"}:
        reading.kinds[name] = "boolean"
    elif not words and codes:
        _read_codes(reading, name, counts, codes[0])
    elif not words:
        _take_numbers(reading, name, words)
        reading.notes.append(
            f"column {name!r} is text, but holds numbers only: it is read as numbers; --categorical {word} takes them "
            "as categories"
        )
    elif all(_GROUPED.fullmatch(text.strip()) for text in words):
        reading.problems.append(
            f"column {name!r} holds numbers such as {words[0]!r}; say how decimals are written with --decimal , (and "
            f"write numbers without separators of thousands), or take them as categories with --categorical {word}"
        )
    elif all(_DATE.fullmatch(text.strip()) for text in counts):
        reading.problems.append(_about_dates(name, f"column {name!r} holds dates ({words[0]!r}, …)"))
    elif n_words <= _MAX_WORDS_SHARE * n_cells and len(words) <= _MAX_WORDS:
        _take_numbers(reading, name, words)
        reading.notes.append(
            f"column {name!r} holds numbers, and {listed(words, 4)} in {n_words} rows: these count as missing; "
            f"--categorical {word} takes all values as categories"
        )
    elif _identifies_rows(counts):
        reading.problems.append(
            f"column {name!r} has {len(counts)} different texts in {n_rows} rows ({words[0][:30]!r}, …), as names or "
            f"dates would; {_choices(name)}"
        )
    else:
        _take_category(reading, name, counts)
        if len(counts) > _MAX_LEVELS:
            reading.notes.append(
                f"column {name!r} has {len(counts)} different texts ({words[0][:30]!r}, …), each a category; "
                f"if they are numbers with a unit, write them without it, or leave the column out with --drop {word}"
            )
        if n_cells - n_words >= _MANY_NUMBERS * n_cells:
            reading.notes.append(
                f"column {name!r} holds numbers, and texts such as {listed(words, 3)} in {n_words} of {n_cells} rows: "
                f"it is read as categories; --numeric {word} takes the texts as missing numbers"
            )


def _take_numbers(reading: Reading, name: str, words: list[str]) -> None:
    reading.kinds[name] = "number"
    if words:
        reading.missing_texts[name] = [word.strip() for word in words]


def _take_category(reading: Reading, name: str, counts: dict[str, int]) -> None:
    """Take a column of levels; those written as numbers are remembered, to be found again by their value."""
    if counts and set(map(str.lower, counts)) <= {"true", "false"}:
        reading.kinds[name] = "boolean"
        return
    reading.kinds[name] = "category"
    if counts and all(map(is_number_text, counts)) and len({float(text) for text in counts}) == len(counts):
        reading.levels[name] = sorted(counts)


def _counts(column: Any) -> dict[str, int]:
    """Return how often each text occurs, leaving out missing cells."""
    counts: dict[str, int] = {}
    for value, count in column.value_counts().items():
        text = text_of(value)
        if text.strip() not in MISSING_TEXTS:
            counts[text] = counts.get(text, 0) + int(count)
    return counts


def _identifies_rows(counts: dict[str, int]) -> bool:
    """Return whether there are so many different cells that they name the rows rather than describe them."""
    return len(counts) > _MAX_LEVELS and len(counts) > sum(counts.values()) / 2


def _choices(name: str) -> str:
    word = quote(name)
    return (
        f"keep it next to the scores with --id {word}, leave it out with --drop {word}, or insist with "
        f"--categorical {word}"
    )


def _about_dates(name: str, what: str) -> str:
    word = quote(name)
    return (
        f"{what}; turn it into a number of days with --date {word}, leave it out with --drop {word}, keep it next "
        f"to the scores with --id {word}, or take its values as categories with --categorical {word}"
    )
