"""Tables of rows as users pass them: checked by shape and column names, and indexed by row."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from drr._checks.rows import is_dask, is_source
from drr._checks.sparse import as_csr


def check_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check shape and column names against those at fit (or record them, with `reset`); return X, or an array of it.

    The values are checked by their reader: a feature map or a base classifier.
    """
    if not reset and is_plain_array(estimator, X):
        return X
    if is_dask(X):
        raise TypeError(
            f"{type(estimator).__name__} does not take Dask collections here; RakingDual and DRRClassifier are fitted "
            "on them and score them, one score at a time. Write the rows to files and pass their path, "
            "X.to_parquet(path), or bring them into memory, X.compute()"
        )
    if is_source(X):
        from drr.streaming.views import check_source

        return check_source(estimator, X, reset=reset)
    check_is_table(X)
    X = frame_of_arrow(X)
    if _holds_texts(X):
        return _check_texts(estimator, X)
    if not scipy.sparse.issparse(X) and not (hasattr(X, "shape") and hasattr(X, "__getitem__")):
        array = np.asarray(X)
        # If a list holds text, numpy would turn its numbers into text as well.
        X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(shape)}D array instead. Reshape your data either using X.reshape(-1, 1) if "
            "it has a single feature or X.reshape(1, -1) if it contains a single sample."
        )
    if shape is not None and 0 in shape:
        raise ValueError(
            f"Found array with {shape[0]} sample(s) and {shape[1]} feature(s) (shape={shape}) while a minimum of 1 is "
            "required."
        )
    try:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise _named(error, list(getattr(estimator, "feature_names_in_", [])), X) from None
    return as_csr(X) if scipy.sparse.issparse(X) else X


@contextlib.contextmanager
def names_were_checked(estimator: Any, X: Any) -> Iterator[None]:
    """Keep the parts of an estimator from repeating what `check_table` has warned of: names at fit or now, not both."""
    if hasattr(X, "columns") == hasattr(estimator, "feature_names_in_"):
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X (does not have valid|has) feature names")
        yield


def _holds_texts(X: Any) -> bool:
    """Return whether every row is a text of its own, as in a list of documents."""
    is_flat = isinstance(X, list) or getattr(X, "ndim", 2) == 1
    return is_flat and len(X) > 0 and isinstance(next(iter(X)), str)


def _check_texts(estimator: Any, X: Any) -> Any:
    """Return texts as they are, if the feature map of the dual is one that may take them."""
    dual = getattr(estimator, "dual", estimator)
    feature_map = getattr(dual, "feature_map", None)
    if feature_map is None or hasattr(feature_map, "n_random_features"):
        raise ValueError(
            "X holds a text per row, which base and dual must take: pass a pipeline that begins with a vectoriser as "
            "the base, and dual=RakingDual(make_pipeline(TfidfVectorizer(), TruncatedSVD(50)))"
        )
    return np.array(X, dtype=object) if isinstance(X, list) else X


def is_plain_array(estimator: Any, X: Any) -> bool:
    """Return whether X is an array of numbers, without names and of the width of the fit: nothing is left to check.

    Asking scikit-learn takes longer than scoring a single row.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and len(X) > 0
        and X.dtype.kind in "fiub"
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
    )


def check_fitted(estimator: Any) -> None:
    """Raise NotFittedError as scikit-learn does, but without its tags, which take longer than scoring a single row."""
    if hasattr(estimator, "__sklearn_is_fitted__"):
        is_fitted = estimator.__sklearn_is_fitted__()
    else:
        is_fitted = any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))
    if not is_fitted:
        check_is_fitted(estimator)


def check_is_table(X: Any) -> None:
    """Raise for what holds a table without being one, with how to get it out."""
    if hasattr(X, "iloc"):
        return
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError("X is a lazy frame; pass X.collect()")
    if hasattr(X, "obs") and hasattr(X, "var_names") and hasattr(X, "X"):
        raise TypeError(
            "X is an AnnData object; pass its matrix, X.X, or with the names of the genes, X.to_df()"
        )
    if type(X).__module__.partition(".")[0] == "catboost" and hasattr(X, "get_features"):
        raise TypeError("X is a CatBoost Pool; pass the table that it was made from")


def frame_of_arrow(X: Any) -> Any:
    """Return a pyarrow table as a pandas frame; anything else as it is."""
    is_arrow = type(X).__module__.split(".")[0] == "pyarrow" and hasattr(X, "column_names")
    return X.to_pandas() if is_arrow else X


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of an array, a sparse matrix, a data frame or a source, as the same kind of table."""
    if is_source(X):
        return X.take(rows)
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, np.ndarray):
        return X.take(rows, axis=0)  # a quarter of the time of X[rows], which goes entry by entry
    return X[rows]


def _named(error: ValueError, fitted: list[Any], X: Any) -> ValueError:
    """Return the same error; if the columns were only reordered, it also names the first one out of place."""
    given = list(getattr(X, "columns", []))
    if fitted and fitted != given and sorted(map(str, fitted)) == sorted(map(str, given)):
        moved = next(k for k in range(len(given)) if given[k] != fitted[k])
        return ValueError(
            f"{error}Column {moved} is {given[moved]!r}, but was {fitted[moved]!r}; pass X[list(feature_names_in_)]"
        )
    return error
