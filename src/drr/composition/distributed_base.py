"""Bases that are fitted on a Dask collection where it is: those of dask-ml, xgboost.dask and lightgbm.dask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from drr.composition.coded_labels import CodedLabels


def is_distributed(estimator: Any) -> bool:
    """Return whether an estimator takes Dask collections, which the module says that it or an ancestor is from.

    Others would take one: to them it is an array, and they bring it here whole.
    """
    modules = (part for each in type(estimator).__mro__ for part in each.__module__.split("."))
    return any(part == "dask" or part.startswith("dask_") for part in modules)


def fit_distributed(estimator: Any, X: Any, y: NDArray[Any], fit_params: Mapping[str, Any]) -> CodedLabels:
    """Return a clone fitted on the rows of a Dask table, which stay with the workers; it scores rows in memory.

    All labels are codes: XGBoost takes no others, and a Dask array of texts has no known length.
    """
    coded = CodedLabels(estimator)
    coded.classes_, codes = np.unique(y, return_inverse=True)
    n_rows = len(codes)
    of_rows = {name: value for name, value in fit_params.items() if np.shape(value)[:1] == (n_rows,)}
    rows, vectors = X.as_collections([codes, *of_rows.values()])
    params = {**fit_params, **dict(zip(of_rows, vectors[1:], strict=True))}
    coded.estimator_ = local_model(clone(estimator).fit(rows, vectors[0], **params))
    return coded


def local_model(fitted: Any) -> Any:
    """Return the model as one that scores rows in memory, without a cluster."""
    if hasattr(fitted, "to_local"):  # LightGBM
        return fitted.to_local()
    if hasattr(fitted, "get_booster"):
        from xgboost import XGBClassifier

        local = XGBClassifier()
        local.load_model(fitted.get_booster().save_raw("ubj"))
        return local
    return fitted
