"""Bootstrap resamples of labelled scores as counts, a small batch at a time.

A resample of n rows drawn with replacement is a vector of counts. Two facts keep thousands of them cheap:

- A ranking metric of a score depends on the negatives only through how many lie between neighbouring
  positives. Rows that no score at hand tells apart form one *cell*; counts per cell are all that is needed,
  and they are multinomial with the cells' sizes as probabilities. With few positives there are far fewer
  cells than rows.
- Only a batch of resamples exists at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drr._ranking import draw_rows

# Counts per batch: enough to hide the cost of a call, few enough to stay in the cache.
BATCH_SIZE = 2**16

# One multinomial count takes as long as drawing this many rows (measured for 300 to 1e5 rows: 18 to 35).
ROWS_PER_MULTINOMIAL_COUNT = 25


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows merged where no ranking distinguishes them."""

    scores: tuple[NDArray[np.float64], ...]
    """One column per score given, one entry per cell; in the order of the original scores"""
    positive: NDArray[np.bool_]
    """The class of each cell"""
    cell_of_row: NDArray[np.int64]
    """The cell of each original row"""
    weight: NDArray[np.float64] | None
    """The common sample weight of a cell's rows, if rows have weights"""


def merge_rows(
    scores: tuple[NDArray[np.float64], ...],
    positive: NDArray[np.bool_],
    row_weight: NDArray[np.float64] | None = None,
) -> Cells:
    """Merge rows of one class and weight that lie between the same two positives in every score."""
    key = positive.astype(np.int64)
    if row_weight is not None:
        key = key + 2 * np.unique(row_weight, return_inverse=True)[1].reshape(-1)
    for score in scores:
        segments = _segments(score, positive)
        joint = key * (segments.max() + 1) + segments
        key = np.unique(joint, return_inverse=True)[1].reshape(-1)
    first_row, cell_of_row = np.unique(key, return_index=True, return_inverse=True)[1:]
    return Cells(
        tuple(score[first_row] for score in scores),
        positive[first_row],
        cell_of_row.reshape(-1).astype(np.int64),
        None if row_weight is None else row_weight[first_row],
    )


def _segments(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number the scores so that only levels without a positive, next to each other, share a number."""
    level = np.unique(score, return_inverse=True)[1].reshape(-1)
    has_positive = np.bincount(level, weights=positive) > 0
    starts = np.append(False, has_positive[1:] | has_positive[:-1])
    return np.asarray(np.cumsum(starts)[level], dtype=np.int64)


def resample_counts(
    cell_of_row: NDArray[np.int64],
    positive_rows: NDArray[np.bool_],
    n_resamples: int,
    generator: np.random.Generator,
    *,
    stratify: bool = True,
) -> Iterator[NDArray[np.int64]]:
    """Batches of counts, one row per resample and one column per cell.

    Stratified resamples draw each class by itself and keep its size. Otherwise all rows are drawn together,
    and a resample without a positive or without a negative row is drawn again.
    """
    n_cells = int(cell_of_row.max()) + 1
    rows = np.arange(len(cell_of_row))
    strata = [rows[positive_rows], rows[~positive_rows]] if stratify else [rows]
    samplers = [_Stratum(cell_of_row[members]) for members in strata]
    is_positive = np.zeros(n_cells, dtype=bool)
    is_positive[cell_of_row[positive_rows]] = True
    largest_batch = max(1, BATCH_SIZE // n_cells)
    remaining = n_resamples
    while remaining > 0:
        counts = np.zeros((min(largest_batch, remaining), n_cells), dtype=np.int64)
        for sampler in samplers:
            sampler.draw(generator, counts)
        if not stratify:
            n_positive = counts[:, is_positive].sum(axis=1)
            counts = counts[(n_positive > 0) & (n_positive < len(rows))]
        remaining -= len(counts)
        yield counts


class _Stratum:
    """Rows that are drawn among themselves, by whichever of two exact ways is cheaper."""

    def __init__(self, cell_of_row: NDArray[np.int64]) -> None:
        self._cell_of_row = np.ascontiguousarray(cell_of_row)
        self._cells, sizes = np.unique(cell_of_row, return_counts=True)
        self._share = sizes / len(cell_of_row)
        self._by_cell = len(self._cells) * ROWS_PER_MULTINOMIAL_COUNT < len(cell_of_row)

    def draw(self, generator: np.random.Generator, counts: NDArray[np.int64]) -> None:
        """Add one resample to each row of `counts`."""
        n_rows = len(self._cell_of_row)
        if self._by_cell:
            counts[:, self._cells] += generator.multinomial(n_rows, self._share, size=len(counts))
        else:
            draw_rows(generator.bit_generator, self._cell_of_row, counts)
