"""The fitted numbers of a feature map, how they are found, and how rows pass through them.

    φ(x) = ( α·z | β·one-hot | κ·cos(zᵀW + b) ),   zⱼ = (xⱼ − meanⱼ)/scaleⱼ

With B active blocks, α = 1/(√B·max‖z‖), β = 1/√(B·number of variables), κ = √(2/(B·D)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray
from scipy.spatial.distance import pdist
from sklearn.preprocessing import StandardScaler

from drr._columns import TableColumns
from drr._dispatch import core
from drr._numbers import Numbers
from drr._threads import resolve_n_threads

_SMALLEST_NORM = 1e-12
_MOST_DISTANCE_ROWS = 1000


@dataclass(frozen=True, eq=False)
class Embedding:
    """p numeric columns, q indicators of missing values among them, c categorical variables, D waves.

    The compiled kernel reads these attributes by name.
    """

    numeric: tuple[int, ...]
    """positions of the p numeric columns in the table"""
    categorical: tuple[int, ...]
    """positions of the c categorical columns"""
    mean: NDArray[np.float64]
    """length p + q, the indicators last"""
    scale: NDArray[np.float64]
    indicated: NDArray[np.int32]
    """length q: which of the p columns each indicator watches"""
    level_offsets: NDArray[np.int32]
    """length c + 1: variable v owns one-hot columns level_offsets[v] … level_offsets[v + 1] − 1"""
    weights: NDArray[np.float64]
    """W, (p + q)×D"""
    phases: NDArray[np.float64]
    """b, length D"""
    linear_factor: float
    one_hot_factor: float
    fourier_factor: float

    @property
    def block_sizes(self) -> dict[str, int]:
        """Columns of each block, in order; an inactive block has none."""
        return {"linear": len(self.mean), "one_hot": int(self.level_offsets[-1]), "fourier": len(self.phases)}

    @property
    def n_features(self) -> int:
        return sum(self.block_sizes.values())

    @property
    def entries_per_row(self) -> int:
        """What a CSR row stores: one entry per variable instead of one per level."""
        return len(self.mean) + len(self.level_offsets) - 1 + len(self.phases)

    def dense(
        self, rows: TableColumns, codes: NDArray[np.int32] | None, dtype: DTypeLike, allow_nan: bool
    ) -> NDArray[Any]:
        """Φ as an array."""
        out = np.empty((rows.n_rows, self.n_features), dtype=dtype)
        for begin, end, numeric, block_codes in self._blocks(rows, codes, allow_nan):
            core.embed(self, numeric, block_codes, out[begin:end], n_threads=resolve_n_threads(None))
        return out

    def csr(
        self, rows: TableColumns, codes: NDArray[np.int32] | None, dtype: DTypeLike, allow_nan: bool
    ) -> Any:
        """Φ as a CSR array, written entry by entry."""
        entries = np.full(rows.n_rows, len(self.mean) + len(self.phases))
        if codes is not None:
            entries += (codes >= 0).sum(axis=1)
        n_stored = int(entries.sum())
        ordinal = np.int32 if max(n_stored, self.n_features) <= np.iinfo(np.int32).max else np.int64
        offsets = np.zeros(rows.n_rows + 1, dtype=ordinal)
        np.cumsum(entries, out=offsets[1:])
        values, columns = np.empty(n_stored, dtype=dtype), np.empty(n_stored, dtype=ordinal)
        for begin, end, numeric, block_codes in self._blocks(rows, codes, allow_nan):
            stored = slice(offsets[begin], offsets[end])
            core.embed_csr(
                self,
                numeric,
                block_codes,
                values[stored],
                columns[stored],
                offsets[begin : end + 1] - offsets[begin],
                n_threads=resolve_n_threads(None),
            )
        return scipy.sparse.csr_array((values, columns, offsets), shape=(rows.n_rows, self.n_features))

    def scores(
        self, rows: TableColumns, codes: NDArray[np.int32] | None, theta: NDArray[np.float64], allow_nan: bool
    ) -> NDArray[np.float64]:
        """Φθ without Φ."""
        scores = np.empty(rows.n_rows)
        for begin, end, numeric, block_codes in self._blocks(rows, codes, allow_nan):
            scores[begin:end] = core.embed_scores(
                self, numeric, block_codes, theta, n_threads=resolve_n_threads(None)
            )
        return scores

    def _blocks(self, rows: TableColumns, codes: NDArray[np.int32] | None, allow_nan: bool) -> Any:
        if not self.numeric:
            yield 0, rows.n_rows, None, codes
            return
        for begin, end, block in rows.numeric_blocks(list(self.numeric), allow_nan=allow_nan):
            yield begin, end, block, None if codes is None else codes[begin:end]


@dataclass(frozen=True, eq=False)
class Standardisation:
    """z of the linear block: means and scales of p columns and q indicators, and what the other blocks need of z."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    indicated: NDArray[np.int32]
    norm: float
    """max‖z‖ over the fitted rows, at least 1e-12"""
    median_distance: float
    """the median of ‖zᵢ − zⱼ‖² over pairs of at most 1000 rows; 1 where it would be 0"""


def learn_standardisation(rows: TableColumns, numeric: Sequence[int], *, impute: bool) -> Standardisation:
    """Means and standard deviations (ddof 0) in one pass over the numeric columns, norms and distances in another."""
    if not numeric:
        return Standardisation(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int32), 1.0, 1.0)
    positions = list(numeric)
    mean, scale, indicated = _moments(rows, positions, impute)
    sampled = np.zeros(rows.n_rows, dtype=bool)
    sampled[distance_rows(rows.n_rows)] = True
    largest, sample = 0.0, []
    for begin, end, block in rows.numeric_blocks(positions, allow_nan=impute):
        z = standardised(as_dense(block), mean, scale, indicated)
        largest = max(largest, float(np.sqrt(np.einsum("ij,ij->i", z, z).max())))
        sample.append(z[sampled[begin:end]])
    return finish_standardisation(
        mean, scale, indicated, largest, pdist(np.concatenate(sample), "sqeuclidean")
    )


def distance_rows(n_rows: int) -> NDArray[np.intp]:
    """Which rows the median distance is taken between."""
    if n_rows <= _MOST_DISTANCE_ROWS:
        return np.arange(n_rows)
    return np.asarray(np.random.RandomState(0).choice(n_rows, _MOST_DISTANCE_ROWS, replace=False))


def finish_standardisation(
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
    largest: float,
    distances: NDArray[np.float64],
) -> Standardisation:
    """With the largest norm of the standardised rows and the squared distances between some of them."""
    median = float(np.median(distances)) if len(distances) else 0.0
    return Standardisation(
        mean, scale, indicated, max(largest, _SMALLEST_NORM), median if median > 0 else 1.0
    )


def draw_waves(
    n_inputs: int, n_waves: int, gamma: float, random: np.random.RandomState
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """W and b for the kernel exp(−γ‖z − z'‖²), drawn in the order of scikit-learn's RBFSampler."""
    weights = np.sqrt(2.0 * gamma) * random.normal(size=(n_inputs, n_waves))
    return weights, random.uniform(0.0, 2.0 * np.pi, size=n_waves)


def block_factors(norm: float, n_linear: int, n_variables: int, n_waves: int) -> tuple[float, float, float]:
    """(α, β, κ); an inactive block has factor one."""
    n_active = (n_linear > 0) + (n_variables > 0) + (n_waves > 0)
    share = 1.0 / np.sqrt(n_active)
    return (
        float(share / norm) if n_linear else 1.0,
        float(share / np.sqrt(n_variables)) if n_variables else 1.0,
        float(share * np.sqrt(2.0 / n_waves)) if n_waves else 1.0,
    )


def _moments(
    rows: TableColumns, positions: list[int], impute: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    scaler = StandardScaler()
    n_missing = np.zeros(len(positions), dtype=np.int64)
    lowest, highest = np.full(len(positions), np.inf), np.full(len(positions), -np.inf)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _, _, block in rows.numeric_blocks(positions, allow_nan=impute):
            # By columns, so that each sum runs along memory: across short rows it takes three times as long.
            values = np.asfortranarray(as_dense(block))
            scaler.partial_fit(values)
            n_missing += np.isnan(values).sum(axis=0)
            lowest = np.fmin(lowest, np.fmin.reduce(values, axis=0))
            highest = np.fmax(highest, np.fmax.reduce(values, axis=0))
    labels = [rows.labels[j] for j in positions]
    return finish_moments(
        scaler.mean_, scaler.scale_, np.sqrt(scaler.var_), n_missing, lowest, highest, rows.n_rows, labels
    )


def finish_moments(
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    deviation: NDArray[np.float64],
    n_missing: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    n_rows: int,
    labels: list[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """(mean, scale, indicated) from the moments of the observed values; `scale` is the deviation, or one."""
    # Constant columns, and columns never observed, are kept apart: the rounded mean of a constant may differ from it,
    # and z is to be exactly zero there.
    constant, never = lowest == highest, n_missing == n_rows
    overflow = ~np.isfinite(mean + deviation) & ~constant & ~never
    if overflow.any():
        label = labels[int(np.argmax(overflow))]
        raise ValueError(
            f"column {label} holds numbers too large for its variance to be represented; rescale it"
        )
    # A missing value sits at the mean: it leaves the mean as it is and adds nothing to the sum of squares. Where the
    # scaler's scale is not the deviation, it found the column constant up to rounding and put one.
    observed = 1.0 - n_missing / n_rows
    scale = np.where(scale == deviation, scale * np.sqrt(observed), scale)
    mean = np.where(constant, lowest, np.where(never, 0.0, mean))
    scale = np.where(constant | never, 1.0, scale)

    indicated = np.flatnonzero(n_missing).astype(np.int32)
    share = n_missing[indicated] / n_rows
    spread = np.sqrt(share * (1.0 - share))
    return (
        np.concatenate([mean, share]),
        np.concatenate([scale, np.where(spread > 0, spread, 1.0)]),
        indicated,
    )


def standardised(
    values: NDArray[np.float64],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
) -> NDArray[np.float64]:
    """z of rows: missing values at the mean, then the indicators of missing values."""
    is_missing = np.isnan(values)
    if is_missing.any() or len(indicated):
        values = np.hstack([np.where(is_missing, mean[: values.shape[1]], values), is_missing[:, indicated]])
    z = values - mean
    z /= scale
    return z


def as_dense(block: Numbers) -> NDArray[np.float64]:
    """Numbers as an array of doubles."""
    dense = block.toarray() if scipy.sparse.issparse(block) else block
    return np.asarray(dense, dtype=np.float64)
