"""Rows in the feature map, pass by pass: embedded anew each time, or once into a file, whichever is cheaper.

Embedding anew needs no disk; a file is read at the speed of the disk. Both are measured on the first block. The
features are the same numbers either way.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn import config_context

from drr._checks.tables import take_rows
from drr.streaming.raw_rows import DaskRows, LocalRows
from drr.streaming.runner import LocalRunner
from drr.streaming.sources import open_rows

_MOST_OF_THE_DISK = 0.5  # of what is free
_WORTHWHILE = 0.8  # a file must be read in less than this share of the time of embedding


def embed(feature_map: Any, rows: Any) -> Any:
    """Features as an array or CSR matrix."""
    with config_context(transform_output="default"):  # a frame would be converted back at once
        return feature_map.transform(rows)


@dataclass(frozen=True, eq=False)
class Embedded:
    """A request to features, put to raw rows: those of other classes than `rare` are embedded first."""

    request: Any
    feature_map: Any
    rare: Any

    def __call__(self, block: Any, number: int, y: Any = None, weights: Any = None) -> Any:
        features, d, _ = split_block(self.feature_map, block, y, weights, self.rare, len(self.request.target))
        return self.request(features, number, d)


@dataclass(frozen=True, eq=False)
class Means:
    """The means of the rare class and of the others in the feature map."""

    rare: NDArray[np.float64]
    rare_weight: float
    other: NDArray[np.float64]
    other_weight: float

    def merge(self, other: Means) -> Means:
        return Means(
            *_joined(self.rare, self.rare_weight, other.rare, other.rare_weight),
            *_joined(self.other, self.other_weight, other.other, other.other_weight),
        )


@dataclass(frozen=True, eq=False)
class MeasureMeans:
    """The pass that finds the target."""

    feature_map: Any
    rare: Any
    n_columns: int

    def __call__(self, block: Any, number: int, y: Any = None, weights: Any = None) -> Means:
        features, d, positive = split_block(self.feature_map, block, y, weights, self.rare, self.n_columns)
        rare_rows = np.flatnonzero(positive)
        rare: Any = np.zeros((0, self.n_columns))
        if len(rare_rows):
            rare = embed(self.feature_map, take_rows(block, rare_rows))
        v = None if weights is None else np.asarray(weights, dtype=np.float64)[rare_rows]
        return Means(*_mean(rare, v), *_mean(features, d))


def split_block(
    feature_map: Any, block: Any, y: Any, weights: Any, rare: Any, n_columns: int
) -> tuple[Any, NDArray[np.float64] | None, NDArray[np.bool_]]:
    """(features of the majority rows, their weights, which rows are of the rare class)"""
    positive = np.asarray(np.asarray(y) == rare).reshape(-1)
    if len(positive) != block.shape[0]:
        raise ValueError(f"a block has {block.shape[0]} rows, but {len(positive)} labels")
    d = None
    if weights is not None:
        d = np.asarray(weights, dtype=np.float64)
        if not np.isfinite(d).all() or (d < 0).any():
            raise ValueError("sample_weight must be finite and not negative")
        d = d[~positive]
    majority = np.flatnonzero(~positive)
    if not len(majority):
        return np.zeros((0, n_columns)), d, positive
    return embed(feature_map, take_rows(block, majority)), d, positive


class EmbeddedRunner:
    """Passes over the features of the majority, from raw rows."""

    def __init__(
        self,
        rows: LocalRows | DaskRows,
        feature_map: Any,
        rare: Any,
        n_columns: int,
        n_majority: int,
        weighted: bool,
    ) -> None:
        self._rows, self._map, self._rare = rows, feature_map, rare
        self.n_columns, self.n_rows = n_columns, n_majority
        self.has_weights = weighted

    def run_pass(self, request: Any) -> Any:
        """The merged answer of all blocks."""
        return self._rows.run(Embedded(request, self._map, self._rare))

    def fingerprint(self) -> str | None:
        make = getattr(self._rows, "fingerprint", None)
        return None if make is None else make()

    @contextlib.contextmanager
    def stored(self, storage: Any) -> Iterator[Any]:
        """This runner, or one that reads a file of the features; `storage` is "auto", None or a directory."""
        directory = self._directory(storage)
        if directory is None:
            yield self
            return
        with tempfile.TemporaryDirectory(prefix="drr-features-", dir=directory) as folder:
            yield StoredRunner(self, Path(folder) / "features.npy")

    def _directory(self, storage: Any) -> Path | None:
        """Where to store the features, or None where they are to be embedded anew."""
        if storage is None or isinstance(self._rows, DaskRows):
            return None
        directory = Path(tempfile.gettempdir() if storage == "auto" else storage)
        if not directory.is_dir():
            raise FileNotFoundError(f"feature_storage: there is no directory {directory}")
        first = next(self._features(), None)
        if first is None or scipy.sparse.issparse(first[0]):
            return None
        if storage == "auto" and not self._is_worthwhile(directory):
            return None
        return directory

    def _is_worthwhile(self, directory: Path) -> bool:
        began = time.perf_counter()
        features, _ = next(self._features())
        embedding = time.perf_counter() - began
        needed = self.n_rows * self.n_columns * features.itemsize
        if needed > _MOST_OF_THE_DISK * shutil.disk_usage(directory).free:
            return False
        return _reading_time(features, directory) < _WORTHWHILE * embedding

    def _features(self) -> Iterator[tuple[Any, NDArray[np.float64] | None]]:
        assert isinstance(self._rows, LocalRows)
        for block, _, y, weights, _ in self._rows._parts():
            features, d, _ = split_block(self._map, block, y, weights, self._rare, self.n_columns)
            if features.shape[0]:
                yield features, d


class StoredRunner:
    """Passes over features that are embedded once into a file."""

    def __init__(self, embedded: EmbeddedRunner, path: Path) -> None:
        dtype = next(embedded._features())[0].dtype
        shape = (embedded.n_rows, embedded.n_columns)
        weights: list[NDArray[np.float64]] = []
        with open(path, "wb") as file:
            header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for features, d in embedded._features():
                file.write(np.ascontiguousarray(features).data)
                if d is not None:
                    weights.append(d)
        self._runner = LocalRunner(open_rows(path), np.concatenate(weights) if weights else None)
        self._embedded = embedded
        self.n_columns, self.n_rows, self.has_weights = (
            embedded.n_columns,
            embedded.n_rows,
            embedded.has_weights,
        )

    def run_pass(self, request: Any) -> Any:
        """The merged answer of all blocks."""
        return self._runner.run_pass(request)

    def fingerprint(self) -> str | None:
        own = self._embedded.fingerprint()
        return None if own is None else f"{own} stored"  # in other blocks than the rows


def _reading_time(features: NDArray[Any], directory: Path) -> float:
    """Seconds to read as many bytes from the disk, past its cache where the system lets us."""
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


def _mean(features: Any, weights: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], float]:
    d = np.ones(features.shape[0]) if weights is None else weights
    total = float(d.sum())
    if not total:
        return np.zeros(features.shape[1]), 0.0
    return np.asarray(features.T @ d, dtype=np.float64).ravel() / total, total


def _joined(
    a: NDArray[np.float64], a_weight: float, b: NDArray[np.float64], b_weight: float
) -> tuple[NDArray[np.float64], float]:
    total = a_weight + b_weight
    share = b_weight / total if total else 0.0
    return (1 - share) * a + share * b, total
