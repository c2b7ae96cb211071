"""What the functions of `drr.raking` return: frozen, plain, and safe to pickle between versions and machines."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class Status(enum.Enum):
    """How a solve ended."""

    CONVERGED = "converged"
    ZERO_DUAL = "zero_dual"
    ROUND_OFF = "round_off"
    ITERATION_LIMIT = "iteration_limit"
    INFEASIBLE = "infeasible"

    @property
    def description(self) -> str:
        """One sentence on what the status means."""
        return _DESCRIPTIONS[self]

    @property
    def is_success(self) -> bool:
        """The result is certified: nothing to warn about."""
        return self in (Status.CONVERGED, Status.ZERO_DUAL)

    @property
    def has_solution(self) -> bool:
        """The result can be used, with the bounds it carries."""
        return self is not Status.INFEASIBLE


_DESCRIPTIONS = {
    Status.CONVERGED: "The certificate holds: the bounds meet the stated tolerance.",
    Status.ZERO_DUAL: "The base weights already satisfy the tolerance, so the dual is exactly zero.",
    Status.ROUND_OFF: "No further progress is possible in double precision; the returned bounds are still valid.",
    Status.ITERATION_LIMIT: "The iteration limit was reached first; the returned bounds are still valid.",
    Status.INFEASIBLE: "No weights reach the tolerance: the lower bound of the floor exceeds it.",
}


@dataclass(frozen=True, eq=False)
class Tilt:
    """Rows tilted by a direction θ: wᵢ = dᵢ exp(φᵢᵀθ − Λ(θ))."""

    log_partition: float
    """Λ(θ) = log Σᵢ dᵢ exp(φᵢᵀθ)"""
    weights: NDArray[np.float64]
    """wᵢ, one per row, summing to one"""
    mean: NDArray[np.float64]
    """Σᵢ wᵢ φᵢ, the gradient of Λ at θ"""
