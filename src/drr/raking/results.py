"""What the functions of `drr.raking` return: frozen, plain, and safe to pickle between versions and machines."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._native import core


class Status(enum.Enum):
    """How a solve ended.

    Examples
    --------
    >>> from drr import Status
    >>> Status.ROUND_OFF.is_success, Status.ROUND_OFF.has_solution
    (False, True)
    >>> Status.ZERO_DUAL.description
    'The base weights already satisfy the tolerance, so the dual is exactly zero.'
    """

    CONVERGED = "converged"
    ZERO_DUAL = "zero_dual"
    ROUND_OFF = "round_off"
    ITERATION_LIMIT = "iteration_limit"
    INFEASIBLE = "infeasible"

    @property
    def description(self) -> str:
        """One sentence on what the status means."""
        return _MEANINGS[self.value][0]

    @property
    def is_success(self) -> bool:
        """Whether the result is certified: nothing to warn about."""
        return _MEANINGS[self.value][1]

    @property
    def has_solution(self) -> bool:
        """The result can be used, with the bounds it carries."""
        return _MEANINGS[self.value][2]


# What each status means is written once, in the core.
_MEANINGS = core.statuses()


@dataclass(frozen=True, eq=False)
class Tilt:
    """Rows tilted by a direction θ: wᵢ = dᵢ exp(φᵢᵀθ − Λ(θ)).

    Examples
    --------
    >>> import numpy as np, drr
    >>> tilted = drr.tilt(np.array([[0.0], [1.0]]), [0.0])
    >>> tilted.log_partition, tilted.weights.tolist()
    (0.0, [0.5, 0.5])
    """

    log_partition: float
    """Λ(θ) = log Σᵢ dᵢ exp(φᵢᵀθ)"""
    weights: NDArray[np.float64]
    """wᵢ, one per row, summing to one"""
    mean: NDArray[np.float64]
    """Σᵢ wᵢ φᵢ, the gradient of Λ at θ"""


class _PlainState:
    """Saves as numbers and text only: some file formats cannot hold an enumeration."""

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"status": self.__dict__["status"].value}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"status": Status(state["status"])})


@dataclass(frozen=True, eq=False)
class Floor(_PlainState):
    """The feasibility floor φ = min over w in the simplex of ‖Aᵀw‖, between two certified bounds.

    A = Φ − 1μ₁ᵀ holds the rows that are present (positive base weight), shifted by the target μ₁.

    Examples
    --------
    >>> import numpy as np, drr
    >>> floor = drr.find_floor(np.array([[0.0, 1.0], [0.0, -1.0]]), [2.0, 0.0])
    >>> floor.lower_bound, floor.value, floor.weights.round(6).tolist(), floor.status.is_success
    (2.0, 2.0, [0.5, 0.5], True)
    """

    value: float
    """‖Aᵀw‖ for the weights found: an upper bound of φ"""
    lower_bound: float
    """max(0, minᵢ aᵢᵀx / ‖x‖) for x = Aᵀw: a lower bound of φ"""
    residual: NDArray[np.float64]
    """x = Aᵀw = Φᵀw − μ₁"""
    support: NDArray[np.int64]
    """the rows with positive weight, ascending"""
    support_weights: NDArray[np.float64]
    """their weights, summing to one"""
    n_rows: int
    """how many rows there are, with and without weight"""
    base_mean: NDArray[np.float64]
    """Φᵀd, the mean of the rows under the base weights"""
    base_discrepancy: float
    """γ = ‖Aᵀd‖, the distance under the base weights"""
    n_iter: int
    """working-set solves (``auto``) or Frank–Wolfe steps (``paper``)"""
    n_passes: int
    """passes over all rows, the first look and the last check included"""
    method: str
    """the algorithm that ran: ``min_norm_point`` or ``pairwise_frank_wolfe``"""
    status: Status
    """how the solve ended"""

    @property
    def weights(self) -> NDArray[np.float64]:
        """w, one weight per row, summing to one; a new dense array on every access."""
        weights = np.zeros(self.n_rows)
        weights[self.support] = self.support_weights
        return weights

    @property
    def gap(self) -> float:
        """How far apart the two bounds are."""
        return self.value - self.lower_bound

    def __str__(self) -> str:
        return (
            f"floor {self.value:.6g} (at least {self.lower_bound:.6g}), reached by {len(self.support)} of "
            f"{self.n_rows} rows; {self.status.value}"
        )


@dataclass(frozen=True, eq=False)
class Dual(_PlainState):
    """The raking dual θ = argmin Λ(θ) + δ‖θ‖ with Λ(θ) = log Σᵢ dᵢ exp(aᵢᵀθ), aᵢ = φᵢ − μ₁, and its certificate.

    All values are computed from θ alone by a last pass over the rows.

    Examples
    --------
    >>> import numpy as np, drr
    >>> dual = drr.solve_dual(np.array([[0.0], [1.0], [2.0]]), [1.5], 0.1)
    >>> round(dual.discrepancy, 9), abs(dual.gap) < 1e-11, round(dual.ess, 3)
    (0.1, True, 2.404)
    """

    theta: NDArray[np.float64]
    """θ, one number per column"""
    weights: NDArray[np.float64] | None
    """wᵢ ∝ dᵢ exp(φᵢᵀθ), one per row, summing to one; None for rows that are read in passes; the weights of a
    block are ``d * numpy.exp(block @ theta - log_partition)``"""
    mean: NDArray[np.float64]
    """Φᵀw, the mean of the rows under the raked weights"""
    log_partition: float
    """log Σᵢ dᵢ exp(φᵢᵀθ), of the features themselves: φ(x)ᵀθ minus this is the estimated log density ratio"""
    discrepancy: float
    """‖Φᵀw − μ₁‖, the distance that is left"""
    gap: float
    """between the primal and the dual objective, in nats: θᵀg, or, if the discrepancy exceeds the tolerance by
    rounding and a floor was given, the gap of the weights mixed with the floor's until feasible"""
    gradient_norm: float
    """‖g‖ with g = Φᵀw − μ₁ + δθ/‖θ‖"""
    kl: float
    """KL(w‖d) in nats: what the reweighting costs"""
    ess: float
    """1/Σᵢwᵢ², the effective number of rows"""
    n_iter: int
    """outer iterations"""
    method: str
    """the algorithm that ran: ``passes`` (rows read in passes), ``newton``,
    ``pcg-sampled``, ``pcg-woodbury``, ``wide``, ``paper-newton``,
    ``paper-lbfgs``, or ``zero`` if the base weights already satisfy the tolerance"""
    status: Status
    """how the solve ended"""

    def __str__(self) -> str:
        return (
            f"discrepancy {self.discrepancy:.6g} after raking, {self.ess:.4g} effective rows, {self.kl:.4g} nats; "
            f"{self.status.value}"
        )


@dataclass(frozen=True, eq=False)
class Raking:
    """The floor, the tolerance chosen above it, and the dual solved at that tolerance.

    Examples
    --------
    >>> import numpy as np, drr
    >>> raking = drr.rake(np.array([[0.0], [1.0], [2.0]]), [1.5])
    >>> raking.floor.lower_bound <= raking.floor.value <= raking.tolerance < raking.base_discrepancy
    True
    """

    floor: Floor
    """how near the rows can come to the target"""
    tolerance: float
    """δ"""
    base_discrepancy: float
    """γ = ‖Φᵀd − μ₁‖, the distance before raking"""
    dual: Dual
    """the tilt that brings the distance down to δ"""

    def __str__(self) -> str:
        before = f"discrepancy {self.base_discrepancy:.6g} before; tolerance {self.tolerance:.6g}"
        return f"{self.floor}\n{before}\n{self.dual}"
