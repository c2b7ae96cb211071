"""The labels of y: which classes there are, and which of them is the rare one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from drr._checks.messages import listed


@dataclass(frozen=True, eq=False)
class Classes:
    """The distinct labels of y."""

    classes: NDArray[Any]
    """sorted"""
    counts: NDArray[np.intp]
    """how often each occurs"""

    def index_of(self, label: object, name: str = "pos_label") -> int:
        """Return the position of a label among the classes."""
        matches = np.flatnonzero([bool(each == label) for each in self.classes.tolist()])
        if len(matches) != 1:
            raise ValueError(f"{name}={label!r} is not a label of y, which has {listed(self.classes)}")
        return int(matches[0])

    def rare_index(self, pos_label: object) -> int:
        """Return the position of `pos_label`; without one, that of the rarer of two classes (a tie: the second)."""
        if pos_label is not None:
            return self.index_of(pos_label)
        if len(self.classes) > 2:
            raise ValueError(
                f"y has {len(self.classes)} classes, {listed(self.classes)}; pass pos_label to set one of them against "
                "the rest, or use DRRClassifier, which does so for every class"
            )
        return 0 if self.counts[0] < self.counts[1] else 1


@dataclass(frozen=True, eq=False)
class Labels(Classes):
    """The labels of y as positions in the sorted list of classes."""

    codes: NDArray[np.intp]
    """the position in `classes` of the label of every row"""


def read_labels(X: Any, y: Any, owner: str) -> Labels:
    """Check y against the rows of X: one finite discrete label per row, two classes or more."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None")
    if isinstance(y, str):
        raise TypeError(f"y={y!r} is a text, but {owner} takes the labels themselves, one per row")
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) == 1:
        raise ValueError(f"y has one class only, {listed(classes)}; rows of both classes are needed")
    return Labels(classes, counts, codes.reshape(-1))
