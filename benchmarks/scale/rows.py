"""Generated rows on disk: skewed and correlated columns, written block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np

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


def make_target(n_columns: int = N_COLUMNS) -> np.ndarray:
    """The mean of a rare class that is shifted along all columns."""
    rare = make_rows(2000, 10**6, n_columns).astype(np.float64)
    return rare.mean(axis=0) + 0.25 * np.random.default_rng(1).standard_normal(n_columns) / np.sqrt(n_columns)


def write_rows(path: Path, n_rows: int, n_columns: int = N_COLUMNS) -> None:
    """A .npy file of float32."""
    if path.exists():
        return
    rows = np.lib.format.open_memmap(path, "w+", np.float32, (n_rows, n_columns))
    for seed, begin in enumerate(range(0, n_rows, BLOCK_ROWS)):
        end = min(n_rows, begin + BLOCK_ROWS)
        rows[begin:end] = make_rows(end - begin, seed, n_columns)
    rows.flush()
