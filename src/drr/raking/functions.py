"""Raking: arrays in, frozen results out.

Φ is the n0×K matrix of majority rows (`features`), d their base weights.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from drr._checks.arrays import check_base_weights, check_features, check_vector, log_base_weights
from drr._checks.rows import reads_in_passes
from drr._native import core
from drr._native.progress import Callback, make_callback
from drr._native.threads import resolve_n_threads
from drr.raking.arguments import (
    Checkpoint,
    check_floor,
    check_max_iter,
    check_method,
    check_number,
    check_results,
    check_start,
    check_target,
    refuse_absent_support,
    refuse_foreign_floor,
    start_direction,
)
from drr.raking.convergence import warned_dual, warned_floor
from drr.raking.paper_lbfgs import solve_by_lbfgs
from drr.raking.results import Dual, Floor, Raking, Status, Tilt

_PAPER_NEWTON_COLUMNS = 600  # the published algorithm turns to L-BFGS-B above
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
    checkpoint: Checkpoint = None,
) -> Floor:
    """Find how near the weighted mean of the rows can come to the target.

    The floor is φ = min ‖Φᵀw − μ₁‖ over weights w ≥ 0 that sum to one: zero where the target μ₁ lies in the
    convex hull of the rows, positive otherwise. No tolerance below it can be met. With aᵢ = φᵢ − μ₁ and
    x = Σᵢ wᵢ aᵢ, every w gives the two bounds max(0, minᵢ aᵢᵀx/‖x‖) ≤ φ ≤ ‖x‖; both are computed from scratch
    for the weights returned.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns), source of row blocks, or Dask collection
        Φ: float64 or float32; read in place where its rows are contiguous. A path, a source of `drr.open_rows` or a
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
        leaves open where it starts and which row gives up mass; here it starts at the row nearest to the
        target, and each step moves mass from the active row of highest score to the row of lowest score,
        with exact line search.
    max_iter : int, optional
        By default 1000 passes for ``auto`` and 20 000 steps for ``paper``.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.
    verbose : int
        1 prints a line per iteration.
    callback : callable, optional
        Called after every iteration with a dict of its figures; an exception raised there ends the solve.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes: what each pass found is kept there, and a solve that was killed goes on
        from it when it is started again, with the same result.

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
    check_method(method)
    if reads_in_passes(features):
        problem = _source_problem(features, target, base_weights, method, n_threads, checkpoint)
        found = problem.find_floor(check_max_iter(max_iter), make_callback(verbose, callback))
        return warned_floor(found.floor)
    _refuse_checkpoint(checkpoint)
    rows = check_features(features)
    n_rows, n_columns = rows.shape
    goal = check_target(target, n_columns)
    weights = check_base_weights(base_weights, n_rows)
    figures = core.find_floor(
        rows,
        goal,
        weights,
        _FLOOR_METHODS[method],
        check_max_iter(max_iter),
        resolve_n_threads(n_threads),
        make_callback(verbose, callback),
    )
    figures["status"] = Status(figures["status"])
    return warned_floor(Floor(n_rows=n_rows, method=_FLOOR_METHODS[method], **figures))


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
        η in (0, 1]: how far from the floor towards the base discrepancy. At 1 the base weights satisfy it.
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
    upper = check_number(floor.value if isinstance(floor, Floor) else floor, "floor")
    gamma = check_number(discrepancy, "discrepancy")
    eta = check_number(eta, "eta")
    buffer = check_number(buffer, "buffer")
    if not 0 < eta <= 1:
        raise ValueError(f"eta must be in (0, 1], got {eta}")
    if buffer < 1:
        raise ValueError(f"buffer must be at least 1, got {buffer}")
    between = upper + eta * max(gamma - upper, 0.0)
    if eta == 1:  # the sum may round to just below γ
        between = max(gamma, upper)
    return max(between, buffer * upper)


def tolerance_above(floor: Floor, eta: float) -> float:
    """The tolerance of a floor, a hair larger where the base weights satisfy it.

    The dual finds their discrepancy in a pass of its own, which may round differently; it is exactly zero all the same.
    """
    tolerance = choose_tolerance(floor, floor.base_discrepancy, eta=eta)
    return tolerance * (1 + 1e-14) if tolerance >= floor.base_discrepancy else tolerance


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
    wᵢ ∝ dᵢ exp(aᵢᵀθ) with aᵢ = φᵢ − μ₁, where θ minimises the convex f(θ) = log Σᵢ dᵢ exp(aᵢᵀθ) + δ‖θ‖. Where the base
    weights satisfy the tolerance, θ is exactly zero.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_columns), source of row blocks, or Dask collection
        Φ: float64 or float32; read in place where its rows are contiguous. A path, a source of `drr.open_rows` or a
        Dask collection is read in passes and never held in memory.
    target : array of shape (n_columns,)
        μ₁, the mean to reach.
    tolerance : float
        δ ≥ 0. Zero asks for the target itself, which must then lie inside the convex hull of the rows.
    base_weights : array of shape (n_rows,), optional
        d, normalised to sum one; uniform by default. Zero means that the row is absent, and so does a share below
        2.2e-308, the smallest that a double holds in full.
    floor : Floor, optional
        From `find_floor` on the same rows: a better start, an early proof where the tolerance is infeasible, and a
        rigorous gap where rounding leaves the weights just outside the tolerance. Before the proof is relied on, the
        floor's bounds are computed again from these rows.
    start : Dual, optional
        A dual of the same columns, such as one at a nearby tolerance: ``auto`` then starts from the best point of the
        plane that it spans with the base mean, instead of the floor's residual. The answer does not depend on it.
    method : {"auto", "paper"}
        ``auto`` takes Newton directions, by Cholesky or by preconditioned conjugate gradients as the shape makes
        cheaper, and after each the minimum of the plane that it spans with θ. It converges at a gap of 1e-11 nats (or
        of 64 units of round-off of the scores) and ‖g‖ ≤ 1e-9·δ. ``paper`` is the published algorithm with its
        constants: damped Newton on a smoothed norm, above 600 columns L-BFGS-B. Its status follows its own rule,
        ‖g‖ ≤ 1e-9, or 1e-6 where it can get no further; these are absolute, so features should be of ordinary scale.
    max_iter : int, optional
        By default 500 for ``auto``, 100 for rows that are read in passes; for ``paper`` 200, and SciPy's own limit for
        L-BFGS-B.
    n_threads : int, optional
        By default the limits of the process and of ``OMP_NUM_THREADS``. The result does not depend on it.
    verbose : int
        1 prints a line per iteration.
    callback : callable, optional
        Called after every iteration with a dict of its figures; an exception raised there ends the solve.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes: what each pass found is kept there, and a solve that was killed goes on
        from it when it is started again, with the same result.

    Returns
    -------
    Dual

    Raises
    ------
    InfeasibleToleranceError
        Where a lower bound of the floor exceeds the tolerance.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the stated accuracy was not reached; the best point is returned with its certificate.

    Examples
    --------
    >>> import numpy as np, drr
    >>> dual = drr.solve_dual(np.array([[0.0], [1.0]]), [0.75], 0.05)
    >>> dual.weights.round(6).tolist(), round(dual.discrepancy, 6)
    ([0.3, 0.7], 0.05)
    """
    delta = check_number(tolerance, "tolerance")
    check_method(method)
    check_results(floor, start)
    limit = check_max_iter(max_iter)
    if reads_in_passes(features):
        problem = _source_problem(
            features, target, base_weights, method, n_threads, checkpoint, tolerance=delta
        )
        solution = problem.solve_dual(delta, floor, start, limit, make_callback(verbose, callback))
        upper_bound = math.nan if floor is None else floor.value
        return warned_dual(solution.dual, delta, solution.floor_lower_bound, upper_bound)
    _refuse_checkpoint(checkpoint)
    rows = check_features(features)
    n_rows, n_columns = rows.shape
    goal = check_target(target, n_columns)
    weights = check_base_weights(base_weights, n_rows)
    log_d = log_base_weights(weights)
    threads = resolve_n_threads(n_threads)
    listener = make_callback(verbose, callback)
    if floor is not None:
        check_floor(floor, n_rows, n_columns)
        if weights is not None:
            refuse_absent_support(floor, weights[floor.support])
    if start is not None:
        check_start(start, n_columns)

    if method == "paper" and n_columns > _PAPER_NEWTON_COLUMNS:
        figures = solve_by_lbfgs(rows, goal, delta, log_d, floor, limit, threads, listener)
    else:
        figures = core.solve_dual(
            rows,
            goal,
            delta,
            log_d,
            None if floor is None else floor.weights,
            start_direction(floor, start),
            math.nan if floor is None else floor.lower_bound,
            method,
            limit,
            threads,
            listener,
        )
    proof = figures.pop("floor_lower_bound")
    figures["status"] = Status(figures["status"])
    if floor is not None and figures["status"] is Status.INFEASIBLE:
        refuse_foreign_floor(
            floor,
            rows[floor.support],
            goal,
            lambda x: core.price_block(rows, goal, weights, x, -math.inf, 0, threads)[0],
        )
    return warned_dual(Dual(**figures), delta, proof, math.nan if floor is None else floor.value)


def rake(
    features: object,
    target: ArrayLike,
    *,
    eta: float = 0.05,
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
        Φ: float64 or float32; read in place where its rows are contiguous. A path, a source of `drr.open_rows` or a
        Dask collection is read in passes and never held in memory.
    target : array of shape (n_columns,)
        μ₁, the mean to reach.
    eta : float
        η in (0, 1]: the tolerance lies at this share of the way from the floor to the base discrepancy.
    base_weights : array of shape (n_rows,), optional
        d, normalised to sum one; uniform by default. Zero means that the row is absent.
    method : {"auto", "paper"}
        For both the floor and the dual; see `find_floor` and `solve_dual`.
    n_threads, verbose, callback
        As in `solve_dual`; the figures say in ``"stage"`` whether they are the floor's or the dual's.
    checkpoint : path of a directory, optional
        Only for rows that are read in passes: what each pass found is kept there, and a solve that was killed goes on
        from it when it is started again, with the same result.

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
    choose_tolerance(0.0, 0.0, eta=eta)  # refuses a wrong eta before the work, not after
    check_method(method)
    if reads_in_passes(features):
        return _rake_source(
            _source_problem(features, target, base_weights, method, n_threads, checkpoint, eta=float(eta)),
            eta,
            make_callback(verbose, callback),
        )
    _refuse_checkpoint(checkpoint)
    rows = check_features(features)
    goal = check_target(target, rows.shape[1])
    floor = find_floor(
        rows,
        goal,
        base_weights=base_weights,
        method=method,
        n_threads=n_threads,
        verbose=verbose,
        callback=callback,
    )
    tolerance = tolerance_above(floor, eta)
    dual = solve_dual(
        rows,
        goal,
        tolerance,
        base_weights=base_weights,
        floor=floor,
        method=method,
        n_threads=n_threads,
        verbose=verbose,
        callback=callback,
    )
    return Raking(floor, tolerance, floor.base_discrepancy, dual)


def _source_problem(
    features: Any,
    target: ArrayLike,
    base_weights: Any,
    method: str,
    n_threads: int | None,
    checkpoint: Checkpoint,
    **options: float,
) -> Any:
    from drr.streaming.problem import SourceRaking, columns_of

    if method != "auto":
        raise ValueError(
            f"method={method!r} needs all rows in memory; rows that are read in passes are raked by method='auto'"
        )
    resolve_n_threads(n_threads)
    goal = check_target(target, columns_of(features))
    return SourceRaking(features, goal, base_weights, n_threads, checkpoint, **options)


def _rake_source(problem: Any, eta: float, callback: Callback | None) -> Raking:
    found = problem.find_floor(0, callback)
    floor = warned_floor(found.floor)
    tolerance = tolerance_above(floor, eta)
    solution = problem.solve_dual(tolerance, found, None, 0, callback)
    dual = warned_dual(solution.dual, tolerance, solution.floor_lower_bound, floor.value)
    return Raking(floor, tolerance, floor.base_discrepancy, dual)


def _refuse_checkpoint(checkpoint: Checkpoint) -> None:
    if checkpoint is not None:
        raise ValueError(
            "checkpoint is for rows that are read in passes; pass a path or a source of drr.open_rows as features"
        )
