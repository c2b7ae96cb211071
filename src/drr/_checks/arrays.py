"""Check rows, vectors and base weights, and convert what the kernels cannot view, once."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from drr._checks.sparse import as_csr, sum_duplicates

Features = Any  # a float64 or float32 array with contiguous rows, or a CSR matrix of either


def check_features(features: object, name: str = "features") -> Features:
    """Return `features` itself if the kernels can view it, otherwise one converted copy.

    Viewed: float64 and float32 arrays with contiguous rows and non-negative row stride, including read-only and
    memory-mapped ones; CSR of either type. Converted: data frames, lists, integers, booleans, float16 and longer
    floats, Fortran order, negative strides, foreign byte order, other sparse formats. Errors: complex numbers,
    strings and objects, other than two dimensions, no rows or columns.
    """
    if scipy.sparse.issparse(features):
        return _check_sparse(features, name)
    array = _as_numeric(features, name)
    if array.ndim != 2:
        hint = f"; reshape it with {name}.reshape(-1, 1) if it is a single column" if array.ndim == 1 else ""
        raise ValueError(f"{name} must have two dimensions (rows, columns), got shape {array.shape}{hint}")
    _check_not_empty(array.shape, name)
    dtype = np.dtype(np.float32 if array.dtype.newbyteorder("=") == np.float32 else np.float64)
    contiguous_rows = array.shape[1] == 1 or array.strides[1] == array.itemsize
    regular_stride = array.shape[0] == 1 or (array.strides[0] >= 0 and array.strides[0] % array.itemsize == 0)
    if array.dtype == dtype and contiguous_rows and regular_stride and array.flags.aligned:
        return array
    # A longer float beyond the range of doubles becomes infinite; a later check reports its position.
    with np.errstate(over="ignore"):
        return np.array(array, dtype=dtype, order="C")


def check_vector(vector: ArrayLike, length: int, name: str, matches: str) -> NDArray[np.float64]:
    """Return a contiguous, finite float64 vector of this length; `matches` says what sets the length."""
    array = _as_numeric(vector, name)
    if array.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), one number per {matches}, got {array.shape}")
    with np.errstate(over="ignore"):  # as in check_features
        array = np.ascontiguousarray(array, dtype=np.float64)
    if not array.flags.aligned:
        array = array.copy()
    finite = np.isfinite(array)
    if not finite.all():
        position = int(np.argmin(finite))
        raise ValueError(f"{name} must be finite, got {array[position]} at position {position}")
    return array


def check_base_weights(base_weights: ArrayLike | None, n_rows: int) -> NDArray[np.float64] | None:
    """Return base weights d normalised to sum one; None means uniform ones. A zero marks an absent row.

    A share below the smallest normal double is counted as zero: it has lost its digits, and its logarithm with them.
    """
    if base_weights is None:
        return None
    weights = check_vector(base_weights, n_rows, "base_weights", "row of features")
    if (weights < 0).any():
        position = int(np.argmax(weights < 0))
        raise ValueError(f"base_weights must not be negative, got {weights[position]} at position {position}")
    largest = weights.max()
    if largest == 0:
        raise ValueError("base_weights are all zero; at least one majority row needs a positive weight")
    scaled = weights / largest  # the sum of huge weights would overflow
    shares = np.asarray(scaled / scaled.sum())
    shares[shares < np.finfo(np.float64).tiny] = 0
    return shares


def log_base_weights(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return log d, with −∞ for absent rows."""
    if weights is None:
        return None
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights))


def _as_numeric(values: object, name: str) -> NDArray[Any]:
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries; fill or drop them first")
    array = np.asarray(values)
    if array.dtype == object:
        array = _numbers_of_pandas(values, array)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got complex numbers ({array.dtype})")
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} must be numeric, got dtype {array.dtype}; encode text and categories as numbers first, "
            "for example with drr.RakingFeatureMap"
        )
    return array


def _numbers_of_pandas(values: Any, objects: NDArray[Any]) -> NDArray[Any]:
    """Return numbers if NumPy made objects of numeric columns: booleans next to numbers, or nullable numbers.

    A missing number becomes NaN; a later check reports its position.
    """
    dtypes = getattr(values, "dtypes", None)
    columns = dtypes if objects.ndim == 2 and dtypes is not None else [dtypes]
    if not all(getattr(each, "kind", "O") in "fiub" for each in columns):
        return objects
    return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))


def _check_sparse(matrix: Any, name: str) -> Any:
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, columns), got shape {matrix.shape}")
    _check_not_empty(matrix.shape, name)
    matrix = as_csr(matrix, name)
    if matrix.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got complex numbers ({matrix.dtype})")
    dtype = np.float32 if matrix.dtype == np.float32 else np.float64
    if matrix.dtype != dtype:
        matrix = matrix.astype(dtype)
    _check_csr(matrix)
    return sum_duplicates(matrix)


def _check_csr(matrix: Any) -> None:
    """Check what scipy's own routines rely on, before one of them follows a wild index."""
    from drr._native import core

    core.validate_csr(matrix)


def _check_not_empty(shape: tuple[int, ...], name: str) -> None:
    if 0 in shape:
        raise ValueError(f"{name} is empty: it has {shape[0]} rows and {shape[1]} columns")
