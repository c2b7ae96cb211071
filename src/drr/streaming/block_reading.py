"""The blocks of a source for work on them: read ahead by one thread, or read and worked on by several at once."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from drr.streaming.sources import ArraySource, BlockReader

_AHEAD = 1  # blocks waiting; the buffers of a source are two more

Work = Callable[[Any, int, int], Any]
"""of a block, its number, and the number of its first row among all"""


def work_on_blocks(source: Any, work: Work, n_threads: int) -> Generator[Any, None, None]:
    """Yield the results of `work` on each block, in their order."""
    if works_at_once(source, n_threads):
        return _at_once(source, work, n_threads)
    return _in_turn(source, work)


def works_at_once(source: Any, n_threads: int) -> bool:
    """Return whether every thread works on its own block: the source must allow reading in any order."""
    return n_threads > 1 and isinstance(source, BlockReader) and source.n_blocks >= n_threads


def _in_turn(source: Any, work: Work) -> Generator[Any, None, None]:
    begin = 0
    for number, block in enumerate(read_ahead(source)):
        yield work(block, number, begin)
        begin += block.shape[0]


def _at_once(source: BlockReader, work: Work, n_threads: int) -> Generator[Any, None, None]:
    """Read and work in every thread: while one waits for the disk, others compute on what is in their cache."""
    waiting: deque[Future[Any]] = deque()
    with source.reading() as read, ThreadPoolExecutor(n_threads, "drr-blocks") as pool:

        def read_and_work(number: int) -> Any:
            return work(read(number), number, number * source.block_rows)

        try:
            for number in range(source.n_blocks):
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(read_and_work, number))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()


def read_ahead(source: Any) -> Iterator[Any]:
    """Yield the blocks of a source, read by another thread while the caller works on the previous one."""
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
