"""Passes over a source in this process."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._native.threads import resolve_n_threads
from drr.exceptions import NonfiniteRowError
from drr.streaming.block_reading import work_on_blocks, works_at_once
from drr.streaming.passes import Merging
from drr.streaming.sources import ArraySource
from drr.streaming.sources.watched_file import digest


class LocalRunner:
    """Puts requests to the blocks of a source, in order."""

    def __init__(self, source: Any, weights: NDArray[np.float64] | None = None) -> None:
        self.source = source
        self.n_columns = source.n_columns
        self.n_rows = source.n_rows
        self.has_weights = weights is not None
        self._weights = weights

    def run_pass(self, request: Any) -> Any:
        """The merged answer of all blocks."""
        n_threads = resolve_n_threads(request.n_threads)
        request = dataclasses.replace(request, n_threads=self._threads_per_block(request, n_threads))

        def ask(block: Any, number: int, begin: int) -> Any:
            try:
                return request(block, number, self._part(begin, begin + block.shape[0]))
            except NonfiniteRowError as error:
                raise self._located(error, begin) from None

        merging = Merging()
        n_rows = 0
        with contextlib.closing(work_on_blocks(self.source, ask, n_threads)) as answers:
            for answer in answers:
                n_rows += answer.n_rows
                if merging.add(answer):
                    request = request.tightened(merging.total)
        if self._weights is not None and n_rows != len(self._weights):
            raise ValueError(f"base_weights has {len(self._weights)} entries, but there are {n_rows} rows")
        return merging.whole()

    def _threads_per_block(self, request: Any, n_threads: int) -> int:
        if works_at_once(self.source, n_threads):
            return 1
        if request.n_threads is None and not isinstance(self.source, ArraySource):
            # The reader needs a processor of its own: on two, computing with both is slower than with one.
            return max(1, n_threads - 1)
        return n_threads

    def _part(self, begin: int, end: int) -> NDArray[np.float64] | None:
        if self._weights is None:
            return None
        if end > len(self._weights):
            raise ValueError(
                f"base_weights has {len(self._weights)} entries, but there are at least {end} rows"
            )
        return np.asarray(self._weights[begin:end], dtype=np.float64)

    def _located(self, error: NonfiniteRowError, begin: int) -> NonfiniteRowError:
        where = f"{name_of_block(self.source, error.block)}; this is row {begin + error.row} of all"
        return NonfiniteRowError(error.what, error.block, error.row, error.column, where)

    def fingerprint(self) -> str | None:
        """Identifies the rows without reading them all; None where the source cannot."""
        return fingerprint_of(self.source, self._weights)


@contextlib.contextmanager
def named_block(source: Any, number: int, begin: int, counted: str = "from its beginning") -> Iterator[None]:
    """Errors about a block say which it is, by file where the source knows it, and how rows are counted there."""
    try:
        yield
    except NonfiniteRowError as error:
        where = f"{name_of_block(source, number)}; the block begins at row {begin} of all"
        raise NonfiniteRowError(error.what, number, error.row, error.column, where) from None
    except (ValueError, TypeError) as error:
        place = f"block {number}{name_of_block(source, number)}, which begins at row {begin} of all"
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{error} (in {place}; rows are counted {counted})") from error


def fingerprint_of(source: Any, *vectors: NDArray[Any] | None) -> str | None:
    """Identifies rows with what is given beside them, by that of the source; None where it has none."""
    make = getattr(source, "fingerprint", None)
    own = None if make is None else make()
    return None if own is None else digest(own, *vectors)


def name_of_block(source: Any, block: int) -> str:
    """Where a block comes from, for messages; empty where the source does not say."""
    return str(source.name_of(block)) if hasattr(source, "name_of") else ""
