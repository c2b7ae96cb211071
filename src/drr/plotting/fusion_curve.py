"""FusionCurveDisplay: what the dual adds to the base at every weight, as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from drr._checks.scores import check_labels, check_score
from drr.fusion.gain import GainInterval, gain_interval
from drr.fusion.standardisation import fuse, standardise
from drr.plotting.axes import AFTER_COLOUR, BEFORE_COLOUR, axes, class_index, innermost, rare_labels
from drr.theory import DEPLOYED_WEIGHT


class FusionCurveDisplay:
    """Average precision of the fused score at every weight of the dual, with the paired interval of the gain.

    The curve starts at the base alone (w = 0) and bends towards the dual alone. The band is the average precision of
    the base plus the bootstrap interval of the gain over it: if the band is above the line of the base, the gain is not
    an accident of these rows.

    Parameters
    ----------
    weights : array of shape (n_weights,)
        The weights of the dual, rising from zero.
    gains : list of GainInterval
        The gain over the base at each of them.
    dual_average_precision : float
        Of the dual alone.
    fusion_weight : float
        The weight in use.
    name : str, optional

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
    line_ : matplotlib.lines.Line2D
        The curve.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import FusionCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(500) < 50
    >>> base, dual = rng.normal(size=(2, 500)) + y
    >>> display = FusionCurveDisplay.from_scores(base, dual, y, n_resamples=99, random_state=0)
    >>> bool(display.average_precision.max() > display.average_precision[0])
    True
    """

    def __init__(
        self,
        weights: NDArray[np.float64],
        gains: list[GainInterval],
        *,
        dual_average_precision: float,
        fusion_weight: float,
        name: str | None = None,
    ) -> None:
        self.weights = weights
        self.gains = gains
        self.dual_average_precision = dual_average_precision
        self.fusion_weight = fusion_weight
        self.name = name

    @property
    def average_precision(self) -> NDArray[np.float64]:
        """The average precision of the fused score at each weight."""
        return np.array([gain.fused_average_precision for gain in self.gains])

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        base_score: ArrayLike | None = None,
        pos_label: Any = None,
        weights: ArrayLike | None = None,
        n_resamples: int = 499,
        level: float = 0.95,
        random_state: Any = 0,
        name: str | None = None,
        ax: Any = None,
    ) -> FusionCurveDisplay:
        """Draw the curve of a fitted `DRRClassifier` (or of a pipeline or search that ends in one).

        Parameters
        ----------
        estimator : DRRClassifier, Pipeline or search
            Of a search, its ``best_estimator_``.
        X, y : table and labels, optional
            Rows that took no part in the fit. Without them the held-out rows that the classifier kept are used, on
            which a weight chosen there looks better than it is.
        base_score : array of shape (n_rows,), or (n_rows, n_classes) with three classes or more, optional
            The scores of the base for the rows of X, if they are known already; a classifier from
            `DRRClassifier.from_scores` needs them.
        pos_label : label, optional
            The class to show; needed with three classes or more.
        weights : array, optional
            From 0 to at least 2 by default.
        n_resamples : int, default=499
            Bootstrap resamples for the band.
        level : float, default=0.95
        random_state : int, Generator or RandomState, default=0
        name : str, optional
            For the legend.
        ax : matplotlib axes, optional

        Returns
        -------
        FusionCurveDisplay
        """
        given = estimator
        estimator, X = innermost(given, X)
        if not hasattr(estimator, "fused_score"):
            end = "" if estimator is given else f" that ends in a {type(estimator).__name__}"
            raise TypeError(
                f"{cls.__name__} shows a fitted DRRClassifier, a Pipeline that ends in one, or a search that refitted "
                f"one (best_estimator_), got a {type(given).__name__}{end}; from_scores shows two columns of scores"
            )
        check_is_fitted(estimator)
        k = class_index(estimator, pos_label)
        rescoring = estimator.rescorings_[k]
        if (X is None) != (y is None):
            raise ValueError(f"X and y belong together, but {'X' if X is None else 'y'} was not given")
        if X is None and base_score is not None:
            raise ValueError("base_score belongs to the rows of X, but X was not given")
        if X is None:
            held_out = rescoring.held_out
            base, dual, positive = held_out.base, held_out.dual, held_out.positive
            row_weight = held_out.weights
        else:
            found = estimator.scores(X, base_score=base_score)
            base, dual = rescoring.standardise(_column(found.base, k), _column(found.dual, k))
            positive, row_weight = np.asarray(y) == rare_labels(estimator)[k], None
        options = {
            "sample_weight": row_weight,
            "n_resamples": n_resamples,
            "level": level,
            "random_state": random_state,
        }
        weight = rescoring.fusion_weight
        return cls(
            *fusion_curve(base, dual, positive, weights, weight, **options),
            dual_average_precision=_average_precision(positive, dual, **options),
            fusion_weight=weight,
            name=name,
        ).plot(ax)

    @classmethod
    def from_scores(
        cls,
        base_score: ArrayLike,
        dual_score: ArrayLike,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        fusion_weight: float = DEPLOYED_WEIGHT,
        weights: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_resamples: int = 499,
        level: float = 0.95,
        random_state: Any = 0,
        name: str | None = None,
        ax: Any = None,
    ) -> FusionCurveDisplay:
        """Draw the curve of two columns of scores, each standardised here.

        Parameters
        ----------
        base_score, dual_score : array of shape (n_rows,)
            Scores of rows that fitted neither.
        y : array of shape (n_rows,)
        pos_label : label, optional
            The rare class.
        fusion_weight : float, default=0.5
            The weight to mark.
        weights : array, optional
        sample_weight : array of shape (n_rows,), optional
        n_resamples : int, default=499
        level : float, default=0.95
        random_state : int, Generator or RandomState, default=0
        name : str, optional
        ax : matplotlib axes, optional

        Returns
        -------
        FusionCurveDisplay
        """
        base = check_score(base_score, "base_score")
        dual = check_score(dual_score, "dual_score", len(base))
        base = standardise(base, sample_weight=sample_weight).transform(base)
        dual = standardise(dual, sample_weight=sample_weight).transform(dual)
        positive = check_labels(y, len(base), pos_label)
        options = {
            "sample_weight": sample_weight,
            "n_resamples": n_resamples,
            "level": level,
            "random_state": random_state,
        }
        return cls(
            *fusion_curve(base, dual, positive, weights, fusion_weight, **options),
            dual_average_precision=_average_precision(positive, dual, **options),
            fusion_weight=fusion_weight,
            name=name,
        ).plot(ax)

    def plot(self, ax: Any = None, **line_options: Any) -> FusionCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_options : dict
            For the line of the curve, as in ``ax.plot``.

        Returns
        -------
        FusionCurveDisplay
            The display itself.
        """
        self.ax_, self.figure_ = axes(ax)
        base = self.gains[0].base_average_precision
        options = {"color": AFTER_COLOUR, "label": self.name or "base + w · dual"} | line_options
        (self.line_,) = self.ax_.plot(self.weights, self.average_precision, **options)
        self.ax_.fill_between(
            self.weights,
            [base + gain.low for gain in self.gains],
            [base + gain.high for gain in self.gains],
            color=self.line_.get_color(),
            alpha=0.15,
            linewidth=0,
            label=f"{self.gains[0].level:.0%} interval of the gain",
        )
        self.ax_.axhline(base, color=BEFORE_COLOUR, linestyle="--", label="base alone")
        self.ax_.axhline(self.dual_average_precision, color=BEFORE_COLOUR, linestyle=":", label="dual alone")
        chosen = int(np.argmin(np.abs(self.weights - self.fusion_weight)))
        self.ax_.plot(
            self.weights[chosen],
            self.average_precision[chosen],
            "o",
            color=self.line_.get_color(),
            label=f"w = {self.fusion_weight:.3g} in use",
        )
        self.ax_.set(xlabel="weight w of the dual", ylabel="average precision")
        self.ax_.margins(x=0)
        self.ax_.legend()
        return self


def fusion_curve(
    base: NDArray[np.float64],
    dual: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: ArrayLike | None,
    fusion_weight: float,
    **options: Any,
) -> tuple[NDArray[np.float64], list[GainInterval]]:
    """Return the weights, 0 and the one in use among them, and the gain over the base at each."""
    grid = _weight_grid(fusion_weight) if weights is None else check_score(weights, "weights")
    grid = np.union1d(grid, [0.0, fusion_weight])
    return grid, [gain_interval(positive, base, fuse(base, dual, weight), **options) for weight in grid]


def _average_precision(positive: NDArray[np.bool_], score: NDArray[np.float64], **options: Any) -> float:
    return gain_interval(positive, score, score, **(options | {"n_resamples": 1})).base_average_precision


def _weight_grid(fusion_weight: float) -> NDArray[np.float64]:
    return np.linspace(0.0, max(2.0, 1.25 * fusion_weight), 41)


def _column(scores: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    return scores if scores.ndim == 1 else scores[:, k]
