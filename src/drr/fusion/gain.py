"""The gain of one score over another in average precision, with its paired bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from drr._checks.scores import (
    check_between,
    check_count,
    check_generator,
    check_labels,
    check_sample_weight,
    check_score,
)
from drr._native.ranking import Ranking
from drr.fusion.bootstrap import merge_rows, resample_totals


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
    average precision 0.833 → 1.000, gain +0.167, 95% interval +0.000 to +0.500
    """

    gain: float
    """fused_average_precision − base_average_precision"""
    low: float
    high: float
    level: float
    n_resamples: int
    base_average_precision: float
    fused_average_precision: float

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
            f"{self.gain:+.3f}, {self.level:.0%} interval {self.low:+.3f} to {self.high:+.3f}"
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

    Each resample draws rows with replacement and ranks the same rows by both scores. Both scores are sorted
    once; rows that neither ranking tells apart are drawn together.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Two classes: 0 and 1, −1 and 1 or booleans, otherwise with `pos_label`.
    base_score, fused_score : array of shape (n_rows,)
        The two scores to compare; higher means more likely in the rare class.
    level : float, default=0.95
        Confidence level of the percentile interval.
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

    cells = [merge_rows(score, positive) for score in (base, fused)]
    rankings = [Ranking(each.score, each.positive) for each in cells]
    columns = [each.cell_of_row for each in cells]
    base_precision, fused_precision = (
        float(ranking.average_precision(np.bincount(column, weights=row_weight))[0])
        for ranking, column in zip(rankings, columns, strict=True)
    )
    gains = []
    for base_totals, fused_totals in resample_totals(
        columns, positive, n_resamples, generator, row_weight=row_weight, stratify=stratify
    ):
        gains.append(rankings[1].average_precision(fused_totals) - rankings[0].average_precision(base_totals))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(gains), [tail, 1 - tail])
    return GainInterval(
        gain=fused_precision - base_precision,
        low=float(low),
        high=float(high),
        level=level,
        n_resamples=n_resamples,
        base_average_precision=base_precision,
        fused_average_precision=fused_precision,
    )
