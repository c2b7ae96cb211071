"""The linear block of a feature map: means, scales, norms and distances of numeric columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.preprocessing import StandardScaler

from drr._checks.numbers import Numbers

if TYPE_CHECKING:
    from drr.features.columns import TableColumns

_SMALLEST_NORM = 1e-12
_MOST_DISTANCE_ROWS = 1000


@dataclass(frozen=True, eq=False)
class ColumnScaling:
    """z of the linear block: means and scales of p columns and q indicators, and what the other blocks need of z."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    indicated: NDArray[np.int32]
    norm: float
    """max‖z‖ over the fitted rows, at least 1e-12"""
    median_distance: float
    """the median of ‖zᵢ − zⱼ‖² over pairs of at most 1000 rows; 1 where it would be 0"""


def learn_scaling(rows: TableColumns, numeric: Sequence[int], *, impute: bool) -> ColumnScaling:
    """Means and standard deviations (ddof 0) in one pass over the numeric columns, norms and distances in another."""
    if not numeric:
        return ColumnScaling(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int32), 1.0, 1.0)
    positions = list(numeric)
    mean, scale, indicated = _moments(rows, positions, impute)
    sampled = np.zeros(rows.n_rows, dtype=bool)
    sampled[distance_rows(rows.n_rows)] = True
    largest, sample = 0.0, []
    for begin, end, block in rows.numeric_blocks(positions, allow_nan=impute):
        z = standardised(as_dense(block), mean, scale, indicated)
        largest = max(largest, float(np.sqrt(np.einsum("ij,ij->i", z, z).max())))
        sample.append(z[sampled[begin:end]])
    return finish_scaling(mean, scale, indicated, largest, pdist(np.concatenate(sample), "sqeuclidean"))


def distance_rows(n_rows: int) -> NDArray[np.intp]:
    """Which rows the median distance is taken between."""
    if n_rows <= _MOST_DISTANCE_ROWS:
        return np.arange(n_rows)
    return np.asarray(np.random.default_rng(0).choice(n_rows, _MOST_DISTANCE_ROWS, replace=False))


def finish_scaling(
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
    largest: float,
    distances: NDArray[np.float64],
) -> ColumnScaling:
    """With the largest norm of the standardised rows and the squared distances between some of them."""
    median = float(np.median(distances)) if len(distances) else 0.0
    return ColumnScaling(mean, scale, indicated, max(largest, _SMALLEST_NORM), median if median > 0 else 1.0)


def _moments(
    rows: TableColumns, positions: list[int], impute: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    scaler = StandardScaler()
    n_missing = np.zeros(len(positions), dtype=np.int64)
    lowest, highest = np.full(len(positions), np.inf), np.full(len(positions), -np.inf)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _, _, block in rows.numeric_blocks(positions, allow_nan=impute):
            # By columns, so that each sum runs along memory: across short rows it takes three times as long.
            values = np.asfortranarray(as_dense(block))
            scaler.partial_fit(values)
            n_missing += np.isnan(values).sum(axis=0)
            lowest = np.fmin(lowest, np.fmin.reduce(values, axis=0))
            highest = np.fmax(highest, np.fmax.reduce(values, axis=0))
    labels = [rows.labels[j] for j in positions]
    return finish_moments(
        scaler.mean_, scaler.scale_, np.sqrt(scaler.var_), n_missing, lowest, highest, rows.n_rows, labels
    )


def finish_moments(
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    deviation: NDArray[np.float64],
    n_missing: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    n_rows: int,
    labels: list[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """(mean, scale, indicated) from the moments of the observed values; `scale` is the deviation, or one."""
    # Constant columns, and columns never observed, are kept apart: the rounded mean of a constant may differ from it,
    # and z is to be exactly zero there.
    constant, never = lowest == highest, n_missing == n_rows
    overflow = ~np.isfinite(mean + deviation) & ~constant & ~never
    if overflow.any():
        label = labels[int(np.argmax(overflow))]
        raise ValueError(
            f"column {label} holds numbers too large for its variance to be represented; rescale it"
        )
    # A missing value sits at the mean: it leaves the mean as it is and adds nothing to the sum of squares. Where the
    # scaler's scale is not the deviation, it found the column constant up to rounding and put one.
    observed = 1.0 - n_missing / n_rows
    scale = np.where(scale == deviation, scale * np.sqrt(observed), scale)
    mean = np.where(constant, lowest, np.where(never, 0.0, mean))
    scale = np.where(constant | never, 1.0, scale)

    indicated = np.flatnonzero(n_missing).astype(np.int32)
    share = n_missing[indicated] / n_rows
    spread = np.sqrt(share * (1.0 - share))
    return (
        np.concatenate([mean, share]),
        np.concatenate([scale, np.where(spread > 0, spread, 1.0)]),
        indicated,
    )


def standardised(
    values: NDArray[np.float64],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
) -> NDArray[np.float64]:
    """z of rows: missing values at the mean, then the indicators of missing values."""
    is_missing = np.isnan(values)
    if is_missing.any() or len(indicated):
        values = np.hstack([np.where(is_missing, mean[: values.shape[1]], values), is_missing[:, indicated]])
    z = values - mean
    z /= scale
    return z


def as_dense(block: Numbers) -> NDArray[np.float64]:
    """Numbers as an array of doubles."""
    dense = block.toarray() if scipy.sparse.issparse(block) else block
    return np.asarray(dense, dtype=np.float64)
