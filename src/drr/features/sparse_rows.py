"""Sparse rows that stay sparse: scaled in place of being centred, because an offset leaves a raking as it is.

With φ(x) = s∘x − c the problem of rows φ and target μ₁ is that of rows s∘x and target μ₁ + c: floor, weights and θ are
equal. So c is never subtracted from a row, only from what is reported of means and from scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from drr.features.columns import read_columns
from drr.features.feature_map import RakingFeatureMap

# A sparse entry is read one at a time, a dense one in vectors, and a solve makes many passes.
_WORTHWHILE_SHARE = 0.25


def scaled_rows(feature_map: Any, X: Any) -> tuple[Any, NDArray[np.float64]] | None:
    """Return s∘x of the rows on which a map was fitted as a CSR array that shares their indices, and c.

    Return None if the map is not of that kind, or if its features take little more memory as an array.
    """
    if isinstance(feature_map, FrozenEstimator):
        feature_map = feature_map.estimator
    if not isinstance(feature_map, RakingFeatureMap) or not scipy.sparse.issparse(X):
        return None
    embedding = feature_map.embedding_
    if feature_map.sparse_output is False or not embedding.keeps_zeros:
        return None
    dtype = np.dtype(feature_map.dtype)
    sparse_bytes = X.nnz * (dtype.itemsize + np.dtype(np.int32).itemsize)
    if sparse_bytes > _WORTHWHILE_SHARE * dtype.itemsize * X.shape[0] * X.shape[1]:
        return None
    rows = read_columns(feature_map, X, reset=False)
    _, _, matrix = next(rows.numeric_blocks(list(embedding.numeric), allow_nan=False))
    return embedding.scaled(matrix, dtype)
