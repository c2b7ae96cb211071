"""Passes over a source in this process: one thread reads ahead while the kernels compute."""

from __future__ import annotations

import dataclasses
import queue
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._threads import resolve_n_threads
from drr._watched_file import digest
from drr.passes import Merging, NonfiniteRowError
from drr.sources import ArraySource

_AHEAD = 1  # blocks waiting; the buffers of a source are two more


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
        if request.n_threads is None and not isinstance(self.source, ArraySource):
            # The reader needs a processor of its own: on two, computing with both is slower than with one.
            request = dataclasses.replace(request, n_threads=max(1, resolve_n_threads(None) - 1))
        begin = 0
        merging = Merging()
        for number, block in enumerate(read_ahead(self.source)):
            n_rows = block.shape[0]
            d = self._part(begin, begin + n_rows)
            try:
                answer = request(block, number, d)
            except NonfiniteRowError as error:
                raise self._located(error, begin) from None
            if merging.add(answer):
                request = request.tightened(merging.total)
            begin += n_rows
        if self._weights is not None and begin != len(self._weights):
            raise ValueError(f"base_weights has {len(self._weights)} entries, but there are {begin} rows")
        return merging.whole()

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


def fingerprint_of(source: Any, *vectors: NDArray[Any] | None) -> str | None:
    """Identifies rows with what is given beside them, by that of the source; None where it has none."""
    make = getattr(source, "fingerprint", None)
    own = None if make is None else make()
    return None if own is None else digest(own, *vectors)


def name_of_block(source: Any, block: int) -> str:
    """Where a block comes from, for messages; empty where the source does not say."""
    return str(source.name_of(block)) if hasattr(source, "name_of") else ""


def read_ahead(source: Any) -> Iterator[Any]:
    """The blocks of a source, read by a thread of their own while the caller works on the one before."""
    if isinstance(source, ArraySource):  # nothing to wait for
        yield from source.blocks()
        return
    waiting: queue.Queue[Any] = queue.Queue(_AHEAD)
    stop = threading.Event()
    end = object()

    def put(item: Any) -> bool:
        while not stop.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def read() -> None:
        try:
            blocks = source.blocks()
            for block in blocks:
                if not put(block):
                    blocks.close()
                    return
            put(end)
        except BaseException as error:  # handed to the caller's thread, which raises it
            put(error)

    reader = threading.Thread(target=read, name="drr-read-ahead", daemon=True)
    reader.start()
    try:
        while True:
            item = waiting.get()
            if item is end:
                return
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        reader.join()
