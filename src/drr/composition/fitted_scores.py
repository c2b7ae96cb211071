"""What a fitted classifier says: scores, labels and probabilities of rows, and how much the dual gains."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from drr._checks.scores import check_score_columns
from drr._checks.tables import check_fitted, check_table, names_were_checked
from drr.composition.lazy_scores import lazy_on_dask
from drr.composition.models import Models
from drr.composition.multiclass import class_decision, class_probabilities
from drr.composition.prior import check_prior, shift_prior
from drr.composition.rescoring import Rescoring, honest_fused
from drr.composition.scores import Scores
from drr.fusion.gain import GainInterval, gain_interval
from drr.fusion.separation import Separation, separation

# Models of different folds share most of their rows, so that held-out scores vary together more than resampled rows
# do. Measured on tables without signal: without this factor 6 % of the intervals of the gain lie above zero.
FOLD_WIDENING = 1.3


def _has_probabilities(classifier: FittedScores) -> bool:
    """Return whether there is a calibration, or will be one after fit."""
    if hasattr(classifier, "rescorings_"):
        return all(rescoring.calibration is not None for rescoring in classifier.rescorings_)
    return classifier.calibration is not None


class FittedScores:
    """The methods of a fitted classifier; `DRRClassifier.fit` sets what they read."""

    calibration: str | None
    classes_: NDArray[Any]
    holdout_: str
    pos_label_: Any
    rescorings_: list[Rescoring]
    _models: Models
    _seed: int

    @lazy_on_dask
    def fused_score(self, X: Any, *, base_score: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the fused score s of each row; higher means more likely in the rare class.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        base_score : array, optional
            The scores of the base for these rows, if they are known already.

        Returns
        -------
        array of shape (n_rows,), or (n_rows, n_classes) with three classes or more
        """
        fused = self._fuse(*self._raw_columns(X, base_score))
        return fused[:, 0] if self._is_binary else fused

    def scores(self, X: Any, *, base_score: ArrayLike | None = None) -> Scores:
        """Score rows once: base, dual, fused score, probability and label together.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        base_score : array, optional
            The scores of the base for these rows, if they are known already.

        Returns
        -------
        Scores
        """
        base, dual = self._raw_columns(X, base_score)
        fused = self._fuse(base, dual)
        probability = None
        if _has_probabilities(self):
            probability = self._probabilities(fused)
            if self._is_binary:
                probability = probability[:, int(self._rare_is_second)]
        label = self._labels(self._decision(fused))
        if self._is_binary:
            base, dual, fused = base[:, 0], dual[:, 0], fused[:, 0]
        return Scores(base, dual, fused, probability, label)

    @lazy_on_dask
    def base_score(self, X: Any) -> NDArray[np.float64]:
        """Return the raw score of the base for the rare class, or for each of three or more classes."""
        check_is_fitted(self)
        self._check_has_base()
        X = self._check_rows(X)
        with names_were_checked(self, X):
            scores = self._models.base_scores(X)
        return scores[:, 0] if self._is_binary else scores

    @lazy_on_dask
    def dual_score(self, X: Any) -> NDArray[np.float64]:
        """Return the estimated log density ratio of the rare class, or of each of three or more classes."""
        check_is_fitted(self)
        X = self._check_rows(X)
        with names_were_checked(self, X):
            scores = self._models.dual_scores(X)
        return scores[:, 0] if self._is_binary else scores

    @lazy_on_dask
    def decision_function(self, X: Any, *, base_score: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the fused score minus the cut, positive for ``classes_[1]`` if and only if `predict` says so.

        With three classes or more one column per class, of which the largest is predicted.
        """
        return self._decision(self._fuse(*self._raw_columns(X, base_score)))

    @lazy_on_dask
    def predict(self, X: Any, *, base_score: ArrayLike | None = None) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        base_score : array, optional

        Returns
        -------
        array of shape (n_rows,)
        """
        return self._labels(self.decision_function(X, base_score=base_score))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @lazy_on_dask
    def predict_proba(
        self, X: Any, *, base_score: ArrayLike | None = None, target_prior: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return calibrated probabilities, one column per class.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        base_score : array, optional
        target_prior : float or array of shape (n_classes,), optional
            The share of the rare class, or of every class, where the probabilities are to hold; by default that of the
            held-out rows. If only the shares of the classes change and not the rows within them, the log-odds shift by
            the difference of the log-odds of the shares.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        probabilities = self._probabilities(self._fuse(*self._raw_columns(X, base_score)))
        if target_prior is None:
            return probabilities
        shares = [each.held_out.rare_share for each in self.rescorings_]
        target = check_prior(target_prior, len(self.classes_))
        if self._is_binary:
            shares = [1 - shares[0], shares[0]] if self._rare_is_second else [shares[0], 1 - shares[0]]
            if np.ndim(target_prior) == 0 and not self._rare_is_second:
                target = target[::-1]
        return shift_prior(probabilities, np.array(shares), target)

    @property
    def estimator_(self) -> Any:
        return self._models.base

    @property
    def dual_(self) -> Any:
        return self._one_or_all(self._models.duals)

    @property
    def fusion_weight_(self) -> Any:
        return self._one_or_all([rescoring.fusion_weight for rescoring in self.rescorings_])

    @property
    def calibrator_(self) -> Any:
        return self._one_or_all([rescoring.calibration for rescoring in self.rescorings_])

    @property
    def threshold_(self) -> Any:
        return self._one_or_all([rescoring.cut for rescoring in self.rescorings_])

    @cached_property
    def gain_(self) -> GainInterval | list[GainInterval]:
        check_is_fitted(self)
        self._check_both_classes_held_out()
        gains = [
            gain_interval(
                each.held_out.positive,
                each.held_out.base,
                honest_fused(each),
                sample_weight=each.held_out.weights,
                random_state=self._seed,
            )
            for each in self.rescorings_
        ]
        return self._one_or_all([gain.widened(self._widening) for gain in gains])  # type: ignore[no-any-return]

    @cached_property
    def separation_(self) -> Separation | list[Separation]:
        gains = self.gain_ if isinstance(self.gain_, list) else [self.gain_]
        for label, gain in zip(self._models.rare_labels.tolist(), gains, strict=True):
            if gain.is_loss:
                _warn_of_loss(label, gain)
        separations = [
            separation(
                each.held_out.base,
                each.held_out.dual,
                each.held_out.positive,
                weight=each.fusion_weight,
                sample_weight=each.held_out.weights,
                random_state=self._seed,
            )
            for each in self.rescorings_
        ]
        return self._one_or_all([each.widened(self._widening) for each in separations])  # type: ignore[no-any-return]

    @property
    def _widening(self) -> float:
        return FOLD_WIDENING if getattr(self, "_is_cross_fitted", False) else 1.0

    def __str__(self) -> str:
        """Add to the parameters how the fit went, for people; `gain_` only if somebody asked for it before."""
        if "pos_label_" not in self.__dict__:
            return repr(self)
        weights = np.atleast_1d(self.fusion_weight_)
        span = f"{weights.min():.3g}" + (f" to {weights.max():.3g}" if len(weights) > 1 else "")
        line = f"fitted: held out {self.holdout_}; weight of the dual {span}"
        gain = self.__dict__.get("gain_")
        return f"{self!r}\n{line}" + (f"; {gain}" if isinstance(gain, GainInterval) else "")

    def _check_both_classes_held_out(self) -> None:
        for label, each in zip(self._models.rare_labels.tolist(), self.rescorings_, strict=True):
            n_rare, n_rows = int(each.held_out.positive.sum()), len(each.held_out.positive)
            if n_rare in (0, n_rows):
                raise AttributeError(
                    f"gain_ and separation_ need held-out rows of class {label!r} and of others, but of the {n_rows} "
                    f"rows held out {n_rare} are of that class"
                )

    def __dir__(self) -> list[str]:
        """Leave out what its first use computes: displays and completions ask for every name that they see."""
        waiting = {"gain_", "separation_"} - self.__dict__.keys()
        return [name for name in object.__dir__(self) if name not in waiting and hasattr(self, name)]

    def _raw_columns(
        self, X: Any, base_score: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores of base and dual, one column per class that is scored."""
        check_fitted(self)
        X = self._check_rows(X)
        with names_were_checked(self, X):
            dual = self._models.dual_scores(X)
            if base_score is not None:
                return check_score_columns(base_score, len(dual), len(self.rescorings_)), dual
            self._check_has_base()
            return self._models.base_scores(X), dual

    def _fuse(self, base: NDArray[np.float64], dual: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = [each.fuse(base[:, k], dual[:, k]) for k, each in enumerate(self.rescorings_)]
        return np.stack(columns, axis=1)

    def _decision(self, fused: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self._is_binary:
            return class_decision(self.rescorings_, fused)
        above = fused[:, 0] - self.rescorings_[0].cut
        if self._rare_is_second:
            return above
        # At the cut a row is not rare, so it is of the second class.
        return np.where(above == 0, np.finfo(np.float64).tiny, -above)

    def _labels(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        winners = (decision > 0).astype(np.intp) if self._is_binary else np.argmax(decision, axis=1)
        return np.asarray(self.classes_[winners])

    def _probabilities(self, fused: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self._is_binary:
            return class_probabilities(self.rescorings_, fused)
        rare = self.calibrator_.predict(fused[:, 0])
        return np.stack([1 - rare, rare] if self._rare_is_second else [rare, 1 - rare], axis=1)

    def _check_rows(self, X: Any) -> Any:
        """Return rows to score, checked against those of the fit; the place to prepare them first."""
        return check_table(self, X, reset=False)

    def _check_has_base(self) -> None:
        if self._models.base is None:
            raise ValueError(
                "this classifier was fitted from scores and has no base; pass the scores of the new rows as base_score"
            )

    @property
    def _is_binary(self) -> bool:
        return len(self.rescorings_) == 1

    @property
    def _rare_is_second(self) -> bool:
        return bool(self.pos_label_ == self.classes_[1])

    def _one_or_all(self, values: list[Any]) -> Any:
        return values[0] if len(values) == 1 else values


def _warn_of_loss(label: Any, gain: GainInterval) -> None:
    warnings.warn(
        f"On the held-out rows the dual lowers the average precision for class {label!r}, from "
        f"{gain.base_average_precision:.4g} to {gain.fused_average_precision:.4g} (gain {gain.gain:.4g}, "
        f"{gain.level:.0%} interval {gain.low:.4g} to {gain.high:.4g}). Lower fusion_weight or set it to 'auto'.",
        UserWarning,
        stacklevel=4,
    )
