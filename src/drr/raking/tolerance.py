"""The tolerance: how near raking brings the majority to the rare class."""

from __future__ import annotations

from drr.raking.arguments import check_number
from drr.raking.results import Floor

# A floor below this part of the base discrepancy is zero up to rounding: the target is inside the hull of the rows.
_INSIDE = 1e-10


def choose_tolerance(
    floor: Floor | float, discrepancy: float, *, eta: float = 0.05, buffer: float = 1.05
) -> float:
    """Choose the paper's tolerance δ = max{U + η·max(γ − U, 0), buffer·U}.

    Parameters
    ----------
    floor : Floor or float
        The floor, or its upper bound U.
    discrepancy : float
        γ = ‖Aᵀd‖, the distance of the base mean from the target.
    eta : float
        η in [0, 1]: how far from the floor towards the base discrepancy. At 1 the base weights satisfy it; at 0 the
        tolerance is the smallest that the buffer allows, and zero (exact balance) if the target can be reached.
    buffer : float
        At least 1: the smallest multiple of a positive floor.

    Returns
    -------
    float

    Examples
    --------
    >>> import drr
    >>> drr.choose_tolerance(0.5, 1.5, eta=0.1)
    0.6
    >>> drr.choose_tolerance(0.5, 0.5)
    0.525
    """
    upper = check_number(floor.value if isinstance(floor, Floor) else floor, "floor")
    gamma = check_number(discrepancy, "discrepancy")
    eta = check_eta(eta)
    buffer = check_number(buffer, "buffer")
    if buffer < 1:
        raise ValueError(f"buffer must be at least 1, got {buffer}")
    return tolerance_between(upper, gamma, eta, buffer)


def tolerance_between(upper: float, gamma: float, eta: float, buffer: float = 1.05) -> float:
    """Return the formula of `choose_tolerance`, for numbers that are checked."""
    if eta == 0 and upper <= _INSIDE * gamma:
        return 0.0
    between = upper + eta * max(gamma - upper, 0.0)
    if eta == 1:  # the sum may round to just below γ
        between = max(gamma, upper)
    return max(between, buffer * upper)


def check_eta(eta: object) -> float:
    """Return η as a float in [0, 1]."""
    number = check_number(eta, "eta")
    if number > 1:
        raise ValueError(f"eta must be in [0, 1], got {number}")
    return number
