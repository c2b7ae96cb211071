"""WeightConcentrationDisplay: how few majority rows hold the raked weights, as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.scores import check_score
from drr.plotting.axes import AFTER_COLOUR, BEFORE_COLOUR, axes, dual_of


class WeightConcentrationDisplay:
    """How few majority rows hold the raked weights: the share of the weight on the heaviest rows.

    Parameters
    ----------
    weights : array of shape (n_majority,)
        Falling, summing to one.

    Attributes
    ----------
    ess : float
        1/Σw², the effective number of rows.
    ax_, figure_ : matplotlib objects
    line_ : matplotlib.lines.Line2D

    Examples
    --------
    >>> from drr import WeightConcentrationDisplay
    >>> display = WeightConcentrationDisplay.from_weights([3, 1, 0, 0])
    >>> display.ess, display.rows_holding(0.5)
    (1.6, 1)
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.weights = weights
        self.ess = float(1.0 / np.sum(weights**2))

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, pos_label: Any = None, ax: Any = None
    ) -> WeightConcentrationDisplay:
        """Draw the weights of a fitted dual.

        Parameters
        ----------
        estimator : RakingDual, DRRClassifier or RakingResampler, or a Pipeline or search that ends in one
            What holds a fitted dual; one of rows in memory, because others keep no weights.
        pos_label : label, optional
            The class to show; needed with three classes or more.
        ax : matplotlib axes, optional

        Returns
        -------
        WeightConcentrationDisplay
        """
        weights = dual_of(estimator, pos_label).require_weights(f"{cls.__name__}.from_estimator")
        return cls.from_weights(weights, ax=ax)

    @classmethod
    def from_weights(cls, weights: ArrayLike, *, ax: Any = None) -> WeightConcentrationDisplay:
        """Draw weights of any sum and order.

        Parameters
        ----------
        weights : array of shape (n_rows,)
        ax : matplotlib axes, optional

        Returns
        -------
        WeightConcentrationDisplay
        """
        array = check_score(weights, "weights")
        if (array < 0).any() or not array.any():
            raise ValueError("weights must not be negative, and at least one must be positive")
        return cls(np.sort(array / array.sum())[::-1]).plot(ax)

    def rows_holding(self, share: float) -> int:
        """Return the smallest number of rows that together hold this share of the weight."""
        cumulative = np.cumsum(self.weights)
        return int(np.searchsorted(cumulative, share * cumulative[-1]) + 1)

    def plot(self, ax: Any = None, **line_options: Any) -> WeightConcentrationDisplay:
        """Draw the curve, with the effective number of rows.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_options : dict
            For the line of the curve, as in ``ax.plot``.

        Returns
        -------
        WeightConcentrationDisplay
            The display itself.
        """
        self.ax_, self.figure_ = axes(ax)
        n_rows = len(self.weights)
        rows = np.arange(1, n_rows + 1)
        # A curve of a million points is no better than one of a thousand, evenly placed on the logarithmic axis.
        places = np.unique(np.geomspace(1, n_rows, 1000).round().astype(np.intp)) - 1
        options = {"color": AFTER_COLOUR, "label": "raked weights"} | line_options
        (self.line_,) = self.ax_.plot(rows[places], np.cumsum(self.weights)[places], **options)
        self.ax_.plot(
            rows[places], rows[places] / n_rows, color=BEFORE_COLOUR, linestyle="--", label="equal weights"
        )
        self.ax_.axvline(
            self.ess,
            color=self.line_.get_color(),
            linestyle=":",
            label=f"effective rows: {self.ess:,.4g} of {n_rows:,}",
        )
        self.ax_.set(
            xscale="log", xlabel="heaviest majority rows", ylabel="share of the weight", ylim=(0, 1.02)
        )
        self.ax_.legend()
        return self
