"""Sparse matrices of any format as CSR."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_csr(matrix: Any, name: str = "X") -> Any:
    """Convert a sparse matrix to CSR; its indices are checked first, because scipy's conversion trusts them."""
    shape = tuple(matrix.shape)
    if matrix.format not in ("dok", "lil") and not isinstance(matrix.data, np.ndarray):
        raise TypeError(f"{name}.data must be a numpy array, got {type(matrix.data).__name__}")
    if matrix.format == "coo":
        _check_problem(_problem_of_coo(matrix.row, matrix.col, matrix.data, shape), matrix, name)
    elif matrix.format == "csc":
        problem = _problem_of_offsets(matrix.indptr, matrix.indices, matrix.data, shape[1], shape[0])
        _check_problem(problem if matrix.data.ndim == 1 else "its data are not a vector", matrix, name)
    elif matrix.format == "bsr":
        _check_problem(_problem_of_bsr(matrix, shape), matrix, name)
    return _as_kernels_read(matrix.tocsr())


def sum_duplicates(matrix: Any) -> Any:
    """Return a CSR matrix with at most one entry per place; itself if it has no two."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _as_kernels_read(matrix: Any) -> Any:
    """Return the matrix itself if its arrays are aligned and its indices all int32 or all int64, else a shallow copy.

    Arrays that came through a pipe or a socket may begin anywhere: those of a worker of Dask often do.
    """
    indices = matrix.indices, matrix.indptr
    if not all(_is_index(array) for array in indices) or not isinstance(matrix.data, np.ndarray):
        return matrix  # the caller's check raises
    one_type = {array.dtype for array in indices} in ({np.dtype(np.int32)}, {np.dtype(np.int64)})
    if one_type and all(
        array.flags.aligned and array.flags.c_contiguous for array in (matrix.data, *indices)
    ):
        return matrix
    copy = type(matrix)(matrix.shape, dtype=matrix.dtype)
    copy.data = np.require(matrix.data, requirements=["C", "A"])
    index_type = None if one_type else np.int64
    copy.indices, copy.indptr = (np.require(array, index_type, ["C", "A"]) for array in indices)
    return copy


def _check_problem(problem: str, matrix: Any, name: str) -> None:
    if problem:
        raise ValueError(
            f"{name} is a broken {matrix.format.upper()} matrix: {problem}. Rebuild it, for example with "
            "scipy.sparse.csr_array(dense_or_coo)"
        )


def _problem_of_coo(rows: Any, columns: Any, data: Any, shape: tuple[int, int]) -> str:
    for axis, places, size in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if not _is_index(places) or data.shape != places.shape:
            return f"its {axis}s are not one whole number per entry"
        outside = (places < 0) | (places >= size)
        if outside.any():
            return f"it names {axis} {places[outside][0]}, but its shape is {shape}"
    return ""


def _problem_of_bsr(matrix: Any, shape: tuple[int, int]) -> str:
    if matrix.data.ndim != 3 or 0 in matrix.data.shape[1:]:
        return "its data are not blocks of rows and columns"
    height, width = matrix.data.shape[1:]
    if shape[0] % height or shape[1] % width:
        return f"blocks of shape {(height, width)} do not fill the shape {shape}"
    return _problem_of_offsets(
        matrix.indptr, matrix.indices, matrix.data, shape[0] // height, shape[1] // width
    )


def _problem_of_offsets(offsets: Any, indices: Any, data: Any, n_groups: int, n_indices: int) -> str:
    """Return what is wrong with entries kept group by group: columns of CSC, rows of blocks of BSR."""
    if not _is_index(offsets) or not _is_index(indices):
        return "indptr and indices must be vectors of whole numbers"
    if len(offsets) != n_groups + 1 or offsets[0] != 0:
        return f"indptr must have {n_groups + 1} entries, from 0 on"
    if (offsets[1:] < offsets[:-1]).any():
        return "indptr decreases"
    n_stored = min(len(indices), len(data))
    if offsets[-1] > n_stored:
        return f"indptr ends at {offsets[-1]}, but {n_stored} entries are stored"
    outside = (indices < 0) | (indices >= n_indices)
    if outside.any():
        return f"index {indices[outside][0]} is outside 0 … {n_indices - 1}"
    return ""


def _is_index(numbers: Any) -> bool:
    return isinstance(numbers, np.ndarray) and numbers.ndim == 1 and numbers.dtype.kind in "iu"
