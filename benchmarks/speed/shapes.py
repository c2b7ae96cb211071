"""Seven seeded problems with the shapes of the study's feature maps: majority rows Φ, minority mean μ₁.

Continuous columns are correlated Gaussians with a shifted, wider minority; the blocks are those of the
paper's maps: standardised columns divided by their largest row norm, √(2/D)·cos random features, one-hot
pairs divided by the square root of the number of variables, each times 1/√B for B blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """Rows to rake, and the mean they shall reach."""

    name: str
    features: Array
    target: Array


def _continuous(rng: np.random.Generator, n_rows: int, n_columns: int, shift: float, wide: float) -> Array:
    """Correlated columns: a few common factors plus noise; the shift lies along the first factor."""
    n_factors = max(1, min(n_columns, 12))
    loadings = np.random.default_rng(n_columns).normal(size=(n_factors, n_columns)) / np.sqrt(n_factors)
    factors = wide * rng.normal(size=(n_rows, n_factors))
    factors[:, 0] += shift
    return factors @ loadings + 0.5 * wide * rng.normal(size=(n_rows, n_columns))


def _map_continuous(majority: Array, minority: Array, n_random: int, n_blocks: int) -> tuple[Array, Array]:
    """The linear and random-feature blocks of both classes; the map is fitted on all rows."""
    both = np.vstack([majority, minority])
    mean, scale = both.mean(axis=0), both.std(axis=0)
    standardised = (both - mean) / scale
    linear = standardised / np.linalg.norm(standardised, axis=1).max()
    blocks = [linear]
    if n_random:
        sample = standardised[:: max(1, len(standardised) // 500)]
        squares = (sample**2).sum(axis=1)
        distances = squares[:, None] + squares - 2 * sample @ sample.T
        gamma = 1 / (2 * np.median(distances[np.triu_indices(len(sample), 1)]))
        rng = np.random.default_rng(20240725)
        frequencies = rng.normal(size=(both.shape[1], n_random)) * np.sqrt(2 * gamma)
        phases = rng.uniform(0, 2 * np.pi, n_random)
        blocks.append(np.sqrt(2 / n_random) * np.cos(standardised @ frequencies + phases))
    features = np.hstack(blocks) / np.sqrt(n_blocks)
    return features[: len(majority)], features[len(majority) :]


def _numeric_problem(
    name: str, n_rows: int, n_minority: int, n_columns: int, n_random: int, shift: float, seed: int
) -> Problem:
    rng = np.random.default_rng(seed)
    majority = _continuous(rng, n_rows, n_columns, 0.0, 1.0)
    minority = _continuous(rng, n_minority, n_columns, shift, 1.3)
    majority, minority = _map_continuous(majority, minority, n_random, 2 if n_random else 1)
    return Problem(name, np.ascontiguousarray(majority), minority.mean(axis=0))


def _binary_problem(name: str, n_rows: int, n_minority: int, n_variables: int, seed: int) -> Problem:
    """One-hot pairs [x, 1−x] of correlated binary variables."""
    rng = np.random.default_rng(seed)
    thresholds = rng.normal(size=n_variables)

    def encode(latent: Array) -> Array:
        bits = (latent > thresholds).astype(float)
        return np.stack([bits, 1 - bits], axis=2).reshape(len(latent), -1) / np.sqrt(n_variables)

    majority = encode(_continuous(rng, n_rows, n_variables, 0.0, 1.0))
    minority = encode(_continuous(rng, n_minority, n_variables, 1.5, 1.0))
    return Problem(name, majority, minority.mean(axis=0))


SHAPES: dict[str, Callable[[], Problem]] = {
    "mammography": lambda: _numeric_problem("mammography", 3823, 91, 6, 128, 2.0, 1),
    "isolet": lambda: _numeric_problem("isolet", 2520, 210, 617, 128, 1.5, 2),
    "compustat": lambda: _numeric_problem("compustat", 4595, 183, 20, 512, 1.5, 3),
    "phoss": lambda: _binary_problem("phoss", 3780, 215, 480, 4),
    "genes": lambda: _numeric_problem("genes", 500, 60, 11063, 0, 1.5, 5),
    "tall": lambda: _numeric_problem("tall", 100_000, 2000, 88, 512, 4.0, 6),
    "huge": lambda: _numeric_problem("huge", 1_000_000, 10_000, 22, 128, 5.0, 7),
}
"""Name → maker, in the order of the tables: (n0, K) = (3823, 134), (2520, 745), (4595, 532), (3780, 960),
(500, 11063), (100000, 600) and (1000000, 150)."""


def make_problem(name: str) -> Problem:
    """The problem of that name; the same bits on every call."""
    return SHAPES[name]()
