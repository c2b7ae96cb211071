"""The theory of score fusion, as functions: what two moments say about adding one score to another.

Notation: two scores with common within-class standard deviations are separated by d₁ and d₂ of these (their
*deflections*), with within-class correlation ρ. π₁ is the share of the positive class and π₀ = 1 − π₁. Fusing
the scores standardised *within classes* with weight w gives the deflection

    d′(w) = (d₁ + w·d₂) / √(1 + w² + 2wρ).

A deployed score is standardised by its *marginal* standard deviation, which exceeds the within-class one by
the factor √(1 + π₀π₁d²); `effective_weight` and `marginal_weight` translate between the two.

Every function takes numbers or arrays that broadcast against each other, and returns a plain number for
numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.special
from numpy.typing import ArrayLike, NDArray

from drr._checks.scores import check_count

FloatOrArray = Any  # a float for numbers, an array for arrays

DEPLOYED_WEIGHT = 0.5  # the weight of the dual in the published method

# The integrand of the area under the precision–recall curve is a normal density times a factor below one:
# beyond these limits it is under 1e-35. The trapezoidal rule converges faster than any power of the step on
# such functions.
_QUADRATURE_LIMIT = 12.5
_QUADRATURE_POINTS = 4001


def _floats(**arguments: ArrayLike) -> list[NDArray[np.float64]]:
    arrays = []
    for name, value in arguments.items():
        array = np.asarray(value, dtype=np.float64)
        if np.isnan(array).any():
            raise ValueError(f"{name} must not be NaN")
        arrays.append(array)
    return arrays


def _check_rho(rho: NDArray[np.float64]) -> None:
    if (np.abs(rho) > 1).any():
        raise ValueError(f"rho is a correlation and must lie in [-1, 1], got {rho[np.abs(rho) > 1].flat[0]}")


def _check_share(minority_share: NDArray[np.float64]) -> None:
    outside = (minority_share <= 0) | (minority_share >= 1)
    if outside.any():
        raise ValueError(f"minority_share must lie in (0, 1), got {minority_share[outside].flat[0]}")


def _check_weight(w: NDArray[np.float64]) -> None:
    if (w < 0).any():
        raise ValueError(f"the fusion weight w must not be negative, got {w[w < 0].flat[0]}")


def _check_finite(**arguments: NDArray[np.float64]) -> None:
    for name, array in arguments.items():
        if np.isinf(array).any():
            raise ValueError(f"{name} must be finite, got {array[np.isinf(array)].flat[0]}")


def _check_oriented(**deflections: NDArray[np.float64]) -> None:
    for name, d in deflections.items():
        if (d < 0).any():
            raise ValueError(
                f"{name} must not be negative, got {d[d < 0].flat[0]}: the condition is for scores pointing "
                "toward the rare class; otherwise compare fusion_deflection itself with d1"
            )


def _unwrap(values: NDArray[Any]) -> FloatOrArray:
    return values.item() if np.ndim(values) == 0 else values


def fusion_deflection(d1: ArrayLike, d2: ArrayLike, rho: ArrayLike, w: ArrayLike) -> FloatOrArray:
    """Return the deflection d′(w) of two fused scores, standardised within classes.

    Parameters
    ----------
    d1, d2 : float or array
        Deflections of the base and of the dual score.
    rho : float or array
        Their within-class correlation.
    w : float or array
        Weight of the dual; infinity means the dual alone.

    Returns
    -------
    float or array
        (d₁ + w·d₂)/√(1 + w² + 2wρ). At ρ = −1 and w = 1 the noise cancels: infinite with any signal, else
        zero.

    Examples
    --------
    >>> from drr import fusion_deflection
    >>> round(fusion_deflection(1.0, 1.0, 0.0, 1.0), 4)
    1.4142
    """
    first, second, correlation, weight = _floats(d1=d1, d2=d2, rho=rho, w=w)
    _check_rho(correlation)
    _check_weight(weight)
    # Both sides are divided by 1 + w, which keeps the quotient finite at w = ∞.
    dual_share = np.where(np.isinf(weight), 1.0, weight / np.where(np.isinf(weight), 1.0, 1.0 + weight))
    base_share = 1.0 - dual_share
    signal = base_share * first + dual_share * second
    variance = base_share**2 + dual_share**2 + 2 * base_share * dual_share * correlation
    noise = np.sqrt(np.maximum(variance, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return _unwrap(np.where((noise == 0) & (signal == 0), 0.0, signal / noise))


def fusion_gains(
    d1: ArrayLike, d2: ArrayLike, rho: ArrayLike, w: ArrayLike = DEPLOYED_WEIGHT
) -> FloatOrArray:
    """Return whether fusing with within-class weight w > 0 improves the separation.

    The condition is w(d₁² − d₂²) < 2d₁(d₂ − ρd₁).

    For d₁, d₂ ≥ 0 this is d′(w) > d₁ without its square root. At d₁ = 0 any d₂ > 0 is a gain.

    Examples
    --------
    >>> from drr.theory import fusion_gains
    >>> fusion_gains(1.0, 0.7, 0.3), fusion_gains(1.0, 0.0, 0.0)
    (True, False)
    """
    first, second, correlation, weight = _floats(d1=d1, d2=d2, rho=rho, w=w)
    _check_rho(correlation)
    _check_weight(weight)
    _check_oriented(d1=first, d2=second)
    _check_finite(d1=first, d2=second, w=weight)
    gains = weight * (first**2 - second**2) < 2 * first * (second - correlation * first)
    return _unwrap(gains & (weight > 0))


def fusion_threshold(rho: ArrayLike, w: ArrayLike = DEPLOYED_WEIGHT) -> FloatOrArray:
    """Return the ratio d₂/d₁ above which fusing with weight w improves the separation.

    The positive root of w·r² + 2r = w + 2ρ, written without cancellation for small w; at w = ½ it is √(5 +
    4ρ) − 2. It is ρ at w = 0: an infinitesimal part of the dual helps exactly if d₂ > ρd₁.

    Examples
    --------
    >>> from drr.theory import fusion_threshold
    >>> round(fusion_threshold(0.0), 3)
    0.236
    """
    correlation, weight = _floats(rho=rho, w=w)
    _check_rho(correlation)
    _check_weight(weight)
    _check_finite(w=weight)
    discriminant = np.maximum(1 + weight * (weight + 2 * correlation), 0.0)
    return _unwrap((weight + 2 * correlation) / (1 + np.sqrt(discriminant)))


def optimal_weight(d1: ArrayLike, d2: ArrayLike, rho: ArrayLike) -> FloatOrArray:
    """Return the weight w* ≥ 0 that maximises the deflection of the fused score, standardised within classes.

    Parameters
    ----------
    d1, d2 : float or array
        Deflections of the base and of the dual score. A negative one counts as zero: a score that points away
        from the rare class out of sample carries no usable signal.
    rho : float or array
        Their within-class correlation.

    Returns
    -------
    float or array
        0 if d₂ ≤ ρd₁ (the dual adds nothing; also if neither score has signal), infinity if d₁ ≤ ρd₂
        (the base adds nothing), and (d₂ − ρd₁)/(d₁ − ρd₂) between.

    Examples
    --------
    >>> from drr import optimal_weight
    >>> round(optimal_weight(1.0, 0.6, 0.3), 4), optimal_weight(1.0, 0.2, 0.3), optimal_weight(0.2, 1.0, 0.3)
    (0.3659, 0.0, inf)
    """
    first, second, correlation = _floats(d1=d1, d2=d2, rho=rho)
    _check_rho(correlation)
    _check_finite(d1=first, d2=second)
    first, second = np.maximum(first, 0.0), np.maximum(second, 0.0)
    dual_adds = second - correlation * first
    base_adds = first - correlation * second
    between = (dual_adds > 0) & (base_adds > 0)
    with np.errstate(over="ignore"):  # beyond the largest double the base adds as good as nothing
        ratio = np.divide(dual_adds, base_adds, out=np.zeros(np.shape(between)), where=between)
    return _unwrap(np.where(dual_adds <= 0, 0.0, np.where(base_adds <= 0, np.inf, ratio)))


def effective_weight(w: ArrayLike, d1: ArrayLike, d2: ArrayLike, minority_share: ArrayLike) -> FloatOrArray:
    """Return the within-class weight of a deployed, marginally standardised one.

    It is w·√((1 + π₀π₁d₁²)/(1 + π₀π₁d₂²)).

    Examples
    --------
    >>> from drr.theory import effective_weight
    >>> round(effective_weight(0.5, 4.0, 2.0, 0.05), 4)
    0.6081
    """
    weight, first, second, share = _floats(w=w, d1=d1, d2=d2, minority_share=minority_share)
    _check_weight(weight)
    _check_share(share)
    _check_finite(d1=first, d2=second)
    spread = share * (1 - share)
    return _unwrap(weight * np.sqrt((1 + spread * first**2) / (1 + spread * second**2)))


def marginal_weight(w: ArrayLike, d1: ArrayLike, d2: ArrayLike, minority_share: ArrayLike) -> FloatOrArray:
    """Return the weight to deploy for a within-class weight: the inverse of `effective_weight`.

    Examples
    --------
    >>> from drr.theory import effective_weight, marginal_weight
    >>> round(marginal_weight(effective_weight(0.5, 4.0, 2.0, 0.05), 4.0, 2.0, 0.05), 12)
    0.5
    """
    return effective_weight(w, d2, d1, minority_share)


def marginal_fusion_gains(
    d1: ArrayLike,
    d2: ArrayLike,
    rho: ArrayLike,
    minority_share: ArrayLike,
    w: ArrayLike = DEPLOYED_WEIGHT,
) -> FloatOrArray:
    """Return whether the deployed, marginally standardised score separates better than the base.

    With r = d₂/d₁ and q = π₀π₁d₁² this reads w·√((1 + q)/(1 + qr²))·(1 − r²) < 2(r − ρ); as π₁ → 0 it becomes
    r > √(5 + 4ρ) − 2 at w = ½.

    Examples
    --------
    >>> from drr.theory import marginal_fusion_gains
    >>> marginal_fusion_gains(4.0, 2.8, 0.5, 0.05)
    True
    """
    return fusion_gains(d1, d2, rho, effective_weight(w, d1, d2, minority_share))


def binormal_auc(deflection: ArrayLike) -> FloatOrArray:
    """Return the area under the ROC curve of normal classes with equal variances: Φ(d/√2).

    Examples
    --------
    >>> from drr.theory import binormal_auc
    >>> binormal_auc([0.0, 2.0]).round(4).tolist()
    [0.5, 0.9214]
    """
    (d,) = _floats(deflection=deflection)
    return _unwrap(np.asarray(scipy.special.ndtr(d / np.sqrt(2.0))))


def binormal_auprc(deflection: ArrayLike, minority_share: ArrayLike) -> FloatOrArray:
    """Return the area under the precision–recall curve of normal classes with equal variances.

    With Q the upper tail of the standard normal law, a cut z above the positive mean has recall Q(z) and
    false-positive rate Q(z + d). The area ∫ precision d(recall) is the mean, over z standard normal, of

        1 / (1 + (π₀/π₁)·Q(z + d)/Q(z)).

    Examples
    --------
    >>> from drr.theory import binormal_auprc
    >>> round(binormal_auprc(2.0, 0.05), 4), round(binormal_auprc(0.0, 0.05), 4)
    (0.5376, 0.05)
    """
    d, share = np.broadcast_arrays(*_floats(deflection=deflection, minority_share=minority_share))
    _check_share(share)
    z, step = np.linspace(-_QUADRATURE_LIMIT, _QUADRATURE_LIMIT, _QUADRATURE_POINTS, retstep=True)
    log_tail_ratio = scipy.special.log_ndtr(-(z + d[..., None])) - scipy.special.log_ndtr(-z)
    log_odds = np.log(share) - np.log1p(-share)
    precision = scipy.special.expit(log_odds[..., None] - log_tail_ratio)
    density = np.exp(-0.5 * z**2) * (step / np.sqrt(2 * np.pi))
    return _unwrap(precision @ density)


def cantelli_bound(deflection: ArrayLike) -> FloatOrArray:
    """Return the largest error rate of either class at a cut midway between the class means: 1/(1 + (d/2)²).

    Cantelli's inequality, for any law of the score with common within-class variance; one (no bound) for d ≤
    0.

    Examples
    --------
    >>> from drr.theory import cantelli_bound
    >>> cantelli_bound(4.0)
    0.2
    """
    (d,) = _floats(deflection=deflection)
    return _unwrap(1.0 / (1.0 + (np.maximum(d, 0.0) / 2.0) ** 2))


def gaussian_dual(
    majority_mean: ArrayLike, rare_mean: ArrayLike, covariance: ArrayLike
) -> NDArray[np.float64]:
    """Return the dual of a normal majority raked exactly to the rare mean: θ = Σ⁻¹(μ₁ − μ₀).

    An exponential tilt by θᵀx moves the mean of N(μ₀, Σ) to μ₀ + Σθ and keeps Σ. This is also the limit of the slopes
    of a logistic regression as the majority grows without bound (Owen, 2007), and the gradient of the log density ratio
    if the rare class is normal with the same Σ.

    Parameters
    ----------
    majority_mean, rare_mean : array of shape (n_columns,)
        μ₀ and μ₁.
    covariance : array of shape (n_columns, n_columns)
        Σ of the majority, positive definite.

    Examples
    --------
    >>> from drr.theory import gaussian_dual
    >>> gaussian_dual([0.0, 0.0], [1.0, 1.0], [[1.0, 0.0], [0.0, 2.0]]).round(6).tolist()
    [1.0, 0.5]
    """
    before, after, sigma = _floats(majority_mean=majority_mean, rare_mean=rare_mean, covariance=covariance)
    _check_finite(majority_mean=before, rare_mean=after, covariance=sigma)
    n = before.size
    if before.shape != (n,) or after.shape != (n,) or sigma.shape != (n, n):
        raise ValueError(
            "majority_mean and rare_mean must be equally long vectors and covariance a matrix of their size, got "
            f"shapes {before.shape}, {after.shape} and {sigma.shape}"
        )
    try:
        factor = scipy.linalg.cho_factor(sigma)
    except np.linalg.LinAlgError:
        raise ValueError("covariance must be positive definite; drop columns that depend on others") from None
    return np.asarray(scipy.linalg.cho_solve(factor, after - before))


def pps_covariance(features: object, weights: ArrayLike, n_draws: int) -> NDArray[np.float64]:
    """Return the covariance of the mean of m rows drawn with replacement with probabilities w: Σ_w/m.

    Given the data, the mean of a raked and relabelled sample has expectation Φᵀw and this covariance, with
    Σ_w = Σᵢ wᵢ(φᵢ − Φᵀw)(φᵢ − Φᵀw)ᵀ. The variance of the plug-in minority mean has no such term.

    Parameters
    ----------
    features : array or sparse matrix of shape (n_rows, n_columns)
        Φ, the majority rows.
    weights : array of shape (n_rows,)
        w, normalised to sum one.
    n_draws : int
        m.

    Examples
    --------
    >>> from drr.theory import pps_covariance
    >>> pps_covariance([[0.0], [1.0]], [0.5, 0.5], 10).round(12).tolist()
    [[0.025]]
    """
    from drr.raking.functions import weighted_covariance  # the formulas above need no compiled core

    return weighted_covariance(features, weights) / check_count(n_draws, "n_draws")
