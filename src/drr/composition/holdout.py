"""Which rows fit the models and which are held out for everything after the scores."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from drr._checks.labels import Labels
from drr._checks.rows import reads_in_passes

Rows = NDArray[np.intp]

# What `holdout="auto"` uses if it does not score out of the bag.
N_FOLDS = 5
# Of rows that are read in passes: every fit reads them all many times.
SHARE_OF_SOURCE = 0.3


@dataclass(frozen=True, eq=False)
class Holdout:
    """Pairs of rows to fit on and rows to score."""

    splits: list[tuple[Rows, Rows]]
    is_cross_fitted: bool
    """the models that score new rows are fitted on all rows"""
    description: str
    """which rows are held out, in words"""
    is_out_of_bag: bool = False
    """one base is fitted on all rows and scores them out of the bag; the splits are those of the dual"""

    @property
    def n_steps(self) -> int:
        """The steps of a fit: a base that scores out of the bag, duals of all rows, folds, and models of all rows."""
        return self.is_out_of_bag + len(self.splits) + 2 * self.is_cross_fitted

    def fitted_rows(self, n_rows: int) -> Rows:
        """Return the rows that the final models are fitted on."""
        return np.arange(n_rows) if self.is_cross_fitted else self.splits[0][0]


def is_splitter(holdout: Any) -> bool:
    """Return whether `holdout` is a cross-validation splitter, to which groups can be routed."""
    return hasattr(holdout, "split") and not isinstance(holdout, str)


def plan_holdout(
    holdout: Any,
    X: Any,
    labels: Labels,
    random_state: int,
    split_params: Mapping[str, Any] | None = None,
    *,
    out_of_bag: bool = False,
) -> Holdout:
    """Read the `holdout` parameter: "auto", a fraction, a pair of row lists, a number of folds or a splitter.

    Rows of a class with a single row cannot be held out and join every fit part. `out_of_bag` says whether the base has
    out-of-bag scores, which "auto" prefers.
    """
    if split_params and not is_splitter(holdout):
        raise ValueError(
            f"groups are for a splitter that keeps them apart, but holdout={holdout!r} would divide them; pass for "
            "example holdout=sklearn.model_selection.StratifiedGroupKFold(5)"
        )
    _check_kind(holdout)
    if isinstance(holdout, str):
        plan = _plan_automatically(X, labels, random_state, out_of_bag)
    elif _is_pair(holdout):
        plan = Holdout([_read_pair(holdout, len(labels.codes))], False, "the rows that were named")
    elif isinstance(holdout, numbers.Integral):
        folds = _fold_splits(int(holdout), labels, random_state)
        plan = Holdout(folds, True, f"{len(folds)} folds")
    elif isinstance(holdout, numbers.Real):
        split = _stratified_split(float(holdout), labels, random_state)
        plan = Holdout([split], False, f"{float(holdout):.3g} of the rows")
    else:
        y = labels.classes[labels.codes]
        splits = list(holdout.split(X, y, **(split_params or {})) if is_splitter(holdout) else holdout)
        if not splits or not all(_is_pair(split) for split in splits):
            raise _not_a_holdout(holdout)
        folds = [_read_pair(split, len(labels.codes), f" of fold {k}") for k, split in enumerate(splits)]
        plan = Holdout(folds, True, f"{len(folds)} folds of a splitter")
    _check(plan, labels)
    return plan


def _plan_automatically(X: Any, labels: Labels, random_state: int, out_of_bag: bool) -> Holdout:
    if reads_in_passes(X):
        split = _stratified_split(SHARE_OF_SOURCE, labels, random_state)
        return Holdout([split], True, f"{SHARE_OF_SOURCE:.3g} of the rows, then fitted on all")
    # As many folds as the smallest class allows, without a warning: the user did not ask for five.
    counts = np.bincount(labels.codes)
    if len(labels.codes) == 0 or counts.max() < 2:
        raise ValueError(
            f"n_samples={len(labels.codes)} rows are too few to hold some out of {len(labels.classes)} classes"
        )
    smallest = int(counts[counts > 1].min())
    folds = _fold_splits(min(N_FOLDS, smallest), labels, random_state)
    return Holdout(folds, True, "out of bag" if out_of_bag else f"{len(folds)} folds", out_of_bag)


def hold_out_all(holdout: Any, n_rows: int) -> Holdout:
    """Hold out the rows that a pair names, or else all, if nothing needs fitting."""
    if _is_pair(holdout):
        return Holdout([_read_pair(holdout, n_rows)], False, "the rows that were named")
    _check_kind(holdout)
    everything = np.arange(n_rows)
    return Holdout([(everything, everything)], False, "all rows, both models fitted before")


def check_weights_held_out(plan: Holdout, weights: NDArray[np.float64] | None) -> None:
    """Raise ValueError if no held-out row of a part has weight."""
    for _, held_out in plan.splits:
        if weights is not None and not weights[held_out].any():
            raise ValueError("sample_weight is zero on every held-out row; hold out rows that have weight")


def _check_kind(holdout: Any) -> None:
    if isinstance(holdout, str) and holdout == "auto":
        return
    is_number = isinstance(holdout, numbers.Real) and not isinstance(holdout, bool)
    is_list = hasattr(holdout, "__iter__") and not isinstance(holdout, str)
    if not (is_number or is_list or is_splitter(holdout)):
        raise _not_a_holdout(holdout)


def _not_a_holdout(holdout: Any) -> ValueError:
    return ValueError(
        "holdout must be 'auto', a fraction in (0, 1), a number of folds, a cross-validation splitter or a pair "
        f"(fit_indices, held_out_indices), got {holdout!r}"
    )


def _is_pair(holdout: Any) -> bool:
    """Return whether `holdout` is two lists of rows, not a pair of splits."""
    return isinstance(holdout, tuple) and len(holdout) == 2 and all(_is_flat(part) for part in holdout)


def _is_flat(part: Any) -> bool:
    return hasattr(part, "__len__") and not isinstance(part, str) and np.ndim(next(iter(part), 0)) == 0


def _read_pair(pair: tuple[Any, Any], n_rows: int, where: str = "") -> tuple[Rows, Rows]:
    fit, held_out = (
        _read_rows(part, f"{name}{where}", n_rows)
        for name, part in zip(("fit_indices", "held_out_indices"), pair, strict=True)
    )
    is_fitted_on = np.zeros(n_rows, dtype=bool)
    is_fitted_on[fit] = True
    shared = is_fitted_on[held_out]
    if shared.any():
        row = held_out[int(np.argmax(shared))]
        raise ValueError(f"holdout: row {row} is both in fit_indices and in held_out_indices{where}")
    return fit, held_out


def _read_rows(part: Any, name: str, n_rows: int) -> Rows:
    rows = np.asarray(part)
    if rows.dtype == bool and len(rows) == n_rows:
        rows = np.flatnonzero(rows)
    if rows.dtype.kind not in "iu" or len(rows) == 0:
        raise ValueError(f"holdout: {name} must hold row numbers, or one boolean per row")
    outside = (rows < 0) | (rows >= n_rows)
    if outside.any():
        row = rows[int(np.argmax(outside))]
        raise ValueError(f"holdout: {name} names row {row}, but X has the rows 0 to {n_rows - 1}")
    return rows.astype(np.intp)


def _stratified_split(fraction: float, labels: Labels, random_state: int) -> tuple[Rows, Rows]:
    if not 0 < fraction < 1:
        raise ValueError(f"holdout must be a fraction in (0, 1) or at least 2 folds, got {fraction}")
    single, rest = _single_rows(labels)
    _warn_of_single_rows(labels, single)
    codes = labels.codes[rest]
    n_classes = int(np.count_nonzero(np.bincount(codes)))
    # A part needs a row of every class to be stratified, whatever the fraction asks for.
    n_held_out = int(np.ceil(fraction * len(rest)))
    nearest = max(n_classes, min(n_held_out, len(rest) - n_classes))
    size: float | int = fraction if n_held_out == nearest else nearest
    if len(rest) < 2 * max(n_classes, 1):
        raise ValueError(
            f"n_samples={len(labels.codes)} rows are too few to hold some out of {len(labels.classes)} classes; pass "
            "holdout as a pair of row lists"
        )
    fit, held_out = train_test_split(rest, test_size=size, stratify=codes, random_state=random_state)
    return np.concatenate([fit, single]), held_out


def _fold_splits(n_folds: int, labels: Labels, random_state: int) -> list[tuple[Rows, Rows]]:
    if n_folds < 2:
        raise ValueError(f"holdout must be a fraction in (0, 1) or at least 2 folds, got {n_folds}")
    single, rest = _single_rows(labels)
    _warn_of_single_rows(labels, single)
    codes = labels.codes[rest]
    counts = np.bincount(codes)
    smallest = int(counts[counts > 0].min())
    if smallest < n_folds:
        warnings.warn(
            f"holdout={n_folds} folds, but the smallest class has {smallest} rows; {smallest} folds are used, each "
            "with a row of every class.",
            UserWarning,
            stacklevel=4,
        )
        n_folds = smallest
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return [(np.concatenate([rest[fit], single]), rest[held]) for fit, held in splitter.split(codes, codes)]


def _single_rows(labels: Labels) -> tuple[Rows, Rows]:
    """Return the rows that are alone in their class, and the others."""
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    is_single = counts[labels.codes] == 1
    return np.flatnonzero(is_single), np.flatnonzero(~is_single)


def _warn_of_single_rows(labels: Labels, single: Rows) -> None:
    if len(single):
        named = ", ".join(repr(label) for label in labels.classes[labels.codes[single]][:5].tolist())
        warnings.warn(
            f"Class {named} has a single row, so nothing of it can be held out: the row fits the models, and no cut "
            "or calibration can be learned for the class.",
            UserWarning,
            stacklevel=4,
        )


def _check(plan: Holdout, labels: Labels) -> None:
    for number, (fit, held_out) in enumerate(plan.splits):
        where = f" in fold {number}" if plan.is_cross_fitted else ""
        absent = np.flatnonzero(np.bincount(labels.codes[fit], minlength=len(labels.classes)) == 0)
        if len(absent):
            label = labels.classes.tolist()[absent[0]]
            raise ValueError(
                f"holdout leaves no row of class {label!r} to fit on{where}; every fit part needs rows of all classes"
            )
        if len(held_out) < 2:
            raise ValueError(
                f"holdout must hold out at least two rows{where}, got {len(held_out)}: scores are standardised there"
            )
