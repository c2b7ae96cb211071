"""The floor against solvers that share no code with it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from drr import Status, find_floor

CASES = {
    "outside": (300, 10, 1.5),
    "barely outside": (400, 6, 1.1),
    "wide": (40, 120, 0.5),
    "many active": (500, 60, 0.6),
    "inside": (600, 5, 0.1),
}


def make_case(name: str) -> tuple[np.ndarray, np.ndarray]:
    n_rows, n_columns, distance = CASES[name]
    rng = np.random.default_rng(len(name))
    rows = np.cos(rng.normal(size=(n_rows, n_columns)) + rng.normal(size=n_columns))
    direction = rng.normal(size=n_columns)
    extent = np.abs((rows - rows.mean(axis=0)) @ direction).max() / (direction @ direction)
    return rows, rows.mean(axis=0) + distance * extent * direction


def floor_by_nnls(rows: np.ndarray, target: np.ndarray) -> float:
    """min ‖Aᵀv‖² + (1ᵀv − 1)² over v ≥ 0 has v proportional to the floor's weights, whatever the scale."""
    shifted = rows - target
    unit = np.linalg.norm(shifted, axis=1).mean()
    system = np.vstack([shifted.T / unit, np.ones(len(rows))])
    solution, _ = nnls(system, np.append(np.zeros(rows.shape[1]), 1.0), maxiter=100 * len(rows))
    return float(np.linalg.norm(solution @ shifted) / solution.sum())


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_nnls(name: str) -> None:
    rows, target = make_case(name)
    floor = find_floor(rows, target)
    reference = floor_by_nnls(rows, target)
    scale = np.linalg.norm(rows - target, axis=1).max()
    assert floor.value == pytest.approx(reference, rel=1e-9, abs=1e-13 * scale)


@pytest.mark.parametrize("name", ["outside", "barely outside", "wide", "many active"])
def test_agrees_with_a_conic_solver(name: str) -> None:
    clarabel = pytest.importorskip("clarabel", reason="the conic oracle needs clarabel")
    sparse = pytest.importorskip("scipy.sparse")
    rows, target = make_case(name)
    shifted = rows - target
    n_rows, n_columns = shifted.shape
    # Variables (w, t): minimise t with (t, Aᵀw) in the second-order cone, w ≥ 0, Σw = 1.
    cost = np.append(np.zeros(n_rows), 1.0)
    constraints = sparse.block_array(
        [
            [sparse.csc_array(np.ones((1, n_rows))), None],
            [-sparse.eye_array(n_rows), None],
            [None, sparse.csc_array([[-1.0]])],
            [sparse.csc_array(-shifted.T), None],
        ],
        format="csc",
    )
    offsets = np.concatenate([[1.0], np.zeros(n_rows + 1 + n_columns)])
    cones = [
        clarabel.ZeroConeT(1),
        clarabel.NonnegativeConeT(n_rows),
        clarabel.SecondOrderConeT(n_columns + 1),
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    quadratic = sparse.csc_array((n_rows + 1, n_rows + 1))
    solution = clarabel.DefaultSolver(quadratic, cost, constraints, offsets, cones, settings).solve()
    floor = find_floor(rows, target)
    assert floor.value == pytest.approx(solution.obj_val, rel=1e-9)
    assert floor.lower_bound == pytest.approx(solution.obj_val, rel=1e-9)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", ["auto", "paper"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_certificate_from_the_returned_arrays(name: str, method: str) -> None:
    rows, target = make_case(name)
    floor = find_floor(rows, target, method=method, max_iter=None if method == "auto" else 3000)
    shifted = rows - target
    largest = np.linalg.norm(shifted, axis=1).max()
    mean = floor.weights @ shifted
    np.testing.assert_allclose(floor.residual, mean, atol=1e-13 * largest)
    assert floor.value == pytest.approx(np.linalg.norm(mean), rel=1e-12, abs=1e-14 * largest)
    norm = np.linalg.norm(floor.residual)
    lower_bound = max(0.0, (shifted @ floor.residual).min() / norm) if norm > 0 else 0.0
    assert floor.lower_bound == pytest.approx(lower_bound, rel=1e-12, abs=1e-13 * largest)
    if floor.status is Status.CONVERGED and method == "auto":
        assert floor.gap <= 1e-10 * floor.value or floor.value <= 1e-10 * np.linalg.norm(shifted.mean(axis=0))


@pytest.mark.parametrize("name", ["outside", "wide", "many active"])
def test_paper_agrees_with_auto(name: str) -> None:
    rows, target = make_case(name)
    paper, auto = find_floor(rows, target, method="paper"), find_floor(rows, target)
    assert paper.status is auto.status is Status.CONVERGED
    assert paper.method == "pairwise_frank_wolfe"
    assert paper.value == pytest.approx(auto.value, rel=1e-8)
    assert paper.lower_bound <= auto.value * (1 + 1e-14)
    assert auto.lower_bound <= paper.value
    gap = paper.value**2 - paper.lower_bound * paper.value
    assert gap <= max(1e-8 * paper.value**2, 1e-12) * (1 + 1e-6)


@pytest.mark.parametrize("name", ["outside", "wide", "many active"])
def test_paper_steps_match_a_plain_version(name: str) -> None:
    """The first hundred steps of pairwise Frank–Wolfe, written down as in a textbook."""
    rows, target = make_case(name)
    shifted = rows - target
    weights = np.zeros(len(rows))
    weights[np.argmin((shifted**2).sum(axis=1))] = 1
    n_steps = 0
    while n_steps < 100:
        x = weights @ shifted
        scores = shifted @ x
        if x @ x - scores.min() <= max(1e-8 * (x @ x), 1e-12):
            break
        towards = int(np.argmin(scores))
        away = int(np.argmax(np.where(weights > 0, scores, -np.inf)))
        direction = shifted[towards] - shifted[away]
        step = min(-(x @ direction) / (direction @ direction), weights[away])
        weights[towards] += step
        weights[away] = 0 if step == weights[away] else weights[away] - step
        n_steps += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a hundred steps need not be enough
        floor = find_floor(rows, target, method="paper", max_iter=100)
    assert floor.n_iter == n_steps
    np.testing.assert_allclose(floor.weights, weights, atol=1e-10)
