"""Private memory of this process while something runs, and files out of the page cache."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time
from pathlib import Path

import numpy as np

MEGABYTE = 2**20


def private_bytes() -> int:
    """Memory that belongs to this process alone: pages of files that are mapped or cached do not count."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel reports no anonymous memory")


class PeakMemory:
    """The largest private memory while the block runs, sampled every few milliseconds."""

    def __init__(self, interval: float = 0.02) -> None:
        self._interval = interval
        self._done = threading.Event()
        self.before = self.peak = 0

    def __enter__(self) -> PeakMemory:
        self.before = self.peak = private_bytes()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.is_set():
            self.peak = max(self.peak, private_bytes())
            time.sleep(self._interval)


def forget(path: Path) -> None:
    """Drop the file from the page cache."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def cached_share(path: Path) -> float:
    """How much of the file is in the page cache."""
    size = path.stat().st_size
    with open(path, "rb") as file, mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ) as pages:
        n_pages = -(-size // mmap.PAGESIZE)
        resident = (ctypes.c_ubyte * n_pages)()
        address = np.frombuffer(pages, np.uint8).ctypes.data
        if ctypes.CDLL(None, use_errno=True).mincore(
            ctypes.c_void_p(address), ctypes.c_size_t(size), resident
        ):
            raise OSError(ctypes.get_errno(), "mincore")
        return float(np.frombuffer(resident, np.uint8).__and__(1).mean())


def read_plainly(path: Path, block_bytes: int = 8 * MEGABYTE) -> float:
    """Seconds of one sequential read of the whole file into one buffer."""
    buffer = memoryview(bytearray(block_bytes))
    began = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return time.perf_counter() - began
