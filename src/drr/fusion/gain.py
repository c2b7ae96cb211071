"""The gain of one score over another in average precision, with its paired bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.scores import (
    check_between,
    check_count,
    check_generator,
    check_labels,
    check_sample_weight,
    check_score,
)
from drr._native.ranking import Ranking
from drr.fusion.bootstrap import MIN_RARE, interval_tails, merge_rows, resample_totals


@dataclass(frozen=True)
class GainInterval:
    """The gain in average precision of one score over another on the same rows, with its interval.

    Examples
    --------
    >>> from drr import gain_interval
    >>> result = gain_interval([0, 0, 1, 1], [1, 3, 2, 4], [1, 2, 3, 4], n_resamples=99, random_state=0)
    >>> round(result.base_average_precision, 4), result.fused_average_precision, round(result.gain, 4)
    (0.8333, 1.0, 0.1667)
    >>> print(result)
    average precision 0.833 → 1.000, gain +0.167, no interval: 2 rare rows are fewer than 10
    """

    gain: float
    """fused_average_precision − base_average_precision"""
    low: float
    high: float
    level: float
    n_resamples: int
    base_average_precision: float
    """with rows of equal score in random order, on average"""
    fused_average_precision: float
    n_positive: int = MIN_RARE
    """rows of the rare class; below ten there is no interval, and its ends are not numbers"""

    @property
    def has_interval(self) -> bool:
        """Whether there are enough rows of the rare class for an interval."""
        return not np.isnan(self.low)

    @property
    def interval_text(self) -> str:
        """The interval in words."""
        if not self.has_interval:
            return f"no interval: {self.n_positive} rare rows are fewer than {MIN_RARE}"
        return f"{self.level:.0%} interval {self.low:+.3f} to {self.high:+.3f}"

    def widened(self, factor: float) -> GainInterval:
        """Return the same gain with each end of its interval this many times as far away."""
        low, high = (self.gain + factor * (end - self.gain) for end in (self.low, self.high))
        return replace(self, low=low, high=high)

    @property
    def is_gain(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.low > 0

    @property
    def is_loss(self) -> bool:
        """Whether the whole interval is below zero."""
        return self.high < 0

    def __str__(self) -> str:
        return (
            f"average precision {self.base_average_precision:.3f} → {self.fused_average_precision:.3f}, gain "
            f"{self.gain:+.3f}, {self.interval_text}"
        )


def gain_interval(
    y: ArrayLike,
    base_score: ArrayLike,
    fused_score: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
    stratify: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> GainInterval:
    """Compute the paired bootstrap interval of the gain in average precision.

    Each resample draws rows with replacement and ranks the same rows by both scores. Rows of equal score count as in
    random order, on average: otherwise a second score that only breaks the ties of the first would seem to help. With
    weights such rows are crossed together, as in scikit-learn.

    The percentiles are those of an expanded interval, which with few rows of the rare class is wider; below ten such
    rows there is no interval (its ends are not numbers), and neither `is_gain` nor `is_loss` is true.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Two classes: 0 and 1, −1 and 1 or booleans, otherwise with `pos_label`.
    base_score, fused_score : array of shape (n_rows,)
        The two scores to compare; higher means more likely in the rare class.
    level : float, default=0.95
        Confidence level of the interval.
    n_resamples : int, default=9999
    random_state : int, Generator or RandomState, optional
    stratify : bool, default=True
        Draw within each class: the interval is for the given class counts, on which average precision
        depends. Otherwise draw among all rows; a resample without both classes is drawn again.
    sample_weight : array of shape (n_rows,), optional
    pos_label : label, optional
        The rare class.

    Returns
    -------
    GainInterval

    Examples
    --------
    >>> import numpy as np
    >>> from drr import gain_interval
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(500) < 50
    >>> base = rng.normal(size=500) + y
    >>> fused = base + rng.normal(size=500) + 2 * y
    >>> result = gain_interval(y, base, fused, n_resamples=999, random_state=0)
    >>> result.is_gain, result.low < result.gain < result.high
    (True, True)
    """
    base = check_score(base_score, "base_score")
    fused = check_score(fused_score, "fused_score", len(base))
    positive = check_labels(y, len(base), pos_label)
    row_weight = check_sample_weight(sample_weight, positive)
    level = check_between(level, 0.0, 1.0, "level")
    n_resamples = check_count(n_resamples, "n_resamples")
    generator = check_generator(random_state)
    if row_weight is not None:
        present = row_weight > 0
        base, fused, positive, row_weight = (
            base[present],
            fused[present],
            positive[present],
            row_weight[present],
        )
        if (row_weight == row_weight[0]).all():
            row_weight = None

    cells = [merge_rows(score, positive) for score in (base, fused)]
    rankings = [Ranking(each.score, each.positive) for each in cells]
    columns = [each.cell_of_row for each in cells]
    base_precision, fused_precision = (
        float(_precisions(ranking, np.bincount(column, weights=row_weight))[0])
        for ranking, column in zip(rankings, columns, strict=True)
    )
    n_positive = int(positive.sum())
    low = high = np.nan
    if n_positive >= MIN_RARE:
        gains = []
        for base_totals, fused_totals in resample_totals(
            columns, positive, n_resamples, generator, row_weight=row_weight, stratify=stratify
        ):
            gains.append(_precisions(rankings[1], fused_totals) - _precisions(rankings[0], base_totals))
        low, high = np.quantile(np.concatenate(gains), interval_tails(level, n_positive))
    return GainInterval(
        gain=fused_precision - base_precision,
        low=float(low),
        high=float(high),
        level=level,
        n_resamples=n_resamples,
        base_average_precision=base_precision,
        fused_average_precision=fused_precision,
        n_positive=n_positive,
    )


def _precisions(ranking: Ranking, totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return average precisions with ties in random order; with weights they are crossed together."""
    if totals.dtype.kind == "f":
        return ranking.average_precision(totals)
    return ranking.expected_average_precision(totals)
