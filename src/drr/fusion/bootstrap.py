"""Bootstrap resamples of labelled scores as totals per cell, a small batch at a time.

A resample of n rows drawn with replacement is a vector of counts. Three facts keep thousands of them cheap:

- A ranking metric of a score depends on the negatives only through how many lie between neighbouring
  positives. Rows that a score does not distinguish in this sense form one *cell*; the total of each cell is all
  that is needed, and with few positives there are far fewer cells than rows. Several scores are resampled
  together: each drawn row is added to its cell of every score.
- Rows that share their cells in all scores are not drawn one by one: how many of them are drawn is
  multinomial.
- Only a batch of resamples exists at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import scipy.stats
from numpy.typing import NDArray

from drr._native.draws import add_draws

# Totals per batch: enough to hide the cost of a call, few enough to stay in the cache.
BATCH_SIZE = 2**16

# One multinomial count takes as long as drawing this many rows (measured for 300 to 1e5 rows: 18 to 35).
ROWS_PER_MULTINOMIAL_COUNT = 25


# With fewer rows of the rare class no interval is given: resamples of so few rows do not show how the next few would
# differ, and intervals exclude zero far too often.
MIN_RARE = 10

# Degrees of freedom that Student's distribution has less than there are rare rows.
LOST_DEGREES = 5


def interval_tails(level: float, n_positive: int) -> tuple[float, float]:
    """Return the quantiles of resampled values that bound an interval; not numbers if there are too few rare rows.

    Resamples of n rows vary less than new samples do. The tails are those at which a normal distribution has the width
    of Student's interval of n values, with the rare rows as n (Hesterberg's expanded percentile interval). Average
    precision hangs on the few rare rows that rank highest: `LOST_DEGREES` in place of one bring the rates of false
    gains and losses from 3 % to the nominal 2.5 % at 10 to 30 rare rows, and are of no account from 50 on.
    """
    if n_positive < MIN_RARE:
        return np.nan, np.nan
    student = scipy.stats.t.ppf((1 + level) / 2, n_positive - LOST_DEGREES)
    tail = float(scipy.stats.norm.cdf(-student * np.sqrt(n_positive / (n_positive - 1))))
    return tail, 1 - tail


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows that a ranking does not distinguish, merged."""

    score: NDArray[np.float64]
    """One entry per cell, in the order of the original scores"""
    positive: NDArray[np.bool_]
    """The class of each cell"""
    cell_of_row: NDArray[np.int64]
    """The cell of each original row"""


def merge_rows(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> Cells:
    """Merge rows of one class that lie between the same two positives."""
    level = np.unique(score, return_inverse=True)[1].reshape(-1)
    has_positive = np.bincount(level, weights=positive) > 0
    starts = np.append(False, has_positive[1:] | has_positive[:-1])
    # Only levels without a positive, next to each other, share a segment.
    segment = np.cumsum(starts)[level]
    first_row, cell_of_row = np.unique(2 * segment + positive, return_index=True, return_inverse=True)[1:]
    return Cells(score[first_row], positive[first_row], cell_of_row.reshape(-1).astype(np.int64))


def resample_totals(
    cells_of_row: Sequence[NDArray[np.int64]],
    positive: NDArray[np.bool_],
    n_resamples: int,
    generator: np.random.Generator,
    *,
    row_weight: NDArray[np.float64] | None = None,
    stratify: bool = True,
) -> Iterator[list[NDArray[Any]]]:
    """Yield batches of resamples: for each way to put rows into cells, the totals, one row per resample.

    Parameters
    ----------
    cells_of_row : sequence of int arrays of shape (n_rows,)
        The cell of each row, in each of the ways. A cell holds rows of one class.
    positive : boolean array of shape (n_rows,)
        The class of each row.
    row_weight : array of shape (n_rows,), optional
        What a drawn row adds to its cells, above zero; one without them.
    stratify : bool, default=True
        Draw each class by itself and keep its size. Otherwise all rows are drawn together, and a resample
        without a positive or without a negative row is drawn again.
    """
    n_cells = [int(cells.max()) + 1 for cells in cells_of_row]
    ends = np.cumsum(n_cells)
    # All totals of a resample lie side by side; positions of 16 bits halve the memory that draws run over.
    dtype = np.uint16 if ends[-1] <= 2**16 else np.uint32
    places = np.stack(cells_of_row, axis=1) + np.append(0, ends[:-1])
    strata = [positive, ~positive] if stratify else [np.ones(len(positive), dtype=bool)]
    samplers = [
        _Stratum(places[rows].astype(dtype), None if row_weight is None else row_weight[rows], ends[-1])
        for rows in strata
    ]
    is_positive = np.zeros(n_cells[0], dtype=bool)
    is_positive[cells_of_row[0][positive]] = True
    max_batch = max(1, BATCH_SIZE // int(ends[-1]))
    remaining = n_resamples
    while remaining > 0:
        shape = (min(max_batch, remaining), ends[-1])
        totals = np.zeros(shape, dtype=np.uint32 if row_weight is None else np.float64)
        for sampler in samplers:
            sampler.draw(generator, totals)
        if not stratify:
            first = totals[:, : n_cells[0]]
            totals = totals[first[:, is_positive].any(axis=1) & first[:, ~is_positive].any(axis=1)]
        remaining -= len(totals)
        yield np.split(totals, ends[:-1], axis=1)


class _Stratum:
    """Rows that are drawn together: large groups of the same cells and weight by number, the rest by row."""

    def __init__(self, places: NDArray[Any], row_weight: NDArray[np.float64] | None, n_totals: int) -> None:
        self._n_rows = len(places)
        columns = [*places.T] if row_weight is None else [*places.T, row_weight]
        order = np.lexsort(columns[::-1])  # stable: rows of a group keep their order
        differs = np.zeros(self._n_rows, dtype=bool)
        for column in columns:
            differs[1:] |= np.diff(column[order]) != 0
        differs[:1] = True
        first_row, group = order[differs], np.cumsum(differs) - 1
        sizes = np.bincount(group)
        is_large = sizes >= ROWS_PER_MULTINOMIAL_COUNT
        rest = np.empty(self._n_rows, dtype=bool)
        rest[order] = ~is_large[group]
        self._places = np.ascontiguousarray(places[rest])
        self._weight = None if row_weight is None else row_weight[rest]
        self._shares = np.append(sizes[is_large], np.count_nonzero(rest)) / self._n_rows
        # What one row of each large group adds to the totals.
        representatives = first_row[is_large]
        n_columns = places.shape[1]
        weight = (
            np.ones(len(representatives), np.int64) if row_weight is None else row_weight[representatives]
        )
        self._added = scipy.sparse.csr_array(
            (
                np.repeat(weight, n_columns),
                places[representatives].ravel().astype(np.int64),
                np.arange(len(representatives) + 1) * n_columns,
            ),
            shape=(len(representatives), n_totals),
        )

    def draw(self, generator: np.random.Generator, totals: NDArray[Any]) -> None:
        """Add one resample to each row of `totals`."""
        n_draws = np.full(len(totals), self._n_rows, dtype=np.int64)
        if self._added.shape[0]:
            counts = generator.multinomial(self._n_rows, self._shares, size=len(totals))
            np.add(totals, counts[:, :-1] @ self._added, out=totals, casting="unsafe")
            n_draws = np.ascontiguousarray(counts[:, -1])
        if len(self._places):
            add_draws(generator.bit_generator, n_draws, self._places, self._weight, totals)
