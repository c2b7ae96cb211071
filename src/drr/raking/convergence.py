"""The warning for a solve that fell short, with its values and a remedy."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from drr.raking.results import Dual, Floor, Status

_NEGLIGIBLE_GAP = 1e-10


def warn_of_floor(floor: Floor) -> Floor:
    """Return the floor; warn at the line of the caller's caller if its bounds are too far apart.

    Beside the base discrepancy, which the tolerance is measured by, a gap of 1e-10 is none.
    """
    if not floor.status.is_success and not floor.gap <= _NEGLIGIBLE_GAP * floor.base_discrepancy:
        warnings.warn(_explain_floor(floor), ConvergenceWarning, stacklevel=3)
    return floor


def warn_of_dual(dual: Dual) -> Dual:
    """Return the dual; warn at the line of the caller's caller if it is not certified."""
    if not dual.status.is_success:
        warnings.warn(_explain_dual(dual), ConvergenceWarning, stacklevel=3)
    return dual


def _explain_floor(floor: Floor) -> str:
    bounds = f"the floor is between {floor.lower_bound:.10g} and {floor.value:.10g}"
    if floor.status is Status.ROUND_OFF:
        remedy = (
            "Rounding at the size of the rows' norms hides the rest of the gap between the bounds. If that is too "
            "coarse, centre the features near the target, or bring their columns to a common scale."
        )
    else:
        remedy = f"Raise max_iter (now reached at {floor.n_iter})" + (
            " or use method='auto'." if floor.method == "pairwise_frank_wolfe" else "."
        )
    return f"find_floor did not reach its tolerance: {floor.status.description} Here {bounds}. {remedy}"


def _explain_dual(dual: Dual) -> str:
    values = f"gap {dual.gap:.3g} nats, gradient norm {dual.gradient_norm:.3g}, discrepancy {dual.discrepancy:.10g}"
    if dual.status is Status.ROUND_OFF:
        remedy = (
            "Round-off in the features is larger than the accuracy asked for. If that is too coarse, centre the "
            "features near the target, bring their columns to a common scale, or choose a larger tolerance."
        )
    else:
        remedy = f"Raise max_iter (now reached at {dual.n_iter}), choose a larger tolerance" + (
            ", or use method='auto'."
            if dual.method.startswith("paper")
            else ", or pass the floor of find_floor."
        )
    return f"solve_dual did not reach its tolerance: {dual.status.description} Here: {values}. {remedy}"
