"""Blocks of raw values to finite floating-point numbers, with errors that name the row and the column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray

Numbers = Any  # float64 or float32: an array with contiguous rows, or a CSR matrix


def same_width(dtypes: Iterable[Any], dtype: DTypeLike) -> bool:
    """Return whether all dtypes, of numpy or of pandas, are this one."""
    return all(each == dtype for each in dtypes)


def as_numbers(values: NDArray[Any], labels: list[str], first_row: int) -> NDArray[Any]:
    """Return `values` themselves if they are float64 or float32 with contiguous rows, otherwise a converted copy.

    `labels` name the columns of `values`, `first_row` is the number of its first row; both serve messages.
    """
    if values.dtype.kind in "OUST":
        _check_no_text(values, labels, first_row)
        _check_no_arrays(values, labels, first_row)
    elif values.dtype.kind not in "iufb":
        raise TypeError(
            f"column {labels[0]} holds {values.dtype}, which is neither a number nor a declared category; convert it "
            "to a number, or list it in categorical_features"
        )
    dtype = np.float32 if values.dtype == np.float32 else np.float64
    try:
        return np.require(values, dtype=dtype, requirements=["C", "A"])
    except (TypeError, ValueError) as error:
        raise _not_a_number(values, labels, first_row, error) from None


def check_finite(block: Numbers, labels: list[str], first_row: int, *, allow_nan: bool) -> None:
    """Raise ValueError at the first infinity, and at the first NaN unless those are allowed."""
    values = block.data if scipy.sparse.issparse(block) else block
    with np.errstate(over="ignore", invalid="ignore"):
        # One sweep without a temporary: a NaN or an infinity always shows in the sum.
        if np.isfinite(values.sum()):
            return
    found = first_nonfinite(block, allow_nan=allow_nan)
    if found is None:
        return
    what, row, column = found
    remedy = (
        "impute or drop such rows, or set missing='impute' in the feature map"
        if what == "NaN"
        else "replace it by a finite number or drop the row"
    )
    raise ValueError(f"X contains {what} at row {first_row + row}, column {labels[column]}; {remedy}")


def first_nonfinite(block: Numbers, *, allow_nan: bool = False) -> tuple[str, int, int] | None:
    """Return "infinity", or "NaN" unless it is allowed, with the row and column of the first; None without any."""
    values = block.data if scipy.sparse.issparse(block) else block
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if not bad.any():
        return None
    place = np.unravel_index(int(np.argmax(bad)), bad.shape)
    what = "NaN" if np.isnan(values[place]) else "infinity"
    if scipy.sparse.issparse(block):
        entry = place[0]
        return what, int(np.searchsorted(block.indptr, entry, side="right")) - 1, int(block.indices[entry])
    return what, int(place[0]), int(place[1])


def _not_a_number(values: NDArray[Any], labels: list[str], first_row: int, error: Exception) -> TypeError:
    """Return the error for the first object that is not a number, such as a list."""
    for entry, value in enumerate(values.flat):
        try:
            float(value)
        except (TypeError, ValueError):
            row, column = divmod(entry, len(labels))
            return TypeError(
                f"X contains a {type(value).__name__} at row {first_row + row}, column {labels[column]}, which is "
                f"not a number ({error})"
            )
    return TypeError(f"column {labels[0]} cannot be read as numbers ({error})")


def _check_no_arrays(values: NDArray[Any], labels: list[str], first_row: int) -> None:
    """Raise TypeError at the first array: NumPy before 2.4 would convert an array of one element to a number."""
    if np.ndarray not in set(map(type, values.flat)):
        return
    for entry, value in enumerate(values.flat):
        if isinstance(value, np.ndarray) and value.ndim > 0:
            row, column = divmod(entry, len(labels))
            raise TypeError(
                f"X contains an array at row {first_row + row}, column {labels[column]}, which is not a number"
            )


def _check_no_text(values: NDArray[Any], labels: list[str], first_row: int) -> None:
    if values.dtype.kind == "O" and not any(
        issubclass(kind, (str, bytes)) for kind in set(map(type, values.flat))
    ):
        return
    entry = next(k for k, value in enumerate(values.flat) if isinstance(value, (str, bytes)))
    row, column = divmod(entry, len(labels))
    raise ValueError(
        f"X contains text at row {first_row + row}, column {labels[column]}: {values.flat[entry]!r}. The column is "
        "taken as numeric; list it in categorical_features, or convert it to numbers"
    )
