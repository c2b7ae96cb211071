"""MomentBalanceDisplay: how near raking brought the majority to the rare class in each moment, as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from drr.plotting.axes import AFTER_COLOUR, BEFORE_COLOUR, axes, dual_of
from drr.raking.diagnostics import Moments


class MomentBalanceDisplay:
    """How far the majority's mean of each moment is from that of the rare class, before and after raking.

    Parameters
    ----------
    moments : Moments
        What to show.
    discrepancy_before, discrepancy_after : float
        The Euclidean norm of all gaps, also of moments that are not shown.
    n_hidden : int, default=0
        How many moments are not among `moments`.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
    before_, after_ : matplotlib.collections.PathCollection
        The two sets of points.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import MomentBalanceDisplay, RakingDual
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) < 20
    >>> X = rng.normal(size=(400, 3)) + y[:, None]
    >>> display = MomentBalanceDisplay.from_moments(RakingDual(random_state=0).fit(X, y).moments_)
    >>> display.discrepancy_after < display.discrepancy_before
    True
    """

    def __init__(
        self, moments: Moments, *, discrepancy_before: float, discrepancy_after: float, n_hidden: int = 0
    ) -> None:
        self.moments = moments
        self.discrepancy_before = discrepancy_before
        self.discrepancy_after = discrepancy_after
        self.n_hidden = n_hidden

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        pos_label: Any = None,
        random_features: bool = False,
        max_moments: int = 20,
        ax: Any = None,
    ) -> MomentBalanceDisplay:
        """Draw the moments of a fitted dual.

        Parameters
        ----------
        estimator : RakingDual, DRRClassifier or RakingResampler, or a Pipeline or search that ends in one
            What holds a fitted dual.
        pos_label : label, optional
            The class to show; needed with three classes or more.
        random_features : bool, default=False
            Show the random Fourier features as well, whose names say nothing.
        max_moments : int, default=20
            The most moments to show, those with the largest gaps first.
        ax : matplotlib axes, optional

        Returns
        -------
        MomentBalanceDisplay
        """
        dual = dual_of(estimator, pos_label)
        shown = np.ones(len(dual.moments_.names), dtype=bool)
        if not random_features:
            shown[getattr(dual.feature_map_, "blocks_", {}).get("fourier", slice(0))] = False
        return cls.from_moments(dual.moments_, shown=shown, max_moments=max_moments, ax=ax)

    @classmethod
    def from_moments(
        cls, moments: Moments, *, shown: ArrayLike | None = None, max_moments: int = 20, ax: Any = None
    ) -> MomentBalanceDisplay:
        """Draw the moments with the largest gaps, before or after raking.

        Parameters
        ----------
        moments : Moments
            The `moments_` of a fitted dual.
        shown : boolean array, optional
            Which moments may be shown.
        max_moments : int, default=20
        ax : matplotlib axes, optional

        Returns
        -------
        MomentBalanceDisplay
        """
        before, after = moments.base - moments.target, moments.raked - moments.target
        allowed = np.arange(len(before))[slice(None) if shown is None else np.asarray(shown, dtype=bool)]
        size = np.maximum(np.abs(before), np.abs(after))[allowed]
        kept = allowed[np.argsort(-size, kind="stable")[:max_moments]]
        return cls(
            Moments(moments.names[kept], moments.target[kept], moments.base[kept], moments.raked[kept]),
            discrepancy_before=float(np.linalg.norm(before)),
            discrepancy_after=float(np.linalg.norm(after)),
            n_hidden=len(before) - len(kept),
        ).plot(ax)

    def plot(self, ax: Any = None) -> MomentBalanceDisplay:
        """Draw one line per moment, from its gap before raking to its gap after.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        MomentBalanceDisplay
            The display itself.
        """
        n_moments = len(self.moments.names)
        self.ax_, self.figure_ = axes(ax, height=max(2.5, 1.2 + 0.24 * n_moments))
        before = self.moments.base - self.moments.target
        after = self.moments.raked - self.moments.target
        height = np.arange(n_moments)
        self.ax_.axvline(0.0, color="0.8", linewidth=1, zorder=0)
        self.ax_.hlines(height, before, after, color="0.8", zorder=1)
        self.before_ = self.ax_.scatter(
            before, height, facecolors="white", edgecolors=BEFORE_COLOUR, label="before raking", zorder=2
        )
        self.after_ = self.ax_.scatter(
            after, height, color=AFTER_COLOUR, label="after", zorder=3, s=self.before_.get_sizes() * 0.6
        )
        self.ax_.set_yticks(height, [str(name) for name in self.moments.names])
        self.ax_.invert_yaxis()
        hidden = f", {self.n_hidden} more not shown" if self.n_hidden else ""
        self.ax_.set_title(
            f"distance {self.discrepancy_before:.3g} → {self.discrepancy_after:.3g}{hidden}",
            fontsize="medium",
        )
        self.ax_.set_xlabel("majority mean − rare mean, in units of the feature map")
        self.ax_.legend()
        return self
