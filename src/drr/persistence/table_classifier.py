"""TableClassifier: a fitted classifier that prepares tables by itself, as the command line saves it."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from drr.classifier import DRRClassifier
from drr.features.preparation import TablePreparation


class TableClassifier(DRRClassifier):
    """A `DRRClassifier` that takes tables as they are read from files.

    `drr fit` saves its models as this, and `drr.load` returns them. Every method takes the frame that
    ``pandas.read_csv``, ``pandas.read_parquet``, polars or pyarrow make of a file, with its columns in any order and
    others next to them, and gives what `drr score` writes.

    The preparation is made by `drr fit`; the parameters are those of `DRRClassifier`.
    """

    @classmethod
    def of(cls, classifier: DRRClassifier, preparation: TablePreparation) -> TableClassifier:
        """Return a classifier that was fitted on prepared rows, together with their preparation."""
        prepared = cls(**classifier.get_params(deep=False))
        prepared.__dict__.update(classifier.__dict__)
        prepared.preparation = preparation
        return prepared

    def unprepared(self) -> DRRClassifier:
        """Return the classifier alone, for rows that were prepared already."""
        alone = DRRClassifier(**self.get_params(deep=False))
        alone.__dict__.update({name: value for name, value in vars(self).items() if name != "preparation"})
        return alone

    preparation: TablePreparation

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> DRRClassifier:
        """Prepare the table as before, and fit."""
        return super().fit(self.preparation.prepare(X), y, sample_weight, **fit_params)

    def _check_rows(self, X: Any) -> Any:
        return super()._check_rows(self.preparation.prepare(X))

    def __sklearn_clone__(self) -> TableClassifier:
        """Keep the preparation, which is learned from the command line's options and not from rows."""
        parameters = {name: clone(value, safe=False) for name, value in self.get_params(deep=False).items()}
        copy = type(self)(**parameters)
        copy.preparation = self.preparation
        return copy
