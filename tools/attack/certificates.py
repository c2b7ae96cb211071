"""What a result claims, computed again in 80-bit NumPy from its weights and θ alone, and from independent solvers.

Nothing here is shared with the library. Each check yields sentences on what is wrong; none is the good news.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse
from numpy.typing import NDArray

import drr
from tools.attack.problems import Problem

EPS, TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)
Long = np.longdouble


@dataclass(frozen=True, eq=False)
class Reference:
    """A = Φ − 1μᵀ and d in extended precision, and what rounding in double may do to sums of its rows."""

    shifted: NDArray[Any]
    target: NDArray[Any]
    base_weights: NDArray[Any]
    slack: float
    """a distance: this much error in ‖Aᵀw‖ is rounding"""
    largest: float
    """the largest ‖aᵢ‖"""

    @property
    def present(self) -> NDArray[np.bool_]:
        return self.base_weights > 0


def reference_of(problem: Problem) -> Reference:
    """The problem in extended precision."""
    n_rows, n_columns = problem.rows.shape
    shifted = problem.rows.astype(Long) - problem.target.astype(Long)
    weights = np.ones(n_rows) if problem.base_weights is None else problem.base_weights
    scaled = weights.astype(np.float64) / float(weights.max())
    weights = weights.astype(Long) / weights.astype(Long).sum()
    weights[scaled / scaled.sum() < TINY] = (
        0  # no double holds such a share in full: the row counts as absent
    )
    largest = float(norm(shifted, axis=1)[weights > 0].max())
    magnitude = float(np.abs(problem.rows).max() + np.abs(problem.target).max())
    return Reference(
        shifted,
        problem.target.astype(Long),
        weights,
        64 * EPS * (largest + magnitude * np.sqrt(n_columns)),
        largest,
    )


def norm(values: NDArray[Any], axis: int | None = None) -> Any:
    """Euclidean norm in extended precision, which squares of doubles cannot overflow."""
    return np.sqrt((values * values).sum(axis=axis))


def check_weights(weights: NDArray[np.float64], reference: Reference, name: str) -> Iterator[str]:
    """Weights are finite, not negative, sum to one and leave absent rows alone."""
    if not np.isfinite(weights).all():
        yield f"{name} weights are not finite"
        return
    if (weights < 0).any():
        yield f"{name} has the negative weight {weights.min():g}"
    if abs(weights.sum() - 1) > 1e-12:
        yield f"{name} weights sum to 1 + {weights.sum() - 1:g}"
    if weights[~reference.present].any():
        yield f"{name} gives weight to an absent row"


def check_floor(floor: drr.Floor, reference: Reference) -> Iterator[str]:
    """Both bounds hold for the weights returned, and the status says the truth about them."""
    yield from check_weights(floor.weights, reference, "floor")
    residual = floor.weights.astype(Long) @ reference.shifted
    value = float(norm(residual))
    scores = (reference.shifted @ residual)[reference.present]
    lower = max(0.0, float(scores.min() / norm(residual))) if value > 0 else 0.0
    gamma = float(norm(reference.base_weights @ reference.shifted))
    slack = reference.slack
    if abs(floor.value - value) > slack:
        yield f"floor.value {floor.value:.17g} is {value:.17g}"
    if float(norm(floor.residual.astype(Long) - residual)) > slack:
        yield "floor.residual is not that of its weights"
    if abs(floor.base_discrepancy - gamma) > slack:
        yield f"floor.base_discrepancy {floor.base_discrepancy:.17g} is {gamma:.17g}"
    if not 0 <= floor.lower_bound <= floor.value:
        yield f"bounds {floor.lower_bound:.17g}, {floor.value:.17g} are out of order"
    # A residual of rounding size has no direction to take a bound from; where it has one, the bound is this.
    if floor.lower_bound > lower + slack * max(1.0, reference.largest / (max(value, slack) or 1.0)):
        yield f"floor.lower_bound {floor.lower_bound:.17g} exceeds what its weights prove, {lower:.17g}"
    if floor.status is drr.Status.CONVERGED:
        if floor.gap > 1e-10 * floor.value and floor.value > 1e-10 * floor.base_discrepancy:
            yield f"floor converged with gap {floor.gap:g} of {floor.value:g}"
    elif floor.status is not drr.Status.ROUND_OFF:
        yield f"floor ended with {floor.status.value} and gap {floor.gap:g} of {floor.value:g}"
    elif floor.gap > 16 * slack + 1e-6 * floor.value:
        yield f"floor calls a gap of {floor.gap:g} round-off; rounding explains {slack:g}"


def check_floor_by_nnls(floor: drr.Floor, reference: Reference) -> Iterator[str]:
    """min ‖Aᵀw‖ over the simplex from SciPy's non-negative least squares: its weights bound φ from both sides too.

    With C = [Aᵀ/s; 1ᵀ] and b = (0, 1) the minimiser of ‖Cv − b‖ over v ≥ 0 is proportional to that of the floor.
    """
    present = np.flatnonzero(reference.present)
    matrix = np.asarray(reference.shifted[present] / Long(reference.largest or 1.0), dtype=np.float64)
    system = np.vstack([matrix.T, np.ones(len(present))])
    try:
        found, _ = scipy.optimize.nnls(
            system, np.r_[np.zeros(matrix.shape[1]), 1.0], maxiter=50 * len(present)
        )
    except RuntimeError:  # its own iteration limit
        return
    if found.sum() <= 0:
        return
    weights = found.astype(Long) / found.astype(Long).sum()
    residual = weights @ reference.shifted[present]
    upper = float(norm(residual))
    if floor.lower_bound > upper * (1 + 1e-12) + reference.slack:
        yield f"floor.lower_bound {floor.lower_bound:.17g} exceeds the distance {upper:.17g} of other weights"
    if upper > reference.slack:
        lower = float((reference.shifted[present] @ residual).min() / norm(residual))
        if floor.value < lower * (1 - 1e-12) - reference.slack:
            yield f"floor.value {floor.value:.17g} is below the lower bound {lower:.17g} of other weights"


def check_dual(
    dual: drr.Dual, delta: float, reference: Reference, floor: drr.Floor | None
) -> tuple[list[str], float]:
    """What is wrong with a dual, and the rigorous gap between the primal and the dual objective, in nats."""
    wrong = list(check_weights(dual.weights, reference, "dual"))
    theta, target = dual.theta.astype(Long), reference.target
    size = float(norm(theta))
    gamma = float(norm(reference.base_weights @ reference.shifted))
    if dual.status is drr.Status.ZERO_DUAL:
        if theta.any():
            wrong.append("a zero dual has θ ≠ 0")
        if gamma > delta + reference.slack:
            wrong.append(f"a zero dual, but the base weights are at {gamma:g}, outside {delta:g}")
        if np.abs(dual.weights - reference.base_weights).max() > 1e-12:
            wrong.append("a zero dual, but the weights are not the base weights")
        return wrong, 0.0
    if not np.isfinite(dual.theta).all():
        return [*wrong, "θ is not finite"], float("nan")

    scores = np.where(reference.present, reference.shifted @ theta, -np.inf)
    terms = np.where(reference.present, reference.base_weights, 0) * np.exp(scores - scores.max())
    log_partition = np.log(terms.sum()) + scores.max()
    weights = terms / terms.sum()
    spread = float(np.abs(scores[reference.present]).max())
    score_error = reference.slack * size + 8 * EPS * spread  # absolute, in nats
    if np.abs(dual.weights - weights).max() > (1e-10 + 4 * score_error) * float(weights.max()):
        wrong.append(f"weights are not the tilt of θ, by {float(np.abs(dual.weights - weights).max()):g}")
    mean = weights @ reference.shifted
    gradient = mean + delta * theta / size if size > 0 else mean
    slack = reference.slack + 4 * score_error * reference.largest  # of the mean: its rows and its weights
    divergence = float(theta @ mean - log_partition)
    objective = float(log_partition + delta * size)
    for name, found, expected, allowed in (
        ("discrepancy", dual.discrepancy, float(norm(mean)), slack),
        ("gradient_norm", dual.gradient_norm, float(norm(gradient)), slack),
        ("kl", dual.kl, max(0.0, divergence), 1e-11 + 8 * score_error),
        ("log_partition", dual.log_partition, float(log_partition + theta @ target), 1e-11 + 8 * score_error),
        ("ess", dual.ess, float(1 / (weights * weights).sum()), (1e-9 + 8 * score_error) * dual.ess),
    ):
        if not abs(found - expected) <= allowed:
            wrong.append(f"{name} {found:.17g} is {expected:.17g}, off by {abs(found - expected):g}")
    gap = _rigorous_gap(weights, mean, objective, delta, reference, floor)
    if dual.status is drr.Status.CONVERGED:
        goal = delta if delta > 0 else gamma
        if float(norm(gradient)) > 1.01e-9 * goal + slack:
            wrong.append(f"converged with ‖g‖ = {float(norm(gradient)):g} beside {goal:g}")
        if abs(float(theta @ gradient)) > 1e-10 + 16 * score_error:
            wrong.append(f"converged with θᵀg = {float(theta @ gradient):g} nats")
        if float(norm(mean)) > delta + 2e-9 * goal + slack:
            wrong.append(f"converged outside the tolerance: {float(norm(mean)):g} > {delta:g}")
    elif dual.status is not drr.Status.ROUND_OFF:
        wrong.append(
            f"dual ended with {dual.status.value}, gap {dual.gap:g}, ‖g‖ {dual.gradient_norm:g} of {delta:g}"
        )
    elif float(norm(gradient)) > 1e-6 * delta + 64 * slack:
        wrong.append(
            f"dual calls ‖g‖ = {float(norm(gradient)):g} of {delta:g} round-off; rounding explains {slack:g}"
        )
    return wrong, gap


def _rigorous_gap(
    weights: NDArray[Any],
    mean: NDArray[Any],
    objective: float,
    delta: float,
    reference: Reference,
    floor: drr.Floor | None,
) -> float:
    """KL(w′‖d) + f(θ) for feasible w′: the weights themselves, or those mixed with the floor's until feasible."""
    inside = reference.present & (weights > 0)
    mixed = weights
    if float(norm(mean)) > delta and floor is not None:
        safe = floor.weights.astype(Long)
        safe_mean = safe @ reference.shifted
        if float(norm(safe_mean)) > delta:
            return float("nan")
        low, high = Long(0), Long(1)
        for _ in range(70):  # bisection needs no formula that could share a mistake
            middle = (low + high) / 2
            if float(norm((1 - middle) * mean + middle * safe_mean)) > delta:
                low = middle
            else:
                high = middle
        mixed = (1 - high) * weights + high * safe
        inside = reference.present & (mixed > 0)
    log_ratio = np.log(mixed[inside]) - np.log(reference.base_weights[inside])
    return float((mixed[inside] * log_ratio).sum() + objective)
