"""A block of rows with what belongs to it, and errors that say which block they are about."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.exceptions import NonfiniteRowError


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a dataset, with their labels and weights if there are any."""

    rows: Any
    """array, CSR matrix or data frame"""
    number: int
    """of the block in the whole, from 0"""
    first_row: int | None = None
    """the number of its first row in the whole; None on a cluster, which does not count rows"""
    y: Any = None
    weights: Any = None

    def __post_init__(self) -> None:
        for name, vector in (("labels", self.y), ("weights", self.weights)):
            if vector is not None and np.shape(vector) != (len(self),):
                raise ValueError(f"a block has {len(self)} rows, but {name} of shape {np.shape(vector)}")

    def __len__(self) -> int:
        return int(np.shape(self.rows)[0])

    def check_weights(self) -> NDArray[np.float64] | None:
        """Return the weights as aligned doubles, or raise if one is negative or not finite."""
        if self.weights is None:
            return None
        weights = aligned(self.weights)
        bad = ~np.isfinite(weights) | (weights < 0)
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(f"weights must be finite and not negative, got {weights[row]} in row {row}")
        return weights


@contextlib.contextmanager
def naming(block: Block, place: str = "", *, has_all_rows: bool = True) -> Iterator[None]:
    """Add the number of the block and its place to errors about it.

    `has_all_rows` is False if the error may count the rows of a part of the block.
    """
    begins = "" if block.first_row is None else f", which begins at row {block.first_row} of all"
    try:
        yield
    except NonfiniteRowError as error:
        where = place
        if block.first_row is not None and has_all_rows:
            where += f"; this is row {block.first_row + error.row} of all"
        elif block.first_row is not None:
            where += f"; the block begins at row {block.first_row} of all"
        raise NonfiniteRowError(error.what, block.number, error.row, error.column, where) from None
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"{error} (in block {block.number}{place}{begins}; rows are counted from its beginning)"
        ) from error


def aligned(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """Return the same numbers, aligned for the kernels: what came over a network may start at any address."""
    return np.require(values, dtype=dtype, requirements=["C", "A"])
