"""What must hold of the floor for any rows and any target.

The cases are the same on every run; DRR_PROPERTY_CASES sets how many each property gets (100 by default).
"""

from __future__ import annotations

import os
import warnings

import numpy as np
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from drr import Floor, Status, choose_tolerance, find_floor

N_CASES = int(os.environ.get("DRR_PROPERTY_CASES", "100"))
repeatable = "DRR_PROPERTY_CASES" not in os.environ
cases = settings(max_examples=N_CASES, derandomize=repeatable, deadline=None, database=None)
EPS = np.finfo(float).eps


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Rows of several kinds (spread, clustered, on a grid, of low rank), a target in or out of their hull."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(1, 80)), draw(st.integers(1, 12))
    kind = draw(st.sampled_from(["spread", "clustered", "grid", "low rank"]))
    rows = rng.normal(size=(n_rows, n_columns))
    if kind == "clustered":
        rows = 5 + 0.01 * rows
    elif kind == "grid":
        rows = np.round(rows)
    elif kind == "low rank":
        rows = rows[:, : (n_columns + 1) // 2] @ rng.normal(size=((n_columns + 1) // 2, n_columns))
    place = draw(st.sampled_from(["outside", "near", "inside", "row"]))
    if place == "row":
        return rows, rows[rng.integers(n_rows)].copy()
    inside = rng.dirichlet(np.ones(n_rows)) @ rows
    if place == "inside":
        return rows, inside
    return rows, inside + (3.0 if place == "outside" else 0.2) * rng.normal(size=n_columns)


def solve(rows: object, target: np.ndarray, **options: object) -> Floor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # round-off is a legitimate end for some of these
        return find_floor(rows, target, **options)


def rounding(rows: np.ndarray, target: np.ndarray) -> float:
    """What rounding may do to a bound: a small multiple of eps times the largest magnitude involved."""
    return 64 * EPS * (np.abs(rows).max() + np.abs(target).max()) * np.sqrt(rows.shape[1])


@cases
@given(problems())
def test_bounds_are_certified(problem: tuple[np.ndarray, np.ndarray]) -> None:
    rows, target = problem
    floor = solve(rows, target)
    shifted = rows - target
    slack = rounding(rows, target)
    assert abs(floor.value - np.linalg.norm(floor.weights @ shifted)) <= slack
    assert (floor.weights >= 0).all()
    assert abs(floor.weights.sum() - 1) <= 1e-13
    assert 0 <= floor.lower_bound <= floor.value
    if floor.status is Status.CONVERGED:
        assert floor.gap <= 1e-10 * floor.value or floor.value <= 1e-10 * floor.base_discrepancy
    else:
        assert floor.status is Status.ROUND_OFF
        assert floor.gap <= slack
    # Any other weights are at or above the lower bound.
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.full(len(rows), 0.3), size=20):
        assert np.linalg.norm(other @ shifted) >= floor.lower_bound * (1 - 1e-12) - slack


@cases
@given(problems(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(problem: tuple[np.ndarray, np.ndarray], random) -> None:
    rows, target = problem
    order = np.arange(len(rows))
    random.shuffle(order)
    floor, shuffled = solve(rows, target), solve(rows[order], target)
    assert abs(
        floor.value - shuffled.value
    ) <= 1e-10 * floor.value + 1e-10 * floor.base_discrepancy + rounding(rows, target)


@cases
@given(problems(), st.integers(2, 4))
def test_duplicated_rows_do_not_matter(problem: tuple[np.ndarray, np.ndarray], copies: int) -> None:
    rows, target = problem
    floor, repeated = solve(rows, target), solve(np.repeat(rows, copies, axis=0), target)
    assert abs(floor.value - repeated.value) <= 1e-10 * (floor.value + floor.base_discrepancy) + rounding(
        rows, target
    )


@cases
@given(problems(), st.integers(-27, 27))
def test_power_of_two_scale_changes_no_weight(problem: tuple[np.ndarray, np.ndarray], power: int) -> None:
    rows, target = problem
    scale = 2.0**power
    floor, scaled = solve(rows, target), solve(scale * rows, scale * target)
    np.testing.assert_array_equal(floor.weights, scaled.weights)
    assert scaled.value == scale * floor.value
    assert scaled.status is floor.status


@cases
@given(problems(), st.floats(-8, 8))
def test_any_scale_from_1e_minus_8_to_1e8(problem: tuple[np.ndarray, np.ndarray], exponent: float) -> None:
    rows, target = problem
    scale = 10.0**exponent
    floor, scaled = solve(rows, target), solve(scale * rows, scale * target)
    slack = 1e-10 * (floor.value + floor.base_discrepancy) + rounding(rows, target)
    assert abs(scaled.value / scale - floor.value) <= slack
    assert abs(scaled.lower_bound / scale - floor.lower_bound) <= slack


@cases
@given(problems(), st.integers(0, 2**32 - 1))
def test_rotation_does_not_matter(problem: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    rows, target = problem
    n_columns = rows.shape[1]
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n_columns, n_columns)))
    floor, turned = solve(rows, target), solve(rows @ rotation, target @ rotation)
    slack = 1e-10 * (floor.value + floor.base_discrepancy) + 8 * rounding(rows, target)
    assert abs(floor.value - turned.value) <= slack


@cases
@given(problems())
def test_single_precision_is_near_double(problem: tuple[np.ndarray, np.ndarray]) -> None:
    rows, target = problem
    single = rows.astype(np.float32)
    floor, near = solve(rows, target), solve(single, target)
    # The floor moves by no more than the rows do; and the same numbers give the same answer in either type.
    assert abs(floor.value - near.value) <= (
        np.linalg.norm(rows - single, axis=1).max()
        + 1e-10 * (floor.value + floor.base_discrepancy)
        + rounding(rows, target)
    )
    np.testing.assert_array_equal(near.weights, solve(single.astype(np.float64), target).weights)


@cases
@given(problems())
def test_csr_equals_dense(problem: tuple[np.ndarray, np.ndarray]) -> None:
    rows, target = problem
    floor = solve(rows, target)
    for index in (np.int32, np.int64):
        matrix = scipy.sparse.csr_array(rows)
        matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
        sparse = solve(matrix, target)
        slack = 1e-10 * (floor.value + floor.base_discrepancy) + rounding(rows, target)
        assert abs(floor.value - sparse.value) <= slack
        assert abs(np.linalg.norm(sparse.weights @ (rows - target)) - sparse.value) <= rounding(rows, target)


@settings(cases, max_examples=max(10, N_CASES // 5))
@given(st.integers(0, 2**32 - 1), st.sampled_from(["auto", "paper"]))
def test_thread_count_changes_no_bit(seed: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    rows, target = rng.normal(size=(700, 20)), rng.normal(size=20)
    floors = [solve(rows, target, method=method, n_threads=n, max_iter=200) for n in (1, 2, 3)]
    for floor in floors[1:]:
        np.testing.assert_array_equal(floor.weights, floors[0].weights)
        np.testing.assert_array_equal(floor.residual, floors[0].residual)
        assert (floor.value, floor.lower_bound) == (floors[0].value, floors[0].lower_bound)


@cases
@given(problems(), st.integers(0, 2**32 - 1))
def test_absent_rows_are_absent(problem: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    rows, target = problem
    rng = np.random.default_rng(seed)
    base = rng.exponential(size=len(rows)) * (rng.uniform(size=len(rows)) < 0.6)
    base[rng.integers(len(rows))] = 1.0
    masked, alone = solve(rows, target, base_weights=base), solve(rows[base > 0], target)
    assert (masked.weights[base == 0] == 0).all()
    slack = 1e-10 * (alone.value + alone.base_discrepancy + masked.base_discrepancy) + rounding(rows, target)
    assert abs(masked.value - alone.value) <= slack


@cases
@given(problems())
def test_paper_and_auto_bracket_the_same_floor(problem: tuple[np.ndarray, np.ndarray]) -> None:
    rows, target = problem
    auto, paper = solve(rows, target), solve(rows, target, method="paper", max_iter=2000)
    slack = rounding(rows, target)
    assert auto.lower_bound <= paper.value + slack
    assert paper.lower_bound <= auto.value + slack
    if paper.status is Status.CONVERGED:
        # gap ≤ ε‖x‖² means ‖x − x*‖² ≤ ε‖x‖²; the published absolute floor 1e-12 allows 1e-6 more
        assert paper.value <= auto.value + 1e-4 * paper.value + 1e-6 + slack


@cases
@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(1e-4, 1), st.floats(1, 3))
def test_tolerance_is_monotone_and_feasible(floor: float, gamma: float, eta: float, buffer: float) -> None:
    tolerance = choose_tolerance(floor, gamma, eta=eta, buffer=buffer)
    assert tolerance >= floor
    assert tolerance >= choose_tolerance(floor, gamma, eta=eta / 2, buffer=buffer)
    assert choose_tolerance(floor, gamma, eta=1.0, buffer=buffer) >= gamma * (1 - 4 * EPS)
