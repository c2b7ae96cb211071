"""Features in a file: embedded once and read in every pass, if that is faster than embedding them again.

Both are measured on the first block. The features are the same numbers either way.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from drr.streaming.block import Block
from drr.streaming.dataset import Dataset, LocalDataset
from drr.streaming.sources.npy import NpySource
from drr.streaming.sources.watched_file import digest

_MAX_SHARE_OF_DISK = 0.5  # of what is free
_WORTHWHILE = 0.8  # a file must be read in less than this share of the time of embedding


class FeatureFile(NpySource):
    """A temporary file of features, identified by the rows that it was made of."""

    def __init__(self, path: Path, made_of: str | None) -> None:
        super().__init__(path)
        self._made_of = made_of

    def fingerprint(self) -> str | None:  # type: ignore[override]
        return None if self._made_of is None else digest("stored", self._made_of)


@contextlib.contextmanager
def stored_features(features: Dataset, storage: Any) -> Iterator[Dataset]:
    """Yield the features, or the same in a temporary file; `storage` is "auto", None or a directory."""
    if storage is None or not isinstance(features, LocalDataset):
        yield features
        return
    directory = Path(tempfile.gettempdir() if storage == "auto" else storage)
    if not directory.is_dir():
        raise FileNotFoundError(f"feature_storage: there is no directory {directory}")
    first = next(_with_rows(features), None)
    if (
        first is not None
        and not scipy.sparse.issparse(first.rows)
        and (storage != "auto" or _is_worthwhile(features, first.rows, directory))
    ):
        with tempfile.TemporaryDirectory(prefix="drr-features-", dir=directory) as folder:
            yield _write(features, first.rows.dtype, Path(folder) / "features.npy")
    else:
        yield features


def _with_rows(features: LocalDataset) -> Iterator[Block]:
    return (block for block in features.blocks() if len(block))


def _write(features: LocalDataset, dtype: np.dtype[Any], path: Path) -> LocalDataset:
    weights: list[NDArray[np.float64]] = []
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": (features.n_rows, features.n_columns),
    }
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for block in _with_rows(features):
            file.write(np.ascontiguousarray(block.rows).data)
            if block.weights is not None:
                weights.append(block.weights)
    return LocalDataset(
        FeatureFile(path, features.fingerprint()), weights=np.concatenate(weights) if weights else None
    )


def _is_worthwhile(features: LocalDataset, first: NDArray[Any], directory: Path) -> bool:
    assert features.n_rows is not None
    needed = features.n_rows * features.n_columns * first.itemsize
    if needed > _MAX_SHARE_OF_DISK * shutil.disk_usage(directory).free:
        return False
    began = time.perf_counter()
    next(_with_rows(features))
    embedding_time = time.perf_counter() - began
    return _reading_time(first, directory) < _WORTHWHILE * embedding_time


def _reading_time(features: NDArray[Any], directory: Path) -> float:
    """Measure the seconds to read as many bytes from the disk, past its cache if the system lets us."""
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        file.write(np.ascontiguousarray(features).data)
        file.flush()
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        into = np.empty_like(features)
        began = time.perf_counter()
        file.readinto(into.reshape(-1).view(np.uint8).data)
        return time.perf_counter() - began
