"""The score of a base classifier for one class, and how a base is fitted or taken as it is."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from drr._checks.messages import listed
from drr._checks.rows import is_source
from drr._checks.tables import take_rows
from drr._native.tasks import task
from drr.composition.coded_labels import CodedLabels
from drr.composition.distributed_base import fit_distributed, is_distributed, local_model
from drr.features.table_encoder import categorical_names


def is_fitted(estimator: Any) -> bool:
    """Return whether an estimator is to be used as it is: frozen, or fitted before."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def fitted_copy(estimator: Any, X: Any, y: NDArray[Any], fit_params: Mapping[str, Any]) -> Any:
    """Return the estimator itself if it is fitted, otherwise a clone fitted on these rows."""
    if is_fitted(estimator):
        return local_model(estimator) if is_distributed(estimator) else estimator
    if is_distributed(estimator) and hasattr(X, "as_collections"):
        return fit_distributed(estimator, X, y, fit_params)
    copy = clone(estimator)
    try:
        with task(type(copy).__name__, 0, copy):
            return copy.fit(X, y, **fit_params)
    except (TypeError, ValueError) as error:
        coded = _fitted_on_codes(estimator, X, y, fit_params)
        if coded is not None:
            return coded
        if is_source(X):
            raise TypeError(
                f"{type(estimator).__name__} is not fitted yet, and cannot be fitted on rows that are read block by "
                f"block ({str(error).splitlines()[0]}). Fit it first, on as many rows as fit in memory, and pass it "
                "fitted; for a Dask collection, a base of dask-ml, xgboost.dask or lightgbm.dask is fitted where it is"
            ) from error
        if names := categorical_names(X):
            raise ValueError(
                f"{type(estimator).__name__} could not be fitted: {str(error).splitlines()[0]}. It sees the table as "
                f"it is, with text or categories in {listed(names)}. Leave out the base for one that "
                "encodes them, pass a pipeline that does, or make them pandas categories, X.astype({name: "
                "'category'}), for a base that takes those, such as "
                "HistGradientBoostingClassifier(categorical_features='from_dtype'). The dual encodes them itself"
            ) from error
        raise


def _fitted_on_codes(estimator: Any, X: Any, y: NDArray[Any], fit_params: Mapping[str, Any]) -> Any:
    """Return the estimator fitted on the labels 0, 1, …; None if other labels were not why it failed."""
    classes = np.unique(y)
    if is_source(X) or np.array_equal(classes, np.arange(len(classes))):
        return None
    try:
        return CodedLabels(estimator).fit(X, y, **fit_params)
    except (TypeError, ValueError):
        return None


def take_params(params: Mapping[str, Any], rows: NDArray[np.intp], n_rows: int) -> dict[str, Any]:
    """Fit parameters for some of the rows: what has one entry per row is indexed, the rest is passed on."""
    return {name: _take(value, rows, n_rows) for name, value in params.items()}


def check_has_score(estimator: Any) -> None:
    """Raise TypeError if the estimator has no score method."""
    if not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a classifier with fit, or None, got {estimator!r}")
    if not _has_score(estimator):
        raise TypeError(
            f"estimator={estimator!r} has neither predict_proba nor decision_function; a base classifier needs one of "
            "them. Wrap it in a classifier that has, for example sklearn.calibration.CalibratedClassifierCV, or "
            "rescore a column of its scores with DRRClassifier.from_scores"
        )


def _has_score(estimator: Any) -> bool:
    """Return whether there is, or will be, a score: a stack without final estimator adds a logistic regression."""
    if hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function"):
        return True
    return isinstance(estimator, StackingClassifier) and estimator.final_estimator is None


def weightless_params(estimator: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return `params`, without sample_weight and with a warning if the estimator does not accept it."""
    if "sample_weight" not in params or is_fitted(estimator) or has_fit_parameter(estimator, "sample_weight"):
        return dict(params)
    warnings.warn(
        f"{type(estimator).__name__} does not accept sample_weight: the weights go to the dual, the standardisation, "
        "the calibration and the cut only.",
        UserWarning,
        stacklevel=4,
    )
    return {name: value for name, value in params.items() if name != "sample_weight"}


def base_scores(estimator: Any, X: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return one column per label: its probability, or its decision function if there are no probabilities."""
    check_has_score(estimator)
    if is_source(X):
        return np.asarray(X.map(lambda block: base_scores(estimator, block, labels)))
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise TypeError(f"estimator={estimator!r} has no classes_ once it is fitted: it is not a classifier")
    positions = [_position(classes, label) for label in labels.tolist()]
    if hasattr(estimator, "predict_proba"):
        probabilities = _per_class(estimator.predict_proba(X), len(classes), estimator)
        return _finite(probabilities[:, positions], estimator)
    decision = np.asarray(estimator.decision_function(X), dtype=np.float64)
    if decision.ndim == 1:  # of two classes, positive for the second
        decision = np.stack([-decision, decision], axis=1)
    elif _scores_pairs(estimator):  # of three classes there are as many pairs
        raise ValueError(
            f"the decision function of {type(estimator).__name__} compares pairs of classes; one column per class is "
            "needed: set decision_function_shape='ovr'"
        )
    if decision.shape[1] != len(classes):
        raise ValueError(
            f"the decision function of {type(estimator).__name__} has {decision.shape[1]} columns for {len(classes)} "
            "classes; one column per class is needed"
        )
    return _finite(decision[:, positions], estimator)


def _per_class(given: Any, n_classes: int, estimator: Any) -> NDArray[np.float64]:
    """Return one column of probabilities per class; of two classes, a single column is that of the second."""
    probabilities = np.asarray(given, dtype=np.float64)
    if n_classes == 2 and probabilities.shape[1:] in ((), (1,)):
        second = probabilities.reshape(-1)
        return np.stack([1 - second, second], axis=1)
    if probabilities.ndim != 2 or probabilities.shape[1] != n_classes:
        raise ValueError(
            f"predict_proba of {type(estimator).__name__} returns shape {probabilities.shape} for {n_classes} classes; "
            "one column per class is needed"
        )
    return probabilities


def _finite(scores: NDArray[np.float64], estimator: Any) -> NDArray[np.float64]:
    if not np.isfinite(scores).all():
        row = int(np.argmax(~np.isfinite(scores).all(axis=1)))
        raise ValueError(
            f"the base {type(estimator).__name__} scores row {row} as {scores[row].tolist()}; its scores must be finite"
        )
    return scores


def _scores_pairs(estimator: Any) -> bool:
    """Return whether a support vector machine, also in a pipeline, has a column per pair of classes."""
    return getattr(last_step(estimator), "decision_function_shape", None) == "ovo"


def last_step(estimator: Any) -> Any:
    """Return what a pipeline ends in; any other estimator itself."""
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def _position(classes: NDArray[Any], label: Any) -> int:
    matches = np.flatnonzero([bool(each == label) for each in classes.tolist()])
    if len(matches) != 1:
        raise ValueError(
            f"the fitted estimator does not know the class {label!r}; it was fitted on {classes.tolist()}"
        )
    return int(matches[0])


def _take(value: Any, rows: NDArray[np.intp], n_rows: int) -> Any:
    if not hasattr(value, "__len__") and hasattr(value, "__array__"):
        value = np.asarray(value)
    is_scalar = isinstance(value, np.ndarray) and value.ndim == 0
    if is_scalar or isinstance(value, str) or not hasattr(value, "__len__") or len(value) != n_rows:
        return value
    return take_rows(np.asarray(value) if isinstance(value, list | tuple) else value, rows)
