"""The labels of y: which classes there are, and which of them is the rare one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of y as positions in the sorted list of classes."""

    classes: NDArray[Any]
    """the distinct labels, sorted"""
    codes: NDArray[np.intp]
    """the position in `classes` of the label of every row"""

    def index_of(self, label: object, name: str = "pos_label") -> int:
        """Return the position of a label among the classes."""
        matches = np.flatnonzero([bool(each == label) for each in self.classes.tolist()])
        if len(matches) != 1:
            raise ValueError(f"{name}={label!r} is not a label of y, which has {self.listed()}")
        return int(matches[0])

    def rare_index(self, pos_label: object) -> int:
        """Return the position of `pos_label`; without one, that of the rarer of two classes (a tie: the second)."""
        if pos_label is not None:
            return self.index_of(pos_label)
        if len(self.classes) > 2:
            raise ValueError(
                f"y has {len(self.classes)} classes, {self.listed()}; pass pos_label to set one of them against "
                "the rest, or use DRRClassifier, which does so for every class"
            )
        counts = np.bincount(self.codes, minlength=2)
        return 0 if counts[0] < counts[1] else 1

    def listed(self) -> str:
        """Return the first classes, for messages."""
        shown = ", ".join(repr(label) for label in self.classes[:5].tolist())
        return shown if len(self.classes) <= 5 else f"{shown}, …"


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
    classes, codes = np.unique(y, return_inverse=True)
    labels = Labels(classes, codes.reshape(-1))
    if len(classes) == 1:
        raise ValueError(f"y has one class only, {labels.listed()}; rows of both classes are needed")
    return labels
