"""The linear block of a feature map: means, scales, norms and distances of numeric columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn import config_context

from drr._checks.numbers import Numbers
from drr._native import core
from drr._native.threads import resolve_n_threads

if TYPE_CHECKING:
    from drr.features.columns import TableColumns

_SMALLEST_NORM = 1e-12
_MAX_DISTANCE_ROWS = 1000
_EPS = np.finfo(np.float64).eps

Standardisation: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class ColumnScaling:
    """z of the linear block: means and scales of p columns and q indicators, and what the other blocks need of z."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    indicated: NDArray[np.int32]
    norm: float
    """max‖z‖ over the fitted rows, at least 1e-12"""
    median_distance: float
    """the median of ‖zᵢ − zⱼ‖² over pairs of at most 1000 rows; 1 if it would be 0, NaN if it was not asked for"""


def learn_scaling(
    rows: TableColumns, numeric: Sequence[int], *, impute: bool, distances: bool
) -> ColumnScaling:
    """Compute means and standard deviations (ddof 0) in one pass over the numeric columns, norms in another.

    Without `distances` their median is not computed and left NaN.
    """
    if not numeric:
        return ColumnScaling(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int32), 1.0, 1.0)
    positions = list(numeric)
    found = _moments(rows, positions, impute)
    sampled = np.zeros(rows.n_rows, dtype=bool)
    sampled[distance_rows(rows.n_rows)] = distances
    largest, sample, n_sampled = 0.0, np.zeros((0, len(positions))), 0
    with config_context(assume_finite=True):  # the moments have seen every number
        for begin, end, block in rows.numeric_blocks(positions, allow_nan=impute):
            largest = max(largest, core.largest_norm(block, *found, n_threads=resolve_n_threads(None)))
            if distances:
                chosen = as_dense_rows(block[sampled[begin:end]])
                if begin == 0:
                    sample = np.empty((np.count_nonzero(sampled), len(positions)), dtype=chosen.dtype)
                sample[n_sampled : n_sampled + len(chosen)] = chosen
                n_sampled += len(chosen)
    return finish_scaling(*found, largest, sample if distances else None)


def distance_rows(n_rows: int) -> NDArray[np.intp]:
    """Return the rows between which the median distance is taken."""
    if n_rows <= _MAX_DISTANCE_ROWS:
        return np.arange(n_rows)
    return np.asarray(np.random.default_rng(0).choice(n_rows, _MAX_DISTANCE_ROWS, replace=False))


def finish_scaling(
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
    largest: float,
    sample: NDArray[Any] | None,
) -> ColumnScaling:
    """Complete a scaling with the largest norm of the standardised rows, and raw rows for their distances."""
    median = np.nan
    if sample is not None:
        median = core.median_distance(sample, mean, scale, indicated, n_threads=resolve_n_threads(None))
        median = median if median > 0 else 1.0
    return ColumnScaling(mean, scale, indicated, max(largest, _SMALLEST_NORM), median)


def _moments(rows: TableColumns, positions: list[int], impute: bool) -> Standardisation:
    count, mean, square = np.zeros((3, len(positions)))
    lowest, highest = np.full(len(positions), np.inf), np.full(len(positions), -np.inf)
    for _, _, block in rows.numeric_blocks(positions, allow_nan=impute):
        core.add_moments(block, count, mean, square, lowest, highest, n_threads=resolve_n_threads(None))
    labels = [rows.labels[j] for j in positions]
    return finish_moments(count, mean, square, lowest, highest, rows.n_rows, labels)


def finish_moments(
    count: NDArray[np.float64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    n_rows: int,
    labels: list[str],
) -> Standardisation:
    """Return (mean, scale, indicated) from the moments of the observed values; `scale` is the deviation, or one."""
    # Constant columns, and columns never observed, are kept apart: the rounded mean of a constant may differ from it,
    # and z is to be exactly zero there.
    constant, never = lowest == highest, count == 0
    with np.errstate(over="ignore", invalid="ignore"):
        variance = square / np.maximum(count, 1)
        overflow = ~np.isfinite(mean + variance) & ~constant & ~never
        # What rounding alone would make of a constant, as scikit-learn's StandardScaler judges it.
        negligible = variance <= count * _EPS * variance + (count * mean * _EPS) ** 2
    if overflow.any():
        label = labels[int(np.argmax(overflow))]
        raise ValueError(
            f"column {label} holds numbers too large for its variance to be represented; rescale it"
        )
    # A missing value sits at the mean: it leaves the mean as it is and adds nothing to the sum of squares.
    scale = np.sqrt(square / n_rows)
    mean = np.where(constant, lowest, np.where(never, 0.0, mean))
    scale = np.where(constant | never | negligible, 1.0, scale)

    n_missing = n_rows - count
    indicated = np.flatnonzero(n_missing).astype(np.int32)
    share = n_missing[indicated] / n_rows
    spread = np.sqrt(share * (1.0 - share))
    return (
        np.concatenate([mean, share]),
        np.concatenate([scale, np.where(spread > 0, spread, 1.0)]),
        indicated,
    )


def as_dense_rows(block: Numbers) -> NDArray[Any]:
    """Return numbers as an array of the same precision."""
    return np.asarray(block.toarray() if scipy.sparse.issparse(block) else block)


def as_dense(block: Numbers) -> NDArray[np.float64]:
    """Return numbers as an array of doubles."""
    return as_dense_rows(block).astype(np.float64, copy=False)
