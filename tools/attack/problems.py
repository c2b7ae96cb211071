"""Raking problems drawn to be awkward: one function per regime, every problem rebuilt from its regime and seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Generator = np.random.Generator
Draw = tuple[NDArray[np.float64], NDArray[np.float64]]

ETAS = [1.0, 0.5, 0.2, 0.05, 0.05, 0.05, 0.01, 1e-3, 1e-4]


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, a target and base weights, in the form in which they are handed over and in plain double precision."""

    name: str
    """regime and seed: `make_problem(*name.split(":"))` draws it again"""
    features: Any
    """what the library gets: float64 or float32, C or Fortran order, or CSR"""
    rows: NDArray[np.float64]
    """the same numbers as a dense float64 array"""
    target: NDArray[np.float64]
    base_weights: NDArray[np.float64] | None
    eta: float


def make_problem(regime: str, seed: int | str) -> Problem:
    """Draw the problem of that regime and seed, in a form drawn with it."""
    rng = np.random.default_rng([list(REGIMES).index(regime), int(seed)])
    rows, target = REGIMES[regime](rng)
    eta = float(rng.choice(ETAS))
    if regime == "small eta":
        eta = float(10 ** rng.uniform(-4, -2))
    weights = _draw_weights(rng, len(rows)) if regime == "weighted" or rng.uniform() < 0.25 else None
    features = _in_some_form(rng, rows, force_sparse=regime == "sparse")
    plain = np.asarray(features.todense() if scipy.sparse.issparse(features) else features, dtype=np.float64)
    return Problem(f"{regime}:{seed}", features, plain, target, weights, eta)


def _shape(rng: Generator, most_rows: int = 120, most_columns: int = 12) -> tuple[int, int]:
    return int(rng.integers(2, most_rows + 1)), int(rng.integers(1, most_columns + 1))


def _inside(rng: Generator, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rng.dirichlet(np.full(len(rows), rng.choice([0.1, 1.0, 10.0]))) @ rows


def _interior(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng))
    return rows, _inside(rng, rows)


def _outside(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng))
    return rows, _inside(rng, rows) + rng.choice([0.3, 3.0, 100.0]) * rng.normal(size=rows.shape[1])


def _face(rng: Generator) -> Draw:
    """Some rows share the largest first coordinate, and the target is a mean of those."""
    rows = rng.normal(size=_shape(rng))
    on_face = rng.uniform(size=len(rows)) < rng.choice([0.1, 0.5])
    on_face[0] = True
    rows[on_face, 0] = rows[:, 0].max() + rng.choice([0.0, 1.0])
    return rows, _inside(rng, rows[on_face])


def _vertex(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng))
    extreme = int(np.argmax(rows @ rng.normal(size=rows.shape[1])))
    return rows, rows[extreme] * rng.choice([1.0, 1.0, 1.0 + 1e-9, 1.1])


def _wide(rng: Generator) -> Draw:
    n_rows = int(rng.integers(2, 31))
    rows = rng.normal(size=(n_rows, int(rng.integers(n_rows + 1, 161))))
    return rows, _inside(rng, rows) + rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=rows.shape[1])


def _sparse(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng, 120, 40))
    rows[rng.uniform(size=rows.shape) > rng.uniform(0.02, 0.5)] = 0
    return rows, _inside(rng, rows) + rng.choice([0.0, 0.05]) * rng.normal(size=rows.shape[1])


def _duplicated(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng, 30))
    rows = rng.permutation(np.repeat(rows, rng.integers(1, 6, size=len(rows)), axis=0))
    return rows, _inside(rng, rows) + rng.choice([0.0, 0.5]) * rng.normal(size=rows.shape[1])


def _tiny(rng: Generator) -> Draw:
    rows = rng.normal(size=(int(rng.integers(1, 5)), int(rng.integers(1, 8))))
    return rows, _inside(rng, rows) + rng.choice([0.0, 1e-6, 0.3]) * rng.normal(size=rows.shape[1])


def _huge_scales(rng: Generator) -> Draw:
    """All numbers of one extreme size, from near the smallest whose squares are normal to the largest."""
    rows, target = REGIMES[str(rng.choice(["interior", "outside", "face", "vertex", "one-hot"]))](rng)
    scale = 10.0 ** rng.uniform(-140, 140)
    return rows * scale, target * scale


def _column_scales(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng))
    scales = 10.0 ** rng.uniform(-6, 3, size=rows.shape[1])
    target = _inside(rng, rows) + rng.choice([0.0, 0.2]) * rng.normal(size=rows.shape[1])
    return rows * scales, target * scales


def _far_from_origin(rng: Generator) -> Draw:
    rows = rng.normal(size=_shape(rng)) + 10.0 ** rng.uniform(0, 6)
    return rows, _inside(rng, rows) + rng.choice([0.0, 0.3]) * rng.normal(size=rows.shape[1])


def _nearly_infeasible(rng: Generator) -> Draw:
    """A target a hair inside or outside the hull."""
    rows, target = REGIMES[str(rng.choice(["face", "vertex", "one-hot"]))](rng)
    outward = target - rows.mean(axis=0)
    return rows, target + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-14, -3) * outward


def _one_hot(rng: Generator) -> Draw:
    """Indicator columns of a few variables; the target their margins, possible or not."""
    n_rows = int(rng.integers(2, 121))
    blocks, margins = [], []
    for _ in range(int(rng.integers(1, 5))):
        n_levels = int(rng.integers(2, 6))
        blocks.append(np.eye(n_levels)[rng.integers(n_levels, size=n_rows)])
        margins.append(rng.dirichlet(np.full(n_levels, rng.choice([0.3, 3.0]))))
    return np.hstack(blocks), np.hstack(margins)


def _low_rank(rng: Generator) -> Draw:
    n_rows, n_columns = _shape(rng)
    rank = int(rng.integers(1, n_columns + 1))
    rows = rng.normal(size=(n_rows, rank)) @ rng.normal(size=(rank, n_columns + 3))
    rows[:, 0] = rng.choice([0.0, 7.0])
    return rows, _inside(rng, rows) + rng.choice([0.0, 0.1]) * rng.normal(size=rows.shape[1])


def _many_columns(rng: Generator) -> Draw:
    """Large enough for the conjugate gradients, which small shapes never reach."""
    n_columns = int(rng.integers(65, 130))
    rows = rng.normal(size=(int(rng.integers(n_columns, 10 * n_columns)), n_columns))
    return rows, rows[:4].mean(axis=0) * rng.choice([0.2, 1.0])


def _small_discrepancy(rng: Generator) -> Draw:
    """The target is almost the base mean: what is asked for drowns in rounding."""
    rows = rng.normal(size=_shape(rng))
    return rows, rows.mean(axis=0) + 10.0 ** rng.uniform(-16, -6) * rng.normal(size=rows.shape[1])


def _heavy_tails(rng: Generator) -> Draw:
    rows = rng.standard_cauchy(size=_shape(rng))
    return rows, _inside(rng, rows) + rng.choice([0.0, 1.0]) * rng.standard_cauchy(size=rows.shape[1])


REGIMES: dict[str, Callable[[Generator], Draw]] = {
    "interior": _interior,
    "outside": _outside,
    "face": _face,
    "vertex": _vertex,
    "wide": _wide,
    "sparse": _sparse,
    "duplicated": _duplicated,
    "tiny": _tiny,
    "huge scales": _huge_scales,
    "column scales": _column_scales,
    "far from origin": _far_from_origin,
    "nearly infeasible": _nearly_infeasible,
    "one-hot": _one_hot,
    "low rank": _low_rank,
    "many columns": _many_columns,
    "small discrepancy": _small_discrepancy,
    "heavy tails": _heavy_tails,
    "small eta": _interior,
    "weighted": _outside,
}


def _draw_weights(rng: Generator, n_rows: int) -> NDArray[np.float64]:
    """Weights with zeros among them, sometimes over hundreds of orders of magnitude."""
    weights = rng.exponential(size=n_rows)
    if rng.uniform() < 0.3:
        weights = 10.0 ** rng.uniform(-300, 0, size=n_rows)
    weights[rng.uniform(size=n_rows) < rng.choice([0.0, 0.3, 0.9])] = 0
    weights[rng.integers(n_rows)] = 1.0
    return weights


def _in_some_form(rng: Generator, rows: NDArray[np.float64], force_sparse: bool) -> Any:
    form = rng.choice(
        ["csr", "csr64"] if force_sparse else ["plain"] * 5 + ["single", "fortran", "csr", "view"]
    )
    if (form in ("single", "csr64") and rng.uniform() < 0.5) or form == "single":
        with np.errstate(over="ignore", under="ignore"):
            single = rows.astype(np.float32)
        rows = single if np.isfinite(single).all() else rows
    if form == "fortran":
        return np.asfortranarray(rows)
    if form == "view":  # every other row, every column but the last, of a larger array
        larger = np.zeros((2 * rows.shape[0], rows.shape[1] + 1), dtype=rows.dtype)
        larger[::2, :-1] = rows
        return larger[::2, :-1]
    if form in ("csr", "csr64"):
        matrix = scipy.sparse.csr_array(rows)
        if form == "csr64":
            matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
        return matrix
    return np.ascontiguousarray(rows)
