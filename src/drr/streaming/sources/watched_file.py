"""Files that are read in every pass and must stay as they are: one that is cut short or changes is noticed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from drr.exceptions import SourceChangedError

BLOCK_BYTES = 4 * 2**20  # a few of them stay in the last-level cache between reading and computing


class WatchedFile:
    """A file that must stay as it is from its opening on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stat = self._look()

    def _look(self) -> tuple[int, int, int]:
        stat = os.stat(self.path)
        # The time of modification can be set to anything, for example by a copy that keeps it. That of the last change
        # of the entry cannot. (The number of the inode can change by itself on file systems of the network.)
        return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns

    @property
    def size(self) -> int:
        return self._stat[0]

    @property
    def identity(self) -> tuple[int, int, int]:
        """What differs after the file is written or replaced: its size and its times."""
        return self._stat

    def check(self) -> None:
        """Raise if the file is no longer the one that was opened."""
        try:
            now = self._look()
        except OSError as error:
            raise SourceChangedError(
                f"{self.path} cannot be read any more: {error.strerror or error}"
            ) from error
        if now != self._stat:
            raise SourceChangedError(
                f"{self.path} changed during the fit: it had {self._stat[0]} bytes when it was opened and has {now[0]} "
                "now, or was written again or replaced; each pass must see the same rows"
            )


def rows_per_block(block_rows: int | None, bytes_per_row: int) -> int:
    if block_rows is None:
        return max(1, BLOCK_BYTES // max(1, bytes_per_row))
    if block_rows < 1:
        raise ValueError(f"block_rows must be at least 1, got {block_rows}")
    return int(block_rows)


def digest(*parts: Any) -> str:
    """Return a fingerprint of arrays, by all of their bytes, and of anything else, by what it prints as."""
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.kind != "O":
            state.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        else:
            state.update(repr(part.tolist() if isinstance(part, np.ndarray) else part).encode())
        state.update(b"|")
    return state.hexdigest()
