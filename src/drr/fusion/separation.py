"""What the separation of two scores says about their sum: two moments, and the formulas of `drr.theory`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr import theory
from drr._checks.scores import (
    as_counts,
    check_between,
    check_count,
    check_generator,
    check_labels,
    check_not_negative,
    check_sample_weight,
    check_score,
)
from drr.fusion.bootstrap import interval_tails, resample_totals
from drr.fusion.standardisation import standardise
from drr.theory import fusion_deflection, optimal_weight

# Within-class variances are floored at this part of the marginal variance, which keeps d finite for perfect
# scores.
VARIANCE_FLOOR = 1e-16

# The largest weight the closed form proposes: w* is infinite if the base adds nothing to the dual, but
# estimates are not that reliable; at 4 the base keeps a fifth of the sum of the two coefficients.
MAX_CLOSED_FORM_WEIGHT = 4.0


class Interval(NamedTuple):
    """The ends of a confidence interval; NaN if none was computed."""

    low: float
    high: float


@dataclass(frozen=True)
class Separation:
    """How well two scores separate the classes, and what adding the second to the first should change.

    The deflection of a score is the distance of its class means in pooled within-class standard deviations, whose
    divisor is n − 2.
    All of it depends on two moments: a larger deflection does not always mean a larger average precision, which
    `gain_interval` measures.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import separation
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) < 100
    >>> base, noise = rng.normal(size=(2, 2000)) + np.outer([2.0, 0.0], y)
    >>> useless = separation(base, noise, y, random_state=0)
    >>> useless.predicts_gain, bool(useless.change_interval.high < 0)
    (False, True)
    """

    d1: float
    """Deflection of the base score"""
    d2: float
    """Deflection of the dual score"""
    rho: float
    """Pooled within-class correlation of the two"""
    threshold: float
    """The ratio d2/d1 above which a within-class weight of `weight` helps; √(5+4ρ)−2 at ½"""
    weight: float
    """The deployed weight w, of marginally standardised scores"""
    effective_weight: float
    """w_eff, the within-class weight that w amounts to"""
    change: float
    """Predicted change of the deflection, d′(w_eff) − max(d1, 0): a base worse than chance counts as chance"""
    optimal_weight: float
    """w*, the best within-class weight; infinite if the base adds nothing"""
    closed_form_weight: float
    """The marginal weight that amounts to w*, capped: what to deploy"""
    d1_interval: Interval
    d2_interval: Interval
    rho_interval: Interval
    threshold_interval: Interval
    effective_weight_interval: Interval
    change_interval: Interval
    optimal_weight_interval: Interval
    closed_form_weight_interval: Interval
    level: float
    """Confidence level of the intervals"""
    n_resamples: int
    n_positive: int
    n_negative: int

    @property
    def predicts_gain(self) -> bool:
        """Whether the two moments predict that the dual helps at the deployed weight."""
        return self.change > 0

    def __str__(self) -> str:
        low, high = self.change_interval
        interval = "" if np.isnan(low) else f", {self.level:.0%} interval {low:+.2f} to {high:+.2f}"
        return (
            f"deflection {self.d1:.2f} of the base and {self.d2:.2f} of the dual, correlation within classes "
            f"{self.rho:+.2f}; at weight {self.weight:.3g} the deflection changes by {self.change:+.2f}{interval}"
        )

    def widened(self, factor: float) -> Separation:
        """Return the same estimates, the intervals of the deflections and of their change this many times as wide."""
        wider: dict[str, Any] = {}
        for name in ("d1", "d2", "change"):
            value, interval = getattr(self, name), getattr(self, f"{name}_interval")
            wider[f"{name}_interval"] = Interval(*(value + factor * (end - value) for end in interval))
        return replace(self, **wider)


def closed_form_weight(
    d1: ArrayLike,
    d2: ArrayLike,
    rho: ArrayLike,
    minority_share: ArrayLike,
    *,
    largest: float = MAX_CLOSED_FORM_WEIGHT,
) -> Any:
    """Return the weight of marginally standardised scores with the largest deflection, at most `largest`.

    w = w*·√((1 + π₀π₁d₂²)/(1 + π₀π₁d₁²)) with the within-class optimum w*. A negative deflection counts as
    zero.

    Examples
    --------
    >>> from drr.fusion import closed_form_weight
    >>> round(closed_form_weight(2.0, 1.5, 0.3, 0.1), 4), closed_form_weight(0.0, 1.0, 0.3, 0.1)
    (0.546, 4.0)
    """
    first, second = np.maximum(d1, 0.0), np.maximum(d2, 0.0)
    weight = theory.marginal_weight(optimal_weight(first, second, rho), first, second, minority_share)
    capped = np.minimum(weight, check_between(largest, 0.0, np.inf, "largest"))
    return capped.item() if np.ndim(capped) == 0 else capped


def separation(
    base_score: ArrayLike,
    dual_score: ArrayLike,
    y: ArrayLike,
    *,
    weight: float = theory.DEPLOYED_WEIGHT,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    level: float = 0.95,
    n_resamples: int = 999,
    random_state: Any = None,
) -> Separation:
    """Estimate d₁, d₂ and ρ on held-out rows, and what they predict for the fused score.

    Parameters
    ----------
    base_score, dual_score : array of shape (n_rows,)
        Scores of rows that fitted neither; any offset and positive scale.
    y : array of shape (n_rows,)
        Two classes: 0 and 1, −1 and 1 or booleans, otherwise with `pos_label`.
    weight : float, default=0.5
        The deployed weight of the dual.
    sample_weight : array of shape (n_rows,), optional
    pos_label : label, optional
        The rare class.
    level : float, default=0.95
        Confidence level of the percentile intervals.
    n_resamples : int, default=999
        Bootstrap resamples within each class; zero for no intervals.
    random_state : int, Generator or RandomState, optional

    Returns
    -------
    Separation

    Examples
    --------
    >>> import numpy as np
    >>> from drr import separation
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) < 100
    >>> base, dual = rng.normal(size=(2, 2000)) + np.outer([2.0, 1.5], y)
    >>> result = separation(base, dual, y, random_state=0)
    >>> result.predicts_gain, result.d1_interval.low < 2.0 < result.d1_interval.high
    (True, True)
    """
    base = check_score(base_score, "base_score")
    dual = check_score(dual_score, "dual_score", len(base))
    positive = check_labels(y, len(base), pos_label)
    row_weight = check_sample_weight(sample_weight, positive)
    weight = check_not_negative(weight, "weight")
    level = check_between(level, 0.0, 1.0, "level")
    n_resamples = 0 if n_resamples == 0 else check_count(n_resamples, "n_resamples")
    generator = check_generator(random_state)

    if row_weight is None:
        row_weight = np.ones(len(base))
    present = row_weight > 0
    base, dual, positive = base[present], dual[present], positive[present]
    row_weight = as_counts(row_weight[present])
    columns = _MomentColumns(base, dual, positive, row_weight)
    estimate = _predictions(columns.sums(np.ones((1, len(base)))), columns, weight)
    resampled: list[dict[str, NDArray[np.float64]]] = []
    if n_resamples:
        rows = np.arange(len(base))
        for (counts,) in resample_totals([rows], positive, n_resamples, generator):
            resampled.append(_predictions(columns.sums(counts.astype(np.float64)), columns, weight))

    fields: dict[str, Any] = {name: float(value[0]) for name, value in estimate.items()}
    tails = interval_tails(level, int(positive.sum()))
    for name in estimate:
        fields[f"{name}_interval"] = _interval([batch[name] for batch in resampled], tails)
    return Separation(
        **fields,
        weight=weight,
        level=level,
        n_resamples=n_resamples,
        n_positive=int(positive.sum()),
        n_negative=int((~positive).sum()),
    )


class _MomentColumns:
    """Columns whose weighted sums, within each class, give the moments of two scores.

    They hold 1, z₁, z₂, z₁², z₂² and z₁z₂, times the row's weight, of the scores centred on their class
    means: the moments of a resample are then small corrections, and lose no digits.
    """

    def __init__(
        self,
        base: NDArray[np.float64],
        dual: NDArray[np.float64],
        positive: NDArray[np.bool_],
        row_weight: NDArray[np.float64],
    ) -> None:
        scores = np.stack([_standardised_or_zero(score, row_weight) for score in (base, dual)])
        self._members = (np.flatnonzero(~positive), np.flatnonzero(positive))
        self.class_means = np.stack(
            [np.average(scores[:, rows], axis=1, weights=row_weight[rows]) for rows in self._members]
        )
        self._columns = []
        for rows, class_mean in zip(self._members, self.class_means, strict=True):
            z1, z2 = scores[:, rows] - class_mean[:, None]
            self._columns.append(
                np.stack([np.ones(len(rows)), z1, z2, z1 * z1, z2 * z2, z1 * z2], axis=1)
                * row_weight[rows, None]
            )

    def sums(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sums of shape (2 classes, n_resamples, 6 columns), the negative class first."""
        pairs = zip(self._members, self._columns, strict=True)
        return np.stack([counts[:, rows] @ columns for rows, columns in pairs])


def _standardised_or_zero(score: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    standardisation = standardise(score, sample_weight=weights)
    return np.zeros(len(score)) if standardisation.is_constant else standardisation.transform(score)


def _predictions(
    sums: NDArray[np.float64], columns: _MomentColumns, weight: float
) -> dict[str, NDArray[np.float64]]:
    """Compute deflections and correlation from the sums of each resample, and what the theory predicts."""
    mass = sums[:, :, 0]
    shifts = sums[:, :, 1:3] / mass[:, :, None]  # of the class means, from those of the whole sample
    distance = (columns.class_means[1] + shifts[1]) - (columns.class_means[0] + shifts[0])
    share = mass[1] / mass.sum(axis=0)
    n_rows = mass.sum(axis=0)
    squares = (sums[:, :, 3:5] - mass[:, :, None] * shifts**2).sum(axis=0) / n_rows[:, None]
    product = (sums[:, :, 5] - mass * shifts[:, :, 0] * shifts[:, :, 1]).sum(axis=0) / n_rows
    deviation = np.sqrt(np.maximum(squares, VARIANCE_FLOOR))
    rho = np.clip(product / (deviation[:, 0] * deviation[:, 1]), -1.0, 1.0)
    # The marginal variance that scores are standardised by has the divisor n, so the weights are translated with
    # deflections of that divisor; those reported have n − 2. One row of each class has no variance either way.
    plug_in = distance / deviation
    plug_in1, plug_in2 = plug_in.T
    effective = theory.effective_weight(weight, plug_in1, plug_in2, share)
    d1, d2 = (plug_in * np.sqrt(np.maximum(n_rows - 2, 1.0) / n_rows)[:, None]).T
    return {
        "d1": d1,
        "d2": d2,
        "rho": rho,
        "threshold": theory.fusion_threshold(rho, weight),
        "effective_weight": effective,
        "change": fusion_deflection(d1, d2, rho, effective) - np.maximum(d1, 0.0),
        "optimal_weight": optimal_weight(d1, d2, rho),
        "closed_form_weight": closed_form_weight(plug_in1, plug_in2, rho, share),
    }


def _interval(batches: list[NDArray[np.float64]], tails: tuple[float, float]) -> Interval:
    """Return an interval between observed values only: interpolation would fail between infinities."""
    if not batches or np.isnan(tails).any():
        return Interval(np.nan, np.nan)
    low, high = np.quantile(np.concatenate(batches), tails, method="inverted_cdf")
    return Interval(float(low), float(high))
