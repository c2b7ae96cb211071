"""Raking: arrays in, frozen results out.

Φ is the n0×K matrix of majority rows (`features`), d their base weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.arrays import check_base_weights, check_features, check_vector, log_base_weights
from drr._native import core
from drr._native.progress import Callback, make_callback
from drr._native.threads import resolve_n_threads
from drr.raking.arguments import Checkpoint, check_max_iter, check_method, check_number, check_results
from drr.raking.convergence import warn_of_dual, warn_of_floor
from drr.raking.problem import RakingProblem, open_problem
from drr.raking.results import Dual, Floor, Raking, Tilt
from drr.raking.tolerance import check_eta, tolerance_between

# Weighted means of equal rows may differ by so much, beside their length.
_ROUND_OFF = 8 * np.finfo(np.float64).eps


def tilt(
    features: object, theta: ArrayLike, *, base_weights: ArrayLike | None = None, n_threads: int | None = None
) -> Tilt:
    """Reweight the rows of `features` by an exponential tilt in the direction `theta`.

    The weights wᵢ = dᵢ exp(φᵢᵀθ − Λ(θ)) with Λ(θ) = log Σᵢ dᵢ exp(φᵢᵀθ) are found in one pass over the rows, with no
    temporary of their size, and without overflow for scores of any magnitude.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns)
        float64 or float32; read in place if its rows are contiguous.
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


def weighted_covariance(
    features: object, weights: ArrayLike, *, n_threads: int | None = None
) -> NDArray[np.float64]:
    """Return the covariance of weighted rows, Σ_w = Σᵢ wᵢ(φᵢ − Φᵀw)(φᵢ − Φᵀw)ᵀ.

    At the weights of a tilt it is the Hessian of Λ, and the matrix of every Newton step of the dual. Rows are centred
    and multiplied a tile at a time, with no temporary of their size; sparse rows stay sparse until then.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns)
        float64 or float32; read in place if its rows are contiguous. Sums are in double precision.
    weights : array of shape (n_rows,)
        w, normalised to sum one. Zero means that the row is absent.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it, to the bit.

    Returns
    -------
    array of shape (n_columns, n_columns)
        Symmetric to the bit.

    Examples
    --------
    >>> import numpy as np, drr
    >>> drr.weighted_covariance(np.array([[0.0, 1.0], [2.0, 1.0]]), [1.0, 3.0]).tolist()
    [[0.75, 0.0], [0.0, 0.0]]
    """
    rows = check_features(features)
    n_rows, n_columns = rows.shape
    given = check_vector(weights, n_rows, "weights", "row of features")
    if (given < 0).any() or not given.any():
        raise ValueError("weights must not be negative, and at least one must be positive")
    shares = check_base_weights(given, n_rows)
    assert shares is not None
    threads = resolve_n_threads(n_threads)
    mean = core.tilt(rows, np.zeros(n_columns), log_base_weights(shares), n_threads=threads)[2]
    return core.covariance(rows, mean, shares, threads)


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
    checkpoint: Checkpoint = None,
) -> Floor:
    """Find how near the weighted mean of the rows can come to the target.

    The floor is φ = min ‖Φᵀw − μ₁‖ over weights w ≥ 0 that sum to one: zero if the target μ₁ is in the
    convex hull of the rows, positive otherwise. No tolerance below it can be met. With aᵢ = φᵢ − μ₁ and
    x = Σᵢ wᵢ aᵢ, every w gives the two bounds max(0, minᵢ aᵢᵀx/‖x‖) ≤ φ ≤ ‖x‖; both are computed from scratch
    for the weights returned.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns), source of row blocks, or Dask collection
        Φ: float64 or float32; read in place if its rows are contiguous. A path, a source of `drr.open_rows` or a
        Dask collection is read in passes and never held in memory.
    target : array of shape (n_columns,)
        μ₁, the mean to reach.
    base_weights : array of shape (n_rows,), optional
        The weights d. Only their zeros matter to the floor: such rows are absent. All rows are present by default.
    method : {"auto", "paper"}
        ``auto`` is Wolfe's min-norm-point method over a working set of rows; it ends with a relative gap of
        at most 1e-10, or with ``value <= 1e-10 * base_discrepancy`` for a target inside the hull, after a
        handful of passes over the rows. ``paper`` is pairwise Frank–Wolfe with the published constants, one
        pass per step: it ends at ‖x‖² − minᵢ aᵢᵀx ≤ max(1e-8‖x‖², 1e-12), or after 20 000 steps. The paper
        does not say where it starts and which row gives up mass; here it starts at the row nearest to the
        target, and each step moves mass from the active row of highest score to the row of lowest score,
        with exact line search.
    max_iter : int, optional
        By default 1000 passes for ``auto`` and 20 000 steps for ``paper``.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.
    verbose : int
        1 prints a line per iteration.
    callback : callable, optional
        Called after every iteration with a dict of its values; an exception raised there ends the solve.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes: the result of each pass is kept there, and a solve that was killed
        continues from it when it is started again, with the same result.

    Returns
    -------
    Floor

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the bounds do not meet the stated tolerance. They are still valid.

    Examples
    --------
    >>> import numpy as np, drr
    >>> floor = drr.find_floor(np.array([[0.0, 0.0], [2.0, 0.0]]), [1.0, 0.5])
    >>> floor.value, floor.weights.tolist()
    (0.5, [0.5, 0.5])
    """
    check_method(method)
    limit = check_max_iter(max_iter)
    listener = make_callback(verbose, callback)
    problem = open_problem(features, target, base_weights, n_threads=n_threads, checkpoint=checkpoint)
    return warn_of_floor(problem.find_floor(method, limit, listener))


def solve_dual(
    features: object,
    target: ArrayLike,
    tolerance: float,
    *,
    base_weights: ArrayLike | None = None,
    floor: Floor | None = None,
    start: Dual | None = None,
    method: str = "auto",
    max_iter: int | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
    callback: Callback | None = None,
    checkpoint: Checkpoint = None,
) -> Dual:
    """Find the smallest reweighting that brings the mean of the rows within `tolerance` of the target.

    Among weights w with ‖Φᵀw − μ₁‖ ≤ δ the one nearest to the base weights in KL(w‖d) is an exponential tilt,
    wᵢ ∝ dᵢ exp(aᵢᵀθ) with aᵢ = φᵢ − μ₁, where θ minimises the convex f(θ) = log Σᵢ dᵢ exp(aᵢᵀθ) + δ‖θ‖. If the base
    weights satisfy the tolerance, θ is exactly zero.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns), source of row blocks, or Dask collection
        Φ: float64 or float32; read in place if its rows are contiguous. A path, a source of `drr.open_rows` or a
        Dask collection is read in passes and never held in memory.
    target : array of shape (n_columns,)
        μ₁, the mean to reach.
    tolerance : float
        δ ≥ 0. Zero asks for the target itself, which must then be inside the convex hull of the rows.
    base_weights : array of shape (n_rows,), optional
        d, normalised to sum one; uniform by default. Zero means that the row is absent, and so does a share below
        2.2e-308, the smallest that a double holds in full.
    floor : Floor, optional
        From `find_floor` on the same rows: a better start, an early proof if the tolerance is infeasible, and a
        rigorous gap if rounding leaves the weights just outside the tolerance. Before the proof is used, the floor's
        bounds are computed again from these rows.
    start : Dual, optional
        A dual of the same columns, such as one at a nearby tolerance: ``auto`` then starts from the best point of the
        plane that it spans with the base mean, instead of the floor's residual. The answer does not depend on it.
    method : {"auto", "newton", "paper"}
        ``auto`` takes Newton directions, by Cholesky or by preconditioned conjugate gradients as the shape makes
        cheaper, and after each the minimum of the plane that it spans with θ. It converges at a gap of 1e-11 nats (or
        of 64 units of round-off of the scores) and ‖g‖ ≤ 1e-9·δ, or where rounding in the columns explains all
        of g and ‖g‖ ≤ 1e-3·δ. ``newton`` is the same with a Cholesky factor of the whole Hessian at every step,
        whatever the shape. ``paper`` is the published algorithm with its constants: damped Newton on a smoothed norm,
        above 600 columns L-BFGS-B. Its status follows its own rule, ‖g‖ ≤ 1e-9, or 1e-6 if it can get no further;
        these are absolute, so features should be of ordinary scale.
    max_iter : int, optional
        By default 500 for ``auto``, 100 for rows that are read in passes; for ``paper`` 200, and SciPy's own limit for
        L-BFGS-B.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.
    verbose : int
        1 prints a line per iteration.
    callback : callable, optional
        Called after every iteration with a dict of its values; an exception raised there ends the solve.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes: the result of each pass is kept there, and a solve that was killed
        continues from it when it is started again, with the same result.

    Returns
    -------
    Dual

    Raises
    ------
    InfeasibleToleranceError
        If a lower bound of the floor exceeds the tolerance.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the stated accuracy was not reached; the best point is returned with its certificate.

    Examples
    --------
    >>> import numpy as np, drr
    >>> dual = drr.solve_dual(np.array([[0.0], [1.0]]), [0.75], 0.05)
    >>> dual.weights.round(6).tolist(), round(dual.discrepancy, 6)
    ([0.3, 0.7], 0.05)
    """
    delta = check_number(tolerance, "tolerance")
    check_method(method, ("auto", "newton", "paper"))
    check_results(floor, start)
    limit = check_max_iter(max_iter)
    listener = make_callback(verbose, callback)
    problem = open_problem(
        features,
        target,
        base_weights,
        n_threads=n_threads,
        checkpoint=checkpoint,
        asked={"tolerance": delta},
    )
    return warn_of_dual(problem.solve_dual(delta, floor, start, method, limit, listener))


def rake(
    features: object,
    target: ArrayLike,
    *,
    eta: float = 0.05,
    tolerance: float | None = None,
    base_weights: ArrayLike | None = None,
    method: str = "auto",
    n_threads: int | None = None,
    verbose: int = 0,
    callback: Callback | None = None,
    checkpoint: Checkpoint = None,
) -> Raking:
    """Rake the rows to the target: find the floor, choose the tolerance above it, solve the dual.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns), source of row blocks, or Dask collection
        Φ: float64 or float32; read in place if its rows are contiguous. A path, a source of `drr.open_rows` or a
        Dask collection is read in passes and never held in memory.
    target : array of shape (n_columns,)
        μ₁, the mean to reach.
    eta : float
        η in [0, 1]: the tolerance is at this share of the way from the floor to the base discrepancy.
    tolerance : float, optional
        δ itself, instead of η. Zero asks for exact balance.
    base_weights : array of shape (n_rows,), optional
        d, normalised to sum one; uniform by default. Zero means that the row is absent.
    method : {"auto", "paper"}
        For both the floor and the dual; see `find_floor` and `solve_dual`.
    n_threads, verbose, callback
        As in `solve_dual`; the values say in ``"stage"`` whether they are the floor's or the dual's.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes: the result of each pass is kept there, and a solve that was killed
        continues from it when it is started again, with the same result.

    Returns
    -------
    Raking

    Examples
    --------
    >>> import numpy as np, drr
    >>> raking = drr.rake(np.array([[0.0], [1.0], [2.0]]), [1.5], eta=0.2)
    >>> round(raking.tolerance, 6), raking.dual.weights.round(3).tolist()
    (0.1, [0.154, 0.292, 0.554])
    """
    check_method(method)
    eta = check_eta(eta)
    fixed = None if tolerance is None else check_number(tolerance, "tolerance")
    listener = make_callback(verbose, callback)
    asked = {"eta": eta} if fixed is None else {"tolerance": fixed}
    problem = open_problem(
        features, target, base_weights, n_threads=n_threads, checkpoint=checkpoint, asked=asked
    )
    return rake_problem(problem, eta, fixed, method, listener)


def rake_problem(
    problem: RakingProblem,
    eta: float,
    tolerance: float | None,
    method: str,
    callback: Callback | None,
    start: Dual | None = None,
) -> Raking:
    """Find the floor, choose the tolerance above it unless one is given, and solve the dual."""
    floor = warn_of_floor(problem.find_floor(method, 0, callback))
    gamma = floor.base_discrepancy
    delta = tolerance_between(floor.value, gamma, eta) if tolerance is None else tolerance
    if tolerance is None and gamma <= _ROUND_OFF * np.linalg.norm(problem.target):
        delta = gamma  # the means are equal but for rounding: nothing to rake
    dual = warn_of_dual(problem.solve_dual(delta, floor, start, method, 0, callback))
    return Raking(floor, delta, gamma, dual)
