"""The labels of the target column: text, unless every one is a plain number or a truth value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.messages import listed
from drr.cli._errors import CommandError
from drr.features.preparation import MISSING_TEXTS, is_plain_number, text_of

_OTHER = "other"


def label_texts(column: Any) -> NDArray[Any]:
    """Return the label of each row as text, None for missing ones."""
    codes, values = column.factorize()
    texts = [text_of(value) for value in values.tolist()]
    texts = [None if text.strip() in MISSING_TEXTS else text for text in texts]  # type: ignore[misc]
    return np.asarray(np.array([*texts, None], dtype=object)[np.asarray(codes)])


def is_missing(texts: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows have no label."""
    return np.array([text is None for text in texts.tolist()], dtype=bool)


def check_labelled(texts: NDArray[Any], name: str) -> None:
    """Raise if a row has no label."""
    missing = is_missing(texts)
    if missing.any():
        raise CommandError(
            f"column {name!r} has no label in {int(missing.sum())} rows, first in row {int(np.argmax(missing)) + 1}; "
            "leave such rows out with --drop-unlabelled"
        )


def choose_labels(texts: NDArray[Any], name: str, positive: str | None) -> tuple[Any, Any, bool]:
    """Return the rare label, the other one and whether labels are text, from the target and what the user named."""
    distinct, counts = np.unique(texts.astype(str), return_counts=True)
    read = reader_of(distinct.tolist())
    rows_of: dict[Any, int] = {}
    for text, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        rows_of[read(text)] = rows_of.get(read(text), 0) + count
    labels = sorted(rows_of, key=lambda label: -rows_of[label])
    if len(labels) < 2:
        raise CommandError(
            f"column {name!r} holds {labels[0]!r} in every row; the target needs rows of two classes"
        )
    if positive is None:
        if len(labels) > 2:
            raise CommandError(
                f"column {name!r} has {len(labels)} different values, {listed(labels, 4)}; name the rare class with "
                "--positive, or another column with --target"
            )
        rare = labels[-1] if rows_of[labels[0]] != rows_of[labels[-1]] else max(labels)
    else:
        rare = _named(labels, positive)
        if rare is None:
            raise CommandError(
                f"--positive {positive} is not in column {name!r}, which holds {listed(labels, 8)}"
            )
    others = [label for label in labels if label != rare]
    is_text = isinstance(rare, str)
    if len(others) == 1:
        pair = (str(rare), str(others[0])) if isinstance(rare, float) else (rare, others[0])
        return *pair, is_text
    return str(rare), _OTHER if str(rare) != _OTHER else f"not {_OTHER}", is_text


def is_label(texts: NDArray[Any], label: Any, *, is_text: bool) -> NDArray[np.bool_]:
    """Return which rows have the label that a model file names, as text or by its value."""
    same = {
        text for text in texts.tolist() if text == str(label) or (not is_text and _same_value(text, label))
    }
    return np.array([text in same for text in texts.tolist()], dtype=bool)


def reader_of(texts: list[str]) -> Any:
    """Return how these labels are read: as truth values or whole numbers if all are, otherwise as they are written."""
    if all(text.lower() in ("true", "false") for text in texts):
        return lambda text: text.lower() == "true"
    if not all(map(is_plain_number, texts)):
        return str
    is_whole = all(float(text).is_integer() for text in texts)
    return (lambda text: int(float(text))) if is_whole else float


def _named(labels: list[Any], positive: str) -> Any:
    """Return the label that a user means: 1 and 1.0 are the same for labels that are numbers."""
    exact = [label for label in labels if str(label) == positive]
    if exact or all(isinstance(label, str) for label in labels):
        return exact[0] if exact else None
    return next((label for label in labels if _same_value(positive, label)), None)


def _same_value(text: str, label: Any) -> bool:
    if isinstance(label, bool):
        return text.lower() == str(label).lower()
    return is_plain_number(text) and is_plain_number(str(label)) and float(text) == float(label)
