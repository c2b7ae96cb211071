"""Questions to blocks of rows: small, immutable and safe to pickle."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.arrays import Features, check_features
from drr._checks.numbers import first_nonfinite
from drr._native.threads import resolve_n_threads
from drr.exceptions import NonfiniteRowError
from drr.streaming.block import Block, naming

Vector = NDArray[np.float64]


class Query(abc.ABC):
    """A question to every block. Answers have a method ``merge``."""

    n_threads: int | None = 1

    @abc.abstractmethod
    def answer(self, block: Block) -> Any:
        """Return the answer of one block, which may have no rows."""

    def with_threads(self, n_threads: int) -> Query:
        """Return the same question, to be answered by that many threads."""
        return self

    def tightened(self, answer: Any) -> Query:
        """Return the same question, given what other blocks have answered: it may save work, and changes no result."""
        return self


@dataclass(frozen=True, eq=False)
class Request(Query):
    """A question about rows of numbers: all that another map-reduce engine needs to know of the solvers."""

    target: Vector
    """μ₁: rows are shifted by it, aᵢ = φᵢ − μ₁"""
    n_threads: int | None = field(default=None, kw_only=True)
    """of each call; None for the limits of the process that answers"""

    def __call__(self, rows: Any, number: int, weights: Any = None) -> Any:
        """Return the answer of one block.

        Parameters
        ----------
        rows : array or CSR matrix of shape (n_rows, n_columns)
            May have no rows.
        number : int
            The number of the block in the whole, from 0.
        weights : array of shape (n_rows,), optional
            Base weights, not normalised; one on every row by default. A zero marks an absent row.
        """
        block = Block(rows, number, weights=weights)
        with naming(block):
            return self.answer(block)

    def answer(self, block: Block) -> Any:
        n_columns = len(self.target)
        shape = np.shape(block.rows)
        if len(shape) == 2 and shape[1] != n_columns:
            raise ValueError(
                f"a block has {shape[1]} columns, but {n_columns} are expected; all blocks must have the same columns"
            )
        if len(shape) == 2 and shape[0] == 0:
            return self._of_nothing(np.zeros((0, n_columns)), block.number, 0)
        rows = check_features(block.rows, "rows")
        weights = block.check_weights()
        if weights is not None and not weights.any():
            return self._of_nothing(rows[:0], block.number, len(block))
        try:
            return self._of_rows(rows, block.number, weights)
        except ValueError:
            found = first_nonfinite(rows)
            if found is None:
                raise
            what, row, column = found
            raise NonfiniteRowError(what, block.number, row, column) from None

    def with_threads(self, n_threads: int) -> Request:
        return replace(self, n_threads=n_threads)

    @abc.abstractmethod
    def _of_rows(self, rows: Features, number: int, weights: Vector | None) -> Any:
        """Return the answer of a block with rows."""

    @abc.abstractmethod
    def _of_nothing(self, no_rows: Features, number: int, n_rows: int) -> Any:
        """Return the answer of a block whose `n_rows` rows are all absent."""

    def _threads(self) -> int:
        return resolve_n_threads(self.n_threads)
