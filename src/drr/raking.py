"""Raking: arrays in, frozen results out.

Φ is the n0×K matrix of majority rows (`features`), d their base weights.
"""

from __future__ import annotations

import math
import operator
import warnings

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from drr._dispatch import core
from drr._progress import Callback, make_callback
from drr._threads import resolve_n_threads
from drr._validation import check_base_weights, check_features, check_vector, log_base_weights
from drr.results import Floor, Status, Tilt

_FLOOR_METHODS = {"auto": "min_norm_point", "paper": "pairwise_frank_wolfe"}


def tilt(
    features: object, theta: ArrayLike, *, base_weights: ArrayLike | None = None, n_threads: int | None = None
) -> Tilt:
    """Reweight the rows of `features` by an exponential tilt in the direction `theta`.

    The weights wᵢ = dᵢ exp(φᵢᵀθ − Λ(θ)) with Λ(θ) = log Σᵢ dᵢ exp(φᵢᵀθ) are found in one pass over the rows, with no
    temporary of their size, and without overflow for scores of any magnitude.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns)
        float64 or float32; read in place where its rows are contiguous.
    theta : array of shape (n_columns,)
    base_weights : array of shape (n_rows,), optional
        d, normalised to sum one; uniform by default. Zero means that the row is absent.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.

    Returns
    -------
    Tilt

    Examples
    --------
    >>> import numpy as np, drr
    >>> tilted = drr.tilt(np.array([[0.0], [1.0]]), [np.log(3.0)])
    >>> tilted.weights.round(6).tolist(), tilted.mean.round(6).tolist()
    ([0.25, 0.75], [0.75])
    """
    rows = check_features(features)
    direction = check_vector(theta, rows.shape[1], "theta", "column of features")
    log_d = log_base_weights(check_base_weights(base_weights, rows.shape[0]))
    return Tilt(*core.tilt(rows, direction, log_d, n_threads=resolve_n_threads(n_threads)))


def find_floor(
    features: object,
    target: ArrayLike,
    *,
    base_weights: ArrayLike | None = None,
    method: str = "auto",
    max_iter: int | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
    callback: Callback | None = None,
) -> Floor:
    """Find how near the weighted mean of the rows can come to the target.

    The floor is φ = min ‖Φᵀw − μ₁‖ over weights w ≥ 0 that sum to one: zero where the target μ₁ lies in the convex hull
    of the rows, positive otherwise. No tolerance below it can be met. With aᵢ = φᵢ − μ₁ and x = Σᵢ wᵢ aᵢ, every w gives
    the two bounds max(0, minᵢ aᵢᵀx/‖x‖) ≤ φ ≤ ‖x‖; both are computed from scratch for the weights returned.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns)
        Φ: float64 or float32; read in place where its rows are contiguous.
    target : array of shape (n_columns,)
        μ₁, the mean to reach.
    base_weights : array of shape (n_rows,), optional
        d. Only its zeros matter to the floor: such rows are absent. All rows are present by default.
    method : {"auto", "paper"}
        ``auto`` is Wolfe's min-norm-point method over a working set of rows; it ends with a relative gap of at most
        1e-10, or with ``value <= 1e-10 * base_discrepancy`` for a target inside the hull, after a handful of passes
        over the rows. ``paper`` is pairwise Frank–Wolfe with the published constants, one pass per step: it ends at
        ‖x‖² − minᵢ aᵢᵀx ≤ max(1e-8‖x‖², 1e-12), or after 20 000 steps. The paper does not say where it starts and which
        row gives up mass; here it starts at the row nearest to the target, and each step moves mass from the active row
        of highest score to the row of lowest score, with exact line search.
    max_iter : int, optional
        By default 1000 passes for ``auto`` and 20 000 steps for ``paper``.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.
    verbose : int
        1 prints a line per iteration.
    callback : callable, optional
        Called after every iteration with a dict of its figures; an exception raised there ends the solve.

    Returns
    -------
    Floor

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the bounds do not meet the stated tolerance. They are valid all the same.

    Examples
    --------
    >>> import numpy as np, drr
    >>> floor = drr.find_floor(np.array([[0.0, 0.0], [2.0, 0.0]]), [1.0, 0.5])
    >>> floor.value, floor.weights.tolist()
    (0.5, [0.5, 0.5])
    """
    features = check_features(features)
    n_rows, n_columns = features.shape
    target = check_vector(target, n_columns, "target", "column of features")
    weights = check_base_weights(base_weights, n_rows)
    if method not in _FLOOR_METHODS:
        raise ValueError(f"method must be 'auto' or 'paper', got {method!r}")
    figures = core.find_floor(
        features,
        target,
        weights,
        _FLOOR_METHODS[method],
        _check_max_iter(max_iter),
        resolve_n_threads(n_threads),
        make_callback(verbose, callback),
    )
    figures["status"] = Status(figures["status"])
    floor = Floor(n_rows=n_rows, method=_FLOOR_METHODS[method], **figures)
    if not floor.status.is_success:
        warnings.warn(_explain_floor(floor), ConvergenceWarning, stacklevel=2)
    return floor


def choose_tolerance(
    floor: Floor | float, discrepancy: float, *, eta: float = 0.05, buffer: float = 1.05
) -> float:
    """The paper's tolerance δ = max{U + η·max(γ − U, 0), buffer·U}.

    Parameters
    ----------
    floor : Floor or float
        The floor, or its upper bound U.
    discrepancy : float
        γ = ‖Aᵀd‖, the distance of the base mean from the target.
    eta : float
        η in (0, 1]: how far from the floor towards the base discrepancy. At 1 the base weights satisfy the tolerance.
    buffer : float
        At least 1: the smallest multiple of a positive floor.

    Examples
    --------
    >>> import drr
    >>> drr.choose_tolerance(0.5, 1.5, eta=0.1)
    0.6
    >>> drr.choose_tolerance(0.5, 0.5)
    0.525
    """
    upper = _check_number(floor.value if isinstance(floor, Floor) else floor, "floor")
    gamma = _check_number(discrepancy, "discrepancy")
    eta = _check_number(eta, "eta")
    buffer = _check_number(buffer, "buffer")
    if not 0 < eta <= 1:
        raise ValueError(f"eta must be in (0, 1], got {eta}")
    if buffer < 1:
        raise ValueError(f"buffer must be at least 1, got {buffer}")
    return max(upper + eta * max(gamma - upper, 0.0), buffer * upper)


def _check_number(value: object, name: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be finite and not negative, got {number}")
    return number


def _check_max_iter(max_iter: int | None) -> int:
    """The limit for the core, where 0 stands for the method's own."""
    if max_iter is None:
        return 0
    try:
        number = operator.index(max_iter)
    except TypeError:
        raise TypeError(f"max_iter must be None or a whole number, got {max_iter!r}") from None
    if number < 1:
        raise ValueError(f"max_iter must be None or at least 1, got {number}")
    return number


def _explain_floor(floor: Floor) -> str:
    bounds = f"the floor is between {floor.lower_bound:.10g} and {floor.value:.10g}"
    if floor.status is Status.ROUND_OFF:
        remedy = (
            "The bounds differ by no more than double precision can resolve beside the norms of the rows. Where that is "
            "too coarse, centre the features near the target, or bring their columns to a common scale."
        )
    else:
        remedy = f"Raise max_iter (now reached at {floor.n_iter})" + (
            " or use method='auto'." if floor.method == "pairwise_frank_wolfe" else "."
        )
    return f"find_floor did not reach its tolerance: {floor.status.description} Here {bounds}. {remedy}"
