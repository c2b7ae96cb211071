"""A classifier that knows only the labels 0, 1, …, behind one that knows the user's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone


class CodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a classifier on the positions of the labels among the sorted classes, as XGBoost wants them."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: NDArray[Any], **fit_params: Any) -> CodedLabels:
        """Fit a clone on codes in place of labels."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, codes, **fit_params)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        return np.asarray(self.classes_[np.asarray(self.estimator_.predict(X)).astype(np.intp)])

    def __getattr__(self, name: str) -> Any:
        # Scores need no decoding. They exist exactly if the classifier has them.
        if name in ("predict_proba", "decision_function") and "estimator_" in self.__dict__:
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
