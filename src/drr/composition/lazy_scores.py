"""Dask collections: their labels are gathered to fit, their scores stay lazy and belong to the same partitions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from drr._checks.rows import is_dask

Method = TypeVar("Method", bound=Callable[..., Any])


def gather_if_lazy(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Return rows, labels and weights; those of a Dask collection as a table, with labels and weights in memory."""
    if not is_dask(X):
        return X, y, sample_weight
    from drr.streaming.dask_table import gather_labels

    return gather_labels(X, y, sample_weight)


def lazy_on_dask(method: Method) -> Method:
    """Make a scoring method of a classifier return a Dask collection for one; other rows are scored at once."""

    @functools.wraps(method)
    def score(self: Any, X: Any, **options: Any) -> Any:
        if not is_dask(X):
            return method(self, X, **options)
        check_is_fitted(self)
        given = [name for name, option in options.items() if option is not None]
        if given:
            raise TypeError(
                f"{' and '.join(given)} cannot be given with a Dask collection; map {method.__name__} over the "
                "partitions of rows and scores yourself"
            )
        from drr.streaming.dask import map_lazily

        function = getattr(self, method.__name__)
        if method.__name__ == "predict":
            return map_lazily(X, function, dtype=self.classes_.dtype)
        has_columns = method.__name__ == "predict_proba" or len(self.classes_) > 2
        return map_lazily(
            X, function, columns=self.classes_.tolist() if has_columns else None, dtype=np.float64
        )

    return cast(Method, score)
