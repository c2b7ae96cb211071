"""Columns of any table: arrays, lists, CSR matrices, pandas and polars frames behind one interface.

Numeric columns are handed out in blocks of rows, because no conversion may copy the whole table; categorical columns
as integer codes with the list of their levels.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils.validation import validate_data

from drr._checks.numbers import Numbers, as_numbers, check_finite, same_width
from drr._checks.sparse import as_csr, sum_duplicates
from drr._checks.tables import check_is_table, frame_of_arrow, is_plain_array
from drr._native import core
from drr.features.scaling import ColumnScaling, learn_scaling

# Numbers in a block: 8 MB in double precision, about 50 000 rows of 20 columns.
_BLOCK_SIZE = 2**20
_MIN_ROWS = 512
# What pandas calls columns of objects that are all numbers.
_NUMBER_TYPES = ("integer", "floating", "decimal", "mixed-integer-float")


class Columns(abc.ABC):
    """The columns of a table of `n_rows` rows, addressed by position: their names, kinds and levels."""

    def __init__(self, n_rows: int, labels: list[str]) -> None:
        self.n_rows = n_rows
        self.labels = labels  # how messages name the columns

    @property
    def n_columns(self) -> int:
        return len(self.labels)

    def is_categorical(self, position: int) -> bool:
        """Return whether the column's own dtype says that it holds levels rather than numbers."""
        return False

    @abc.abstractmethod
    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        """Return the code of every row, −1 for missing, and the level of each code, in any order."""

    @abc.abstractmethod
    def scaling(self, positions: Sequence[int], *, impute: bool, distances: bool) -> ColumnScaling:
        """Return means, scales and norms of the numeric columns at these positions, with distances if asked for."""


class TableColumns(Columns):
    """Columns of a table in memory, whose numbers can be read as well."""

    def scaling(self, positions: Sequence[int], *, impute: bool, distances: bool) -> ColumnScaling:
        return learn_scaling(self, positions, impute=impute, distances=distances)

    @abc.abstractmethod
    def _numeric_rows(self, positions: list[int], begin: int, end: int) -> Numbers:
        """Return some columns of some rows as float64 or float32 with contiguous rows, or as CSR."""

    def numeric_blocks(self, positions: list[int], *, allow_nan: bool) -> Iterator[tuple[int, int, Numbers]]:
        """Yield (begin, end, rows begin … end − 1 of the columns).

        Raise ValueError at a value that is not finite, unless scikit-learn's ``assume_finite`` says that there is none.
        """
        is_known_finite = get_config()["assume_finite"]
        step = max(_MIN_ROWS, _BLOCK_SIZE // max(1, len(positions)))
        for begin in range(0, self.n_rows, step):
            end = min(self.n_rows, begin + step)
            block = self._numeric_rows(positions, begin, end)
            if not is_known_finite:
                check_finite(block, [self.labels[j] for j in positions], begin, allow_nan=allow_nan)
            yield begin, end, block


class ArrayColumns(TableColumns):
    """A numpy array: one dtype for all columns, so none is categorical unless the user says so."""

    def __init__(self, array: NDArray[Any], labels: list[str]) -> None:
        super().__init__(array.shape[0], labels)
        self._array = array

    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        return factorize_array(self._array[:, position], self.labels[position])

    def _numeric_rows(self, positions: list[int], begin: int, end: int) -> Numbers:
        rows = self._array[begin:end]
        if len(positions) < self.n_columns:
            rows = rows[:, positions]
        return as_numbers(rows, [self.labels[j] for j in positions], begin)


class SparseColumns(TableColumns):
    """A CSR matrix: numbers only."""

    def __init__(self, matrix: Any, labels: list[str]) -> None:
        super().__init__(matrix.shape[0], labels)
        self.matrix = matrix

    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        raise TypeError(
            f"column {self.labels[position]} is declared categorical, but X is sparse and holds numbers only; pass "
            "categorical columns in a dense array or a data frame"
        )

    def numeric_blocks(self, positions: list[int], *, allow_nan: bool) -> Iterator[tuple[int, int, Numbers]]:
        """Yield all rows at once: a part of a matrix would be a copy."""
        if not get_config()["assume_finite"]:
            check_finite(self.matrix, self.labels, 0, allow_nan=allow_nan)
        yield 0, self.n_rows, self.matrix

    def _numeric_rows(self, positions: list[int], begin: int, end: int) -> Numbers:
        return self.matrix[begin:end]  # all columns are numeric


class PandasColumns(TableColumns):
    """A pandas frame. Categorical by dtype: category, object, string, bool, and their nullable and Arrow counterparts.

    Decimals, and objects that are all numbers, are numeric.
    """

    def __init__(self, frame: Any, labels: list[str]) -> None:
        super().__init__(frame.shape[0], labels)
        self._frame = frame
        self._dtypes = frame.dtypes.tolist()
        self._kinds = [dtype.kind for dtype in self._dtypes]
        self._number_objects: dict[int, bool] = {}

    def is_categorical(self, position: int) -> bool:
        return self._kinds[position] in "ObU" and not self._holds_numbers(position)

    def _holds_numbers(self, position: int) -> bool:
        """Return whether a column of objects holds numbers only, such as the decimals of a database."""
        if position not in self._number_objects:
            import pandas

            dtype = self._dtypes[position]
            is_objects = isinstance(dtype, np.dtype) and dtype.kind == "O"
            self._number_objects[position] = str(dtype).startswith("decimal") or (
                is_objects
                and pandas.api.types.infer_dtype(self._frame.iloc[:, position], skipna=True) in _NUMBER_TYPES
            )
        return self._number_objects[position]

    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        try:
            codes, levels = self._frame.iloc[:, position].factorize()
        except TypeError as error:
            raise _unhashable(self.labels[position], error) from None
        return np.asarray(codes, dtype=np.intp), levels.tolist()

    def _numeric_rows(self, positions: list[int], begin: int, end: int) -> Numbers:
        rows = self._frame if end - begin == self.n_rows else self._frame.iloc[begin:end]
        if len(positions) < self.n_columns:  # a list of positions copies
            rows = rows.iloc[:, positions]
        if all(self._kinds[j] in "iufb" for j in positions):
            dtype = np.float32 if same_width(rows.dtypes, np.float32) else np.float64
            return np.ascontiguousarray(rows.to_numpy(dtype=dtype, na_value=np.nan))
        block = np.empty(rows.shape)
        for k, j in enumerate(positions):
            column = rows.iloc[:, k]
            if self._kinds[j] in "iufb" or self._holds_numbers(j):
                block[:, k] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            else:
                block[:, k] = as_numbers(column.to_numpy(), [self.labels[j]], begin)
        return block


class PolarsColumns(TableColumns):
    """A polars frame. Categorical by dtype: Enum, Categorical, String, Boolean."""

    def __init__(self, frame: Any, labels: list[str]) -> None:
        super().__init__(frame.height, labels)
        self._frame = frame
        self._types = [str(dtype.base_type()) for dtype in frame.dtypes]

    def is_categorical(self, position: int) -> bool:
        return self._types[position] in ("Enum", "Categorical", "String", "Boolean")

    def factorize(self, position: int) -> tuple[NDArray[np.intp], list[Any]]:
        import polars

        column = self._frame.to_series(position)
        if column.dtype.is_numeric():
            return factorize_array(column.to_numpy(), self.labels[position])
        if self._types[position] in ("Enum", "Categorical"):
            column = column.cast(polars.String)
        levels = column.drop_nulls().unique()
        codes = column.replace_strict(levels, list(range(len(levels))), default=-1, return_dtype=polars.Int64)
        return codes.to_numpy().astype(np.intp), levels.to_list()

    def _numeric_rows(self, positions: list[int], begin: int, end: int) -> Numbers:
        import polars

        single = all(self._types[j] == "Float32" for j in positions)
        block = np.empty((end - begin, len(positions)), dtype=np.float32 if single else np.float64)
        for k, j in enumerate(positions):
            column = self._frame.to_series(j).slice(begin, end - begin)
            if column.dtype.is_numeric() or self._types[j] in ("Boolean", "Null"):
                block[:, k] = column.cast(polars.Float32 if single else polars.Float64).to_numpy()
            else:
                block[:, k] = as_numbers(column.to_numpy(), [self.labels[j]], begin)
        return block


def read_columns(estimator: Any, X: Any, *, reset: bool) -> TableColumns:
    """Check X against what `estimator` was fitted on (or record that, with `reset`) and wrap it."""
    check_is_table(X)
    X = frame_of_arrow(X)
    is_pandas = hasattr(X, "iloc") and hasattr(X, "dtypes") and np.ndim(X) == 2
    is_polars = (
        type(X).__module__.split(".")[0] == "polars" and hasattr(X, "to_series") and hasattr(X, "height")
    )
    if not is_pandas and not is_polars:
        X = _validate_array(estimator, X, reset=reset)
        labels = [repr(name) for name in getattr(estimator, "feature_names_in_", range(X.shape[1]))]
        return SparseColumns(X, labels) if scipy.sparse.issparse(X) else ArrayColumns(X, labels)
    if 0 in X.shape:
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape={X.shape}) while a minimum of "
            "1 is required."
        )
    _check_names(estimator, list(X.columns), reset=reset)
    if is_pandas:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    elif reset:  # not every supported scikit-learn reads the names of a polars frame
        estimator.feature_names_in_ = np.asarray(X.columns, dtype=object)
        estimator.n_features_in_ = X.width
    elif X.width != estimator.n_features_in_:
        raise ValueError(f"X has {X.width} columns, but the map was fitted on {estimator.n_features_in_}")
    labels = [repr(name) for name in X.columns]
    return PandasColumns(X, labels) if is_pandas else PolarsColumns(X, labels)


def factorize_array(column: NDArray[Any], label: str) -> tuple[NDArray[np.intp], list[Any]]:
    """Return codes and levels of one column of an array; None, NaN and pandas' NA are missing."""
    if column.dtype.kind in "iufb":
        values, codes = np.unique(column, return_inverse=True)
        codes = codes.astype(np.intp).ravel()
        levels = values.tolist()
        if values.dtype.kind == "f" and np.isnan(values[-1]):  # unique sorts NaN to the end and keeps one
            codes[codes == len(levels) - 1] = -1
            levels.pop()
        return codes, levels
    rows = column.tolist()  # Python's own scalars, which compare and hash alike whatever dtype they came in
    try:
        distinct = dict.fromkeys(rows)
    except TypeError as error:
        raise _unhashable(label, error) from None
    levels = [level for level in distinct if not _is_missing(level)]
    code_of = dict.fromkeys(distinct, -1)
    code_of.update((level, code) for code, level in enumerate(levels))
    return np.fromiter(map(code_of.__getitem__, rows), dtype=np.intp, count=len(rows)), levels


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    unequal = value != value
    # NaN and NaT differ from themselves; the comparison of pandas' NA is NA again, neither true nor false.
    return unequal is True or (unequal is value and type(value).__name__ == "NAType")


def _unhashable(label: str, error: TypeError) -> TypeError:
    return TypeError(f"column {label} cannot be categorical: its values do not serve as levels ({error})")


def _validate_array(estimator: Any, X: Any, *, reset: bool) -> Any:
    if not reset and is_plain_array(estimator, X):
        return X
    if isinstance(X, (list, tuple)):
        array = np.asarray(X)
        # If a list holds text, numpy would turn its numbers into text as well.
        X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    if scipy.sparse.issparse(X):
        X = validate_data(
            estimator,
            as_csr(X),
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        core.validate_csr(X)
        return sum_duplicates(X)
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)


def _check_names(estimator: Any, given: list[Any], *, reset: bool) -> None:
    """Check the names of columns against the fit, with scikit-learn's messages that also name the wrong ones."""
    fitted = list(getattr(estimator, "feature_names_in_", []))
    if reset or not fitted or given == fitted:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen = [name for name in given if name not in fitted]
    missing = [name for name in fitted if name not in given]
    if unseen:
        message += "".join(["Feature names unseen at fit time:\n", *(f"- {name}\n" for name in unseen)])
    if missing:
        message += "".join(
            ["Feature names seen at fit time, yet now missing:\n", *(f"- {name}\n" for name in missing)]
        )
    if not unseen and not missing:
        moved = next((k for k, (a, b) in enumerate(zip(given, fitted, strict=False)) if a != b), len(fitted))
        place = f"Column {moved} is {given[moved]!r}"
        place += f", but was {fitted[moved]!r}" if moved < len(fitted) else ", a repetition"
        message += (
            f"Feature names must be in the same order as they were in fit.\n{place}; pass "
            "X[list(feature_map.feature_names_in_)]"
        )
    raise ValueError(message)
