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

from drr._score_validation import as_counts, check_labels, check_sample_weight, check_score
from drr.fusion import standardise

# The smallest slope of a constrained sigmoid, per standard deviation of the score: small enough to say that
# the score tells next to nothing, large enough to keep its ranking in the digits of the probabilities.
SMALLEST_SLOPE = 1e-3

_LARGEST_N_ITER = 200
_GRADIENT_TOLERANCE = 1e-12  # of the mean loss, in the standardised score


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
        """Probability of the rare class for each score."""
        return np.asarray(scipy.special.expit(self.slope * check_score(score) + self.intercept))

    def score_at(self, probability: float) -> float:
        """The score above which the probability is larger than this."""
        return float((scipy.special.logit(probability) - self.intercept) / self.slope)


@dataclass(frozen=True, eq=False)
class IsotonicCalibration:
    """A non-decreasing, piecewise linear map through knots, constant beyond the outer ones.

    It can tie scores that the ranking told apart: rank by the score, not by these probabilities.

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
        """Probability of the rare class for each score."""
        return np.asarray(np.interp(check_score(score), self.score_knots, self.probability_knots))

    def score_at(self, probability: float) -> float:
        """The score above which the probability is larger than this; the largest number where it never is."""
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
        finite, and a slope of at least 0.001 per standard deviation of the score, so that the probabilities
        rank like the score; a warning says when the data ask for a slope of zero or less. False: the
        maximum-likelihood logistic fit, whose slope may be negative; where none exists, because a cut
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
    """Platt's targets: the posterior means of the labels under a uniform prior."""
    counts = as_counts(weights)
    n_positive, n_negative = counts[positive].sum(), counts[~positive].sum()
    return np.asarray(np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)))


def _is_separable(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> bool:
    """Some cut has one class at or above it and the other at or below it; a constant score is not meant."""
    ones, zeros = score[positive], score[~positive]
    if score.min() == score.max():
        return False
    return bool(ones.min() >= zeros.max() or zeros.min() >= ones.max())


def _fit_logistic(
    z: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
    fixed_slope: float | None = None,
) -> tuple[float, float]:
    """Minimise the mean of log(1 + exp(η)) − target·η over η = slope·z + intercept, by damped Newton steps.

    The loss is convex and, for targets inside (0, 1) or classes that overlap, has a minimum.
    """
    share = weights / weights.sum()
    design = np.stack([z, np.ones(len(z))]) if fixed_slope is None else np.ones((1, len(z)))
    offset = 0.0 if fixed_slope is None else fixed_slope * z

    def mean_loss(linear: NDArray[np.float64]) -> float:
        # log(1 + exp(η)) without overflow, and in vectors, which numpy's logaddexp is not.
        softplus = np.log1p(np.exp(-np.abs(linear))) + np.maximum(linear, 0.0)
        return float(share @ (softplus - target * linear))

    parameters = np.zeros(len(design))
    parameters[-1] = scipy.special.logit(share @ target)
    linear = parameters @ design + offset
    loss = mean_loss(linear)
    for _ in range(_LARGEST_N_ITER):
        # 1. Gradient and Hessian of the mean loss; a constant score leaves the slope without curvature.
        probability = scipy.special.expit(linear)
        gradient = design @ (share * (probability - target))
        if np.abs(gradient).max() <= _GRADIENT_TOLERANCE:
            break
        hessian = (design * (share * probability * (1 - probability))) @ design.T
        hessian[np.diag_indices_from(hessian)] += 1e-14 + 1e-12 * np.trace(hessian)
        # 2. Halve the Newton step until the loss falls by a part of what the slope promises.
        step = -np.linalg.solve(hessian, gradient)
        promised = float(gradient @ step)
        length = 1.0
        while True:
            candidate = parameters + length * step
            linear = candidate @ design + offset
            candidate_loss = mean_loss(linear)
            if candidate_loss <= loss + 1e-4 * length * promised or length < 1e-10:
                break
            length /= 2
        # 3. Stop once rounding hides any further fall.
        stalled = candidate_loss >= loss
        if candidate_loss <= loss:
            parameters = candidate
        if stalled:
            break
        loss = candidate_loss
    if fixed_slope is not None:
        return fixed_slope, float(parameters[0])
    return float(parameters[0]), float(parameters[1])
