"""What a raking did to the moments, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drr._checks.names import printable
from drr.raking.results import Raking, Status

_N_WORST_MOMENTS = 5
# Absent levels that are named.
_N_SHOWN = 6


@dataclass(frozen=True, eq=False)
class Moments:
    """The mean of every feature in the rare class, and in the majority before and after raking.

    Examples
    --------
    >>> import numpy as np, drr
    >>> X = np.arange(12.0).reshape(-1, 1)
    >>> dual = drr.RakingDual(drr.RakingFeatureMap(0)).fit(X, np.arange(12) >= 9)
    >>> dual.moments_.names.tolist(), bool(dual.moments_.base[0] < dual.moments_.raked[0] < dual.moments_.target[0])
    (['x0'], True)
    """

    names: NDArray[Any]
    target: NDArray[np.float64]
    """μ₁, of the rare class"""
    base: NDArray[np.float64]
    """Φᵀd, of the majority under the base weights"""
    raked: NDArray[np.float64]
    """Φᵀw, of the majority under the raked weights"""

    def table(self, theta: NDArray[np.float64]) -> Any:
        """Return one row per moment as a pandas frame, in the order of the features."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "moment_table returns a pandas frame; install pandas, or read the arrays in moments_"
            ) from None
        columns = {
            "rare": self.target,
            "majority": self.base,
            "raked": self.raked,
            "gap_before": self.base - self.target,
            "gap_after": self.raked - self.target,
            "theta": theta,
        }
        return pandas.DataFrame(columns, index=pandas.Index(self.names, name="moment"))

    def worst(self, n: int = _N_WORST_MOMENTS) -> tuple[MomentGap, ...]:
        """Return the moments that are farthest from the target after raking, the farthest first."""
        gaps = self.raked - self.target
        order = np.argsort(-np.abs(gaps), kind="stable")[:n]
        return tuple(
            MomentGap(str(self.names[k]), float(self.base[k] - self.target[k]), float(gaps[k])) for k in order
        )


# A distance of the means up to this is rounding: it has no direction.
SAME_MEANS = 1e-12


class MomentGap(NamedTuple):
    """How far a moment of the majority is from that of the rare class.

    Examples
    --------
    >>> from drr import MomentGap
    >>> gap = MomentGap("age", before=-0.3, after=-0.02)
    >>> abs(gap.after) < abs(gap.before)
    True
    """

    name: str
    before: float
    after: float


@dataclass(frozen=True)
class DualDiagnostics:
    """What a fitted dual reached and what it cost.

    Examples
    --------
    >>> import numpy as np, drr
    >>> X = np.arange(12.0).reshape(-1, 1)
    >>> y = np.arange(12) >= 9
    >>> dual = drr.RakingDual(drr.RakingFeatureMap(0)).fit(X, y)
    >>> dual.diagnostics_.is_zero, dual.diagnostics_.worst_moments[0].name
    (False, 'x0')
    """

    floor: float
    """upper bound of the feasibility floor"""
    floor_lower_bound: float
    base_discrepancy: float
    """γ, the distance of the means before raking"""
    tolerance: float
    """δ"""
    discrepancy: float
    """the distance that is left"""
    ess: float
    """effective number of majority rows under the raked weights"""
    ess_share: float
    """the same as a part of the n₀ majority rows"""
    kl: float
    """KL(w‖d) in nats"""
    is_zero: bool
    """the base weights satisfy the tolerance, so that θ = 0"""
    worst_moments: tuple[MomentGap, ...]
    """the moments farthest from the rare class after raking"""
    absent_levels: tuple[str, ...]
    """levels that the rare class has and no majority row: raking cannot reach them"""
    is_limit: bool = False
    """rows are scored by the limit of the direction of θ, the difference of the means, because θ = 0"""

    def __str__(self) -> str:
        lines = [
            f"floor             {self.floor:.6g} (at least {self.floor_lower_bound:.6g})",
            f"discrepancy       {self.base_discrepancy:.6g} before, {self.discrepancy:.6g} after raking "
            f"(tolerance {self.tolerance:.6g})",
            f"effective rows    {self.ess:.4g} ({self.ess_share:.2%} of the majority), {self.kl:.4g} nats",
            "worst moments     "
            + ", ".join(
                f"{printable(gap.name)} {gap.before:+.3g} → {gap.after:+.3g}" for gap in self.worst_moments
            ),
        ]
        if self.is_limit:
            lines.append("the dual is zero: rows are scored by its limit, the difference of the means")
        elif self.is_zero:
            lines.append("the dual is zero: it adds nothing to any score")
        if self.absent_levels:
            shown = ", ".join(map(printable, self.absent_levels[:_N_SHOWN]))
            n_more = len(self.absent_levels) - _N_SHOWN
            lines.append(f"absent levels     {shown}" + (f" and {n_more} more" if n_more > 0 else ""))
        return "\n".join(lines)


def diagnose(
    raking: Raking, moments: Moments, feature_map: Any, *, limit_direction: bool = False
) -> DualDiagnostics:
    """Gather the values of a raking."""
    dual = raking.dual
    is_zero = dual.status is Status.ZERO_DUAL
    return DualDiagnostics(
        floor=raking.floor.value,
        floor_lower_bound=raking.floor.lower_bound,
        base_discrepancy=raking.base_discrepancy,
        tolerance=raking.tolerance,
        discrepancy=dual.discrepancy,
        ess=dual.ess,
        ess_share=dual.ess / raking.floor.n_rows,
        kl=dual.kl,
        is_zero=is_zero,
        worst_moments=moments.worst(),
        absent_levels=_absent_levels(moments, feature_map),
        is_limit=limit_direction and _has_only_limit(raking),
    )


def direction_of(
    raking: Raking, target: NDArray[np.float64], *, limit_direction: bool
) -> NDArray[np.float64]:
    """Return θ; if it is zero and `limit_direction`, the limit of its direction, the difference of the means."""
    if not (limit_direction and _has_only_limit(raking)):
        return raking.dual.theta
    difference = target - raking.floor.base_mean
    return np.asarray(difference / np.linalg.norm(difference))


def _has_only_limit(raking: Raking) -> bool:
    return raking.dual.status is Status.ZERO_DUAL and raking.base_discrepancy > SAME_MEANS


def _absent_levels(moments: Moments, feature_map: Any) -> tuple[str, ...]:
    """Return levels with rare rows and no majority rows; below 1e-12 of the rare share a mean is rounding."""
    one_hot = getattr(feature_map, "blocks_", {}).get("one_hot", slice(0))
    absent = (moments.target[one_hot] > 0) & (moments.base[one_hot] <= 1e-12 * moments.target[one_hot])
    return tuple(moments.names[one_hot][absent].tolist())


def explain_zero_dual(
    raking: Raking,
    eta: float,
    *,
    label: Any,
    has_random_features: bool,
    chosen_by_ess: bool,
    limit_direction: bool = False,
) -> str:
    """Explain why the dual of a class is zero, with the values and a remedy."""
    floor, gamma = raking.floor.value, raking.base_discrepancy
    is_limit = limit_direction and gamma > SAME_MEANS
    consequence = "rows are scored by the difference of the means" if is_limit else "every score is zero"
    cause = (
        f"The dual is zero for class {label!r}: the tolerance {raking.tolerance:.6g} (eta={eta:.4g}, floor "
        f"{floor:.6g}) reaches the base discrepancy {gamma:.6g}, so the majority is left as it is and {consequence}."
    )
    if gamma <= SAME_MEANS:
        remedy = (
            "The two classes have the same mean in every moment. Drop constant columns, or describe the rows by more "
            "moments (n_random_features of the feature map)."
        )
    elif chosen_by_ess:
        remedy = "min_ess asks for nearly all effective rows of the majority: lower it."
    elif floor * 1.05 >= gamma:
        fewer = "random features or columns" if has_random_features else "columns"
        remedy = (
            "The floor is within 5 % of the base discrepancy: no reweighting of the majority comes nearer to the rare "
            f"class. Use fewer {fewer}, chosen without the labels, or more majority rows."
        )
    else:
        remedy = "Lower eta."
    return f"{cause} {remedy}"
