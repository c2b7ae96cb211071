"""Calibration: from a score to a probability at the original prior.

The maps are fitted on held-out rows that nothing rebalanced, so their probabilities refer to the prior of the
data.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.special
from numpy.typing import ArrayLike, NDArray
from sklearn.isotonic import IsotonicRegression

from drr._checks.scores import as_counts, check_labels, check_sample_weight, check_score
from drr.fusion.standardisation import standardise

# The smallest slope of a constrained sigmoid, per standard deviation of the score: small enough to say that
# the score tells next to nothing, large enough to keep its ranking in the digits of the probabilities.
SMALLEST_SLOPE = 1e-3

_MAX_ITER = 200
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class SigmoidCalibration:
    """The logistic map p = 1/(1 + exp(−(slope·score + intercept))).

    Examples
    --------
    >>> from drr.calibration import SigmoidCalibration
    >>> SigmoidCalibration(slope=2.0, intercept=0.0).predict([0.0]).tolist()
    [0.5]
    """

    slope: float
    intercept: float

    def predict(self, score: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of the rare class for each score."""
        return np.asarray(scipy.special.expit(self.slope * check_score(score) + self.intercept))

    def score_at(self, probability: float) -> float:
        """Return the score above which the probability is larger than this."""
        return float((scipy.special.logit(probability) - self.intercept) / self.slope)


@dataclass(frozen=True, eq=False)
class IsotonicCalibration:
    """A non-decreasing, piecewise linear map through knots, constant beyond the outer ones.

    It can tie scores that the ranking distinguishes: rank by the score, not by these probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from drr.calibration import IsotonicCalibration
    >>> IsotonicCalibration(np.array([0.0, 1.0]), np.array([0.1, 0.3])).predict([-5.0, 0.5]).tolist()
    [0.1, 0.2]
    """

    score_knots: NDArray[np.float64]
    probability_knots: NDArray[np.float64]

    def predict(self, score: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of the rare class for each score."""
        return np.asarray(np.interp(check_score(score), self.score_knots, self.probability_knots))

    def score_at(self, probability: float) -> float:
        """Return the score above which the probability is larger than this.

        It is the largest finite number if no score has such a probability.
        """
        above = np.flatnonzero(self.probability_knots > probability)
        if len(above) == 0:
            return float(np.finfo(np.float64).max)
        k = int(above[0])
        if k == 0:
            return float(np.nextafter(self.score_knots[0], -np.inf))
        low, high = self.probability_knots[k - 1 : k + 1]
        share = (probability - low) / (high - low)
        return float(self.score_knots[k - 1] + share * (self.score_knots[k] - self.score_knots[k - 1]))


Calibration = SigmoidCalibration | IsotonicCalibration


def fit_calibration(
    score: ArrayLike,
    y: ArrayLike,
    method: Literal["sigmoid", "isotonic"] = "sigmoid",
    sample_weight: ArrayLike | None = None,
    *,
    constrained: bool = True,
    pos_label: object = None,
) -> Calibration:
    """Fit a map from held-out scores to probabilities.

    Parameters
    ----------
    score : array of shape (n_rows,)
    y : array of shape (n_rows,)
        Two classes: 0 and 1, −1 and 1 or booleans, otherwise with `pos_label`.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        Platt's logistic map, or the least-squares non-decreasing one.
    sample_weight : array of shape (n_rows,), optional
        Numbers of rows, or relative: weights that sum to fewer than the rows there are count at a mean of one.
    constrained : bool, default=True
        For "sigmoid". True: Platt's smoothed targets, (n₁+1)/(n₁+2) and 1/(n₀+2), which keep separable rows
        finite, and a slope of at least 0.001 per standard deviation of the score, which makes the probabilities
        rank like the score; a warning says when the data ask for a slope of zero or less. False: the
        maximum-likelihood logistic fit, whose slope may be negative; if none exists, because a cut
        separates the classes, smoothed targets are used.
    pos_label : label, optional
        The rare class.

    Returns
    -------
    SigmoidCalibration or IsotonicCalibration

    Examples
    --------
    >>> import numpy as np
    >>> from drr.calibration import fit_calibration
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.1
    >>> score = rng.normal(size=4000) + 2 * y
    >>> calibration = fit_calibration(score, y)
    >>> bool(abs(calibration.predict(score).mean() - y.mean()) < 1e-3)
    True
    """
    if method not in ("sigmoid", "isotonic"):
        raise ValueError(f"method must be 'sigmoid' or 'isotonic', got {method!r}")
    score = check_score(score)
    positive = check_labels(y, len(score), pos_label)
    weights = check_sample_weight(sample_weight, positive)
    if weights is None:
        weights = np.ones(len(score))
    present = weights > 0
    score, positive, weights = score[present], positive[present], weights[present]
    if method == "isotonic":
        return _fit_isotonic(score, positive, weights)
    return _fit_sigmoid(score, positive, weights, constrained)


def _fit_isotonic(
    score: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> IsotonicCalibration:
    regression = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    regression.fit(score, positive.astype(np.float64), sample_weight=weights)
    return IsotonicCalibration(
        np.array(regression.X_thresholds_, dtype=np.float64),
        np.array(regression.y_thresholds_, dtype=np.float64),
    )


def _fit_sigmoid(
    score: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    constrained: bool,
) -> SigmoidCalibration:
    standardisation = standardise(score, sample_weight=weights)
    z = standardisation.transform(score)
    smoothed = constrained or _is_separable(score, positive)
    target = _smoothed_targets(positive, weights) if smoothed else positive.astype(np.float64)
    if standardisation.is_constant:
        z = np.zeros(len(z))
    slope, intercept = _fit_logistic(z, target, weights)
    if constrained and slope < SMALLEST_SLOPE:
        if slope <= 0:
            _warn_of_slope(slope, positive)
        slope = SMALLEST_SLOPE
        _, intercept = _fit_logistic(z, target, weights, fixed_slope=slope)
    slope /= standardisation.scale
    return SigmoidCalibration(float(slope), float(intercept - slope * standardisation.mean))


def _warn_of_slope(slope: float, positive: NDArray[np.bool_]) -> None:
    warnings.warn(
        f"The {len(positive)} calibration rows ({int(positive.sum())} positive) ask for a slope of "
        f"{slope:.3g} per standard deviation of the score: on them a higher score does not mean a higher "
        f"probability. The slope is set to {SMALLEST_SLOPE:g} instead, which keeps the ranking and makes the "
        "probabilities nearly constant. Hold out more rows, or cross-fit, if the score ranks well elsewhere.",
        UserWarning,
        stacklevel=4,
    )


def _smoothed_targets(positive: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Platt's targets: the posterior means of the labels under a uniform prior."""
    counts = as_counts(weights)
    n_positive, n_negative = counts[positive].sum(), counts[~positive].sum()
    return np.asarray(np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)))


def _is_separable(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> bool:
    """Return whether a cut has one class at or above it and the other at or below it.

    A constant score does not count as separable.
    """
    ones, zeros = score[positive], score[~positive]
    if score.min() == score.max():
        return False
    return bool(ones.min() >= zeros.max() or zeros.min() >= ones.max())


@dataclass(frozen=True)
class _Point:
    """Parameters of a logistic fit with the loss and its derivatives there."""

    parameters: NDArray[np.float64]
    linear: NDArray[np.float64]
    value: float
    value_rounding: float
    gradient: NDArray[np.float64]
    excess: float  # the gradient in units of its rounding error; at most one means that its sign is unknown


@dataclass(frozen=True)
class _LogisticLoss:
    """The mean of log(1 + exp(η)) − target·η over η = parameters·design + offset."""

    design: NDArray[np.float64]
    offset: NDArray[np.float64]
    target: NDArray[np.float64]
    share: NDArray[np.float64]

    def at(self, parameters: NDArray[np.float64]) -> _Point:
        """Return the loss and the gradient, each with its rounding error."""
        linear = parameters @ self.design + self.offset
        size = np.abs(linear)
        # log(1 + exp(η)) without overflow, and in vectors, which numpy's logaddexp is not.
        softplus = np.log1p(np.exp(-size)) + np.maximum(linear, 0.0)
        value = float(self.share @ (softplus - self.target * linear))
        probability = scipy.special.expit(linear)
        gradient = self.design @ (self.share * (probability - self.target))
        # p and the target are rounded, and so is η, which moves p by p(1 − p) times as much.
        error = self.share * (probability + self.target + size * probability * (1 - probability))
        rounding = _EPSILON * (np.abs(self.design) @ error)
        excess = np.divide(np.abs(gradient), rounding, out=np.zeros(len(gradient)), where=gradient != 0)
        value_rounding = _EPSILON * float(self.share @ (softplus + size))
        return _Point(parameters, linear, value, value_rounding, gradient, float(excess.max()))

    def newton_step(self, point: _Point) -> NDArray[np.float64]:
        """Return the step to the minimum of the quadratic model.

        A constant score has no curvature in the slope, hence the ridge.
        """
        probability = scipy.special.expit(point.linear)
        hessian = (self.design * (self.share * probability * (1 - probability))) @ self.design.T
        hessian[np.diag_indices_from(hessian)] += 1e-14 + 1e-12 * np.trace(hessian)
        return np.asarray(-np.linalg.solve(hessian, point.gradient))

    def search(self, here: _Point, step: NDArray[np.float64]) -> _Point | None:
        """Halve the step until it helps; None if it does not.

        Far from the minimum the loss must fall by a part of what the gradient promises. Within some 1e-7 of
        it rounding hides the fall of the loss, but not that of the gradient, which then decides.
        """
        promised = float(here.gradient @ step)
        is_visible = -promised > 64 * here.value_rounding
        length, shortest = 1.0, 1e-10 if is_visible else 0.1
        while length >= shortest:
            there = self.at(here.parameters + length * step)
            falls = there.value <= here.value + 1e-4 * length * promised
            if falls if is_visible else there.excess < here.excess:
                return there
            length /= 2
        return None


def _fit_logistic(
    z: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
    fixed_slope: float | None = None,
) -> tuple[float, float]:
    """Minimise the mean logistic loss over η = slope·z + intercept by damped Newton steps.

    The loss is convex and, for targets inside (0, 1) or classes that overlap, has a minimum. The steps end
    when the gradient is within its rounding error, or no step makes it smaller: the answer is then the same
    for weighted and for repeated rows, and on every processor, but for the last digits.
    """
    share = weights / weights.sum()
    design = np.stack([z, np.ones(len(z))]) if fixed_slope is None else np.ones((1, len(z)))
    offset = np.zeros(len(z)) if fixed_slope is None else fixed_slope * z
    loss = _LogisticLoss(design, offset, target, share)
    start = np.zeros(len(design))
    start[-1] = scipy.special.logit(share @ target)
    point = loss.at(start)
    for _ in range(_MAX_ITER):
        if point.excess <= 1:
            break
        following = loss.search(point, loss.newton_step(point))
        if following is None:
            break
        point = following
    slope = point.parameters[0] if fixed_slope is None else fixed_slope
    return float(slope), float(point.parameters[-1])
