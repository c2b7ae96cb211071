"""Sparse matrices of any format as CSR."""

from __future__ import annotations

from typing import Any


def as_csr(matrix: Any, name: str = "X") -> Any:
    """A sparse matrix in CSR format; its indices are checked before scipy's conversion follows them."""
    if matrix.format == "coo":
        for axis, (places, size) in enumerate(zip((matrix.row, matrix.col), matrix.shape, strict=True)):
            outside = (places < 0) | (places >= size)
            if outside.any():
                raise ValueError(
                    f"{name} is a broken COO matrix: it names {('row', 'column')[axis]} {places[outside][0]}, but its "
                    f"shape is {matrix.shape}"
                )
    elif matrix.format in ("csc", "bsr"):
        try:
            matrix.check_format(full_check=True)
        except (IndexError, TypeError, ValueError) as error:
            raise ValueError(f"{name} is a broken {matrix.format.upper()} matrix: {error}") from error
    return matrix.tocsr()
