"""The fitted numbers of a feature map, how they are found, and how rows pass through them.

    φ(x) = ( α·z | β·one-hot | κ·cos(zᵀW + b) ),   zⱼ = (xⱼ − meanⱼ)/scaleⱼ

With B active blocks, α = 1/(√B·max‖z‖), β = 1/√(B·number of variables), κ = √(2/(B·D)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray

from drr._native import core
from drr._native.threads import resolve_n_threads
from drr.features.columns import SparseColumns, TableColumns

# Beyond so many standard deviations between zero and the mean of a column, centring after a product loses digits.
_MAX_ZERO = 1e3
# Of sparse rows: 8 MB in double precision.
_ENTRIES_AT_A_TIME = 2**20


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

    @property
    def keeps_zeros(self) -> bool:
        """Whether φ(x) = s∘x − c with a scale s and an offset c, so that sparse rows need not become dense."""
        only_linear = len(self.phases) == 0 and len(self.level_offsets) == 1 and len(self.indicated) == 0
        return only_linear and bool(np.all(np.abs(self.mean) <= _MAX_ZERO * self.scale))

    def scaled(self, matrix: Any, dtype: DTypeLike) -> tuple[Any, NDArray[np.float64]]:
        """Return s∘x of sparse rows as a CSR array that shares their indices, and c; see `keeps_zeros`."""
        factors = self.linear_factor / self.scale
        values = np.empty(len(matrix.data), dtype=dtype)
        for begin in range(0, len(values), _ENTRIES_AT_A_TIME):
            some = slice(begin, begin + _ENTRIES_AT_A_TIME)
            values[some] = factors[matrix.indices[some]] * matrix.data[some]
        return scipy.sparse.csr_array(
            (values, matrix.indices, matrix.indptr), shape=matrix.shape
        ), factors * self.mean

    def dense(
        self, rows: TableColumns, codes: NDArray[np.int32] | None, dtype: DTypeLike, allow_nan: bool
    ) -> NDArray[Any]:
        """Return Φ as an array."""
        out = np.empty((rows.n_rows, self.n_features), dtype=dtype)
        for begin, end, numeric, block_codes in self._blocks(rows, codes, allow_nan):
            core.embed(self, numeric, block_codes, out[begin:end], n_threads=resolve_n_threads(None))
        return out

    def csr(
        self, rows: TableColumns, codes: NDArray[np.int32] | None, dtype: DTypeLike, allow_nan: bool
    ) -> Any:
        """Return Φ as a CSR array, written entry by entry."""
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
        """Return Φθ without computing Φ."""
        if isinstance(rows, SparseColumns) and self.keeps_zeros:
            scaled = theta * (self.linear_factor / self.scale)
            for _, _, matrix in rows.numeric_blocks(list(self.numeric), allow_nan=allow_nan):
                scores = np.asarray(matrix @ scaled) - self.mean @ scaled
            if not np.isnan(scores).any():  # a missing value would sit at the mean
                return scores
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


def draw_waves(
    n_inputs: int, n_waves: int, gamma: float, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw W and b for the kernel exp(−γ‖z − z'‖²), W first, row by row, then b."""
    weights = np.sqrt(2.0 * gamma) * random.normal(size=(n_inputs, n_waves))
    return weights, random.uniform(0.0, 2.0 * np.pi, size=n_waves)


def block_factors(norm: float, n_linear: int, n_variables: int, n_waves: int) -> tuple[float, float, float]:
    """Return the factors (α, β, κ) of the blocks; an inactive block has factor one."""
    n_active = (n_linear > 0) + (n_variables > 0) + (n_waves > 0)
    share = 1.0 / np.sqrt(n_active)
    return (
        float(share / norm) if n_linear else 1.0,
        float(share / np.sqrt(n_variables)) if n_variables else 1.0,
        float(share * np.sqrt(2.0 / n_waves)) if n_waves else 1.0,
    )
