"""The floor against solvers that share no code with it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

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
    constraints = sparse.bmat(
        [
            [sparse.csc_array(np.ones((1, n_rows))), None],
            [-sparse.eye(n_rows), None],
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
    assert auto.lower_bound <= paper.value * (1 + 1e-14)  # one digit above it with the kernels for x86-64-v4
    gap = paper.value**2 - paper.lower_bound * paper.value
    assert gap <= max(1e-8 * paper.value**2, 1e-12) * (1 + 1e-6)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_paper_step_is_a_pairwise_step(name: str) -> None:
    """Each step moves mass from the worst active row to the best row, by exact line search or all there is.

    An exact line search leaves the two rows with equal scores, so which of equals comes next is up to
    rounding: steps are checked one by one instead of against another run.
    """
    rows, target = make_case(name)
    shifted = rows - target
    before = np.zeros(len(rows))
    before[np.argmin((shifted**2).sum(axis=1))] = 1
    n_drops = 0
    for n_steps in range(1, 41):
        floor = find_floor(rows, target, method="paper", max_iter=n_steps)
        if floor.n_iter < n_steps:
            break
        after, x = floor.weights, before @ shifted
        scores = shifted @ x
        change = after - before
        towards, away = int(np.argmax(change)), int(np.argmin(change))
        # The mean of rows of this norm is known to eps · norm, a score to eps · norm²: below that all are equal.
        tie = max(1e-12 * np.abs(scores).max(), np.finfo(float).eps * (shifted**2).sum(axis=1).max())
        assert scores[towards] <= scores.min() + tie
        assert scores[away] >= scores[before > 0].max() - tie
        direction = shifted[towards] - shifted[away]
        mass = min(-(x @ direction) / (direction @ direction), before[away])
        expected = before.copy()
        expected[towards] += mass
        expected[away] -= mass
        np.testing.assert_allclose(after, expected, atol=1e-13)
        if expected[away] < 1e-15:
            n_drops += 1
            assert after[away] == 0  # no vanishing weight stays
        assert np.count_nonzero(after) <= np.count_nonzero(before) + 1
        before = after
    assert n_steps > 10
    assert n_drops > 0 or name != "barely outside"
