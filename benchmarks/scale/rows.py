"""Generated rows on disk: skewed and correlated columns, written block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from drr.streaming.sources import NpySource

BLOCK_ROWS = 200_000
N_COLUMNS = 100


def make_rows(n_rows: int, seed: int, n_columns: int = N_COLUMNS) -> np.ndarray:
    """Half of the columns are skewed, all share two factors."""
    rng = np.random.default_rng(seed)
    loadings = np.random.default_rng(0).standard_normal((2, n_columns)).astype(np.float32)
    rows = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    rows += 0.3 * rng.standard_normal((n_rows, 2), dtype=np.float32) @ loadings
    half = n_columns // 2
    rows[:, :half] = np.exp(0.5 * rows[:, :half])
    return rows / np.float32(np.sqrt(n_columns))


def make_targets(n_columns: int = N_COLUMNS) -> dict[str, np.ndarray]:
    """The mean of a rare class that is shifted along all columns: a little, and so far that no weights reach it."""
    rare = make_rows(2000, 10**6, n_columns).astype(np.float64).mean(axis=0)
    inside, outside = (np.random.default_rng(seed).standard_normal(n_columns) for seed in (1, 7))
    near = rare + 0.25 * inside / np.sqrt(n_columns)
    return {"inside the hull": near, "outside the hull": near + outside / np.sqrt(n_columns)}


def write_rows(path: Path, n_rows: int, n_columns: int = N_COLUMNS, dtype: Any = np.float32) -> None:
    """A .npy file; one that is there already is left."""
    if path.exists():
        return
    draft = path.with_suffix(".draft")  # one that was interrupted is not taken for the whole
    rows = np.lib.format.open_memmap(draft, "w+", np.dtype(dtype), (n_rows, n_columns))
    for seed, begin in enumerate(range(0, n_rows, BLOCK_ROWS)):
        end = min(n_rows, begin + BLOCK_ROWS)
        rows[begin:end] = make_rows(end - begin, seed, n_columns)
    rows.flush()
    draft.rename(path)


def first_rows(path: Path, n_rows: int) -> NpySource:
    """The first rows of a file, read in passes."""
    rows = np.load(path, mmap_mode="r")
    return NpySource(path, _layout=(rows.offset, (n_rows, rows.shape[1]), rows.dtype))
