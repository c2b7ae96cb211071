"""Checks shared by the stages after the scores: scores, two-class labels, sample weights, seeds."""

from __future__ import annotations

import numbers
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.arrays import check_vector
from drr._checks.messages import listed


def check_score(score: ArrayLike, name: str = "score", length: int | None = None) -> NDArray[np.float64]:
    """Return a finite float64 column of scores, one per row of y (`length` of them, if given)."""
    if length is None:
        shape = np.shape(score)
        if len(shape) != 1 or shape[0] == 0:
            raise ValueError(f"{name} must be a column with at least one score, got shape {shape}")
        length = shape[0]
    return check_vector(score, length, name, "row of y")


def check_score_columns(scores: ArrayLike, n_rows: int, n_columns: int) -> NDArray[np.float64]:
    """Return base scores of shape (n_rows, n_columns); a single column may have one dimension."""
    columns = np.asarray(scores)
    if n_columns == 1 and columns.ndim == 1:
        columns = columns[:, None]
    if columns.shape != (n_rows, n_columns):
        wanted = f"({n_rows},)" if n_columns == 1 else f"({n_rows}, {n_columns}), a column per class"
        raise ValueError(f"base_score must have shape {wanted}, got {np.shape(scores)}")
    checked = [check_vector(columns[:, k], n_rows, "base_score", "row of X") for k in range(n_columns)]
    return np.stack(checked, axis=1)


def check_labels(y: ArrayLike, length: int, pos_label: object = None) -> NDArray[np.bool_]:
    """Return which labels are positive. Without `pos_label`, y holds 0 and 1, −1 and 1, or booleans.

    Both classes must be present: every stage that takes labels compares the two.
    """
    labels = np.asarray(y)
    if labels.shape != (length,):
        raise ValueError(f"y must have shape ({length},), one label per score, got {labels.shape}")
    _check_not_missing(labels)
    classes = np.unique(labels)
    if pos_label is None:
        if not _are_zero_one(classes):
            raise ValueError(
                f"y has the labels {listed(classes)}; pass pos_label to say which is the rare class, "
                "or encode it as 1 and the other as 0"
            )
        pos_label = 1
    positive = np.asarray(labels == pos_label)
    if positive.shape != labels.shape:
        raise ValueError(
            f"pos_label={pos_label!r} cannot be compared with the labels of y, {listed(classes)}"
        )
    if len(classes) > 2:
        raise ValueError(f"y must have two classes, got {len(classes)}: {listed(classes)}")
    if len(classes) == 1:
        raise ValueError(f"y has one class only, {listed(classes)}; rows of both classes are needed")
    if not positive.any():
        raise ValueError(f"pos_label={pos_label!r} is not a label of y, which has {listed(classes)}")
    return positive


def check_sample_weight(
    sample_weight: ArrayLike | None, positive: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return non-negative weights with a positive sum in each class; None stays None (all one)."""
    if sample_weight is None:
        return None
    weights = check_vector(sample_weight, len(positive), "sample_weight", "row of y")
    if (weights < 0).any():
        position = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight must not be negative, got {weights[position]} at position {position}"
        )
    for label, members in (("positive", positive), ("negative", ~positive)):
        if not weights[members].any():
            raise ValueError(f"sample_weight is zero on every {label} row; each class needs some weight")
    return weights


def as_counts(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positive weights as numbers of rows: scaled to a mean of one if they sum to less than the rows.

    Counts of repeated rows are kept. Weights that sum to one, for example, say nothing about the number of rows:
    only their ratios count.
    """
    return weights * max(1.0, len(weights) / float(weights.sum()))


def check_generator(random_state: Any) -> np.random.Generator:
    """Return a generator for None, an integer, a Generator (itself) or a RandomState (which seeds one)."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    raise ValueError(
        "random_state must be None, a non-negative integer, a numpy Generator or a RandomState, "
        f"got {random_state!r}"
    )


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, of Python or numpy; booleans are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def check_between(value: Any, low: float, high: float, name: str, *, closed: bool = False) -> float:
    """Return a real number in the open interval (low, high), or in the closed one."""
    inside = is_number(value) and (low <= value <= high if closed else low < value < high)
    if not inside:
        brackets = "[]" if closed else "()"
        raise ValueError(
            f"{name} must be a number in {brackets[0]}{low:g}, {high:g}{brackets[1]}, got {value!r}"
        )
    return float(value)


def check_not_negative(value: Any, name: str) -> float:
    """Return a finite number of at least zero."""
    if not (is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} must be a finite number of at least 0, got {value}")
    return float(value)


def check_count(value: Any, name: str) -> int:
    """Return a positive integer."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a positive integer, got {value!r}")
    return int(value)


def _check_not_missing(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in labels], dtype=bool)
    else:
        return
    if missing.any():
        raise ValueError(f"y has a missing label at position {int(np.argmax(missing))}")


def _are_zero_one(classes: NDArray[Any]) -> bool:
    if classes.dtype.kind not in "biuf" or len(classes) > 2:
        return False
    values = set(classes.astype(float).tolist())
    return values <= {0.0, 1.0} or values <= {-1.0, 1.0}
