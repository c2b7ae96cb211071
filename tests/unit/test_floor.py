"""The floor's interface: results, warnings, progress, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

import drr
from drr import Floor, Status, choose_tolerance, find_floor

METHODS = ["auto", "paper"]


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(200, 5))


@pytest.fixture
def outside() -> np.ndarray:
    return np.full(5, 2.5)


@pytest.mark.parametrize("method", METHODS)
def test_segment_has_the_analytic_answer(method: str) -> None:
    floor = find_floor([[0.0, 0.0], [2.0, 0.0]], [0.5, 1.5], method=method)
    assert floor.value == pytest.approx(1.5, rel=1e-12)
    assert floor.lower_bound == pytest.approx(1.5, rel=1e-7)
    np.testing.assert_allclose(floor.weights, [0.75, 0.25], rtol=1e-7)
    np.testing.assert_allclose(floor.residual, [0.0, -1.5], atol=1e-7)
    assert floor.status is Status.CONVERGED


@pytest.mark.parametrize("method", METHODS)
def test_result_is_frozen_and_pickles(method: str, rows: np.ndarray, outside: np.ndarray) -> None:
    floor = find_floor(rows, outside, method=method)
    with pytest.raises(AttributeError):
        floor.value = 0.0  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(floor))
    assert isinstance(again, Floor)
    assert again.value == floor.value
    assert again.status is floor.status
    np.testing.assert_array_equal(again.weights, floor.weights)


def test_sparse_and_dense_weights_agree(rows: np.ndarray, outside: np.ndarray) -> None:
    floor = find_floor(rows, outside)
    assert floor.weights.shape == (200,)
    np.testing.assert_array_equal(np.flatnonzero(floor.weights), floor.support)
    assert (floor.support_weights > 0).all()
    assert floor.support_weights.sum() == pytest.approx(1, abs=1e-14)
    assert floor.method == "min_norm_point"
    assert floor.gap == floor.value - floor.lower_bound
    assert 3 <= floor.n_passes <= 40


def test_base_discrepancy_follows_the_base_weights(rows: np.ndarray, outside: np.ndarray) -> None:
    weights = np.arange(200.0)
    floor = find_floor(rows, outside, base_weights=weights)
    expected = np.linalg.norm(weights / weights.sum() @ (rows - outside))
    assert floor.base_discrepancy == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_zero_are_absent(method: str, rows: np.ndarray, outside: np.ndarray) -> None:
    present = np.ones(200)
    present[find_floor(rows, outside).support] = 0
    masked = find_floor(rows, outside, base_weights=present, method=method)
    alone = find_floor(rows[present > 0], outside, method=method)
    assert (masked.weights[present == 0] == 0).all()
    assert masked.value == pytest.approx(alone.value, rel=1e-9)
    assert masked.lower_bound == pytest.approx(alone.lower_bound, rel=1e-7)
    assert masked.lower_bound > find_floor(rows, outside).value


@pytest.mark.parametrize("method", METHODS)
def test_iteration_limit_warns_with_the_bounds(method: str) -> None:
    rng = np.random.default_rng(1)
    rows = np.cos(rng.normal(size=(3000, 4)) @ rng.normal(size=(4, 60)))
    target = rows[:5].mean(axis=0) + 0.3
    with pytest.warns(ConvergenceWarning, match=r"between .* and .*max_iter \(now reached at 1\)"):
        floor = find_floor(rows, target, method=method, max_iter=1)
    best = find_floor(rows, target)
    assert floor.status is Status.ITERATION_LIMIT
    assert floor.lower_bound <= best.value * (1 + 1e-12)
    assert floor.value >= best.value


@pytest.mark.parametrize("method", METHODS)
def test_callback_hears_every_iteration(method: str, rows: np.ndarray, outside: np.ndarray) -> None:
    heard: list[dict[str, object]] = []
    floor = find_floor(rows, outside, method=method, callback=heard.append)
    assert [figures["iteration"] for figures in heard] == list(range(1, floor.n_iter + 1))
    assert all(
        figures["stage"] == "floor" and figures["lower_bound"] <= figures["value"] for figures in heard
    )


def test_exception_in_callback_ends_the_solve(rows: np.ndarray, outside: np.ndarray) -> None:
    def fail(figures: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        find_floor(rows, outside, callback=fail)


def test_verbose_prints_a_line_per_iteration(
    rows: np.ndarray, outside: np.ndarray, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[object] = []
    floor = find_floor(rows, outside, method="paper", verbose=1, callback=heard.append)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(heard) == floor.n_iter
    assert all(line.startswith("floor") and "lower_bound" in line for line in lines)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"method": "fast"}, ValueError, "method must be 'auto' or 'paper', got 'fast'"),
        ({"method": ["auto"]}, ValueError, r"method must be 'auto' or 'paper', got \['auto'\]"),
        ({"target": [0.0]}, ValueError, r"target must have shape \(5,\)"),
        ({"target": [0.0, np.nan, 0, 0, 0]}, ValueError, "target must be finite, got nan at position 1"),
        ({"base_weights": np.zeros(200)}, ValueError, "base_weights are all zero"),
        ({"base_weights": -np.ones(200)}, ValueError, "base_weights must not be negative"),
        ({"max_iter": 0}, ValueError, "max_iter must be None or at least 1"),
        ({"max_iter": 1.5}, TypeError, "max_iter must be None or a whole number"),
        ({"n_threads": 0}, ValueError, "n_threads"),
        ({"verbose": "loud"}, TypeError, "verbose must be a whole number"),
        ({"callback": 3}, TypeError, "callback must be None or callable"),
        ({"features": np.ones((2, 5)) * 1j}, TypeError, "complex"),
    ],
)
def test_bad_arguments_are_named(rows: np.ndarray, change: dict, error: type, message: str) -> None:
    arguments = {"features": rows, "target": np.zeros(5)} | change
    with pytest.raises(error, match=message):
        find_floor(arguments.pop("features"), arguments.pop("target"), **arguments)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [np.asarray, np.float32, scipy.sparse.csr_array], ids=["f64", "f32", "csr"])
def test_nonfinite_features_are_located(rows: np.ndarray, make, value: float, method: str) -> None:
    rows[17, 3] = value
    with pytest.raises(ValueError, match="row 17, column 3"):
        find_floor(make(rows), np.zeros(5), method=method)


def test_tolerance_follows_the_rule() -> None:
    assert choose_tolerance(0.2, 1.2) == pytest.approx(0.25)
    assert choose_tolerance(0.2, 0.2) == pytest.approx(0.21)
    assert choose_tolerance(0.2, 0.1) == pytest.approx(0.21)  # γ − U is clipped at zero
    assert choose_tolerance(0.0, 2.0, eta=0.5) == 1.0
    assert choose_tolerance(0.0, 0.0) == 0.0
    assert choose_tolerance(0.5, 1.0, eta=1.0, buffer=1.0) == 1.0


def test_tolerance_takes_a_floor(rows: np.ndarray, outside: np.ndarray) -> None:
    floor = find_floor(rows, outside)
    assert choose_tolerance(floor, 5.0) == choose_tolerance(floor.value, 5.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"eta": 1.0001}, ValueError, r"eta must be in \[0, 1\]"),
        ({"eta": -0.1}, ValueError, "eta must be finite and not negative"),
        ({"eta": np.nan}, ValueError, "eta must be finite"),
        ({"buffer": 0.99}, ValueError, "buffer must be at least 1"),
        ({"buffer": np.inf}, ValueError, "buffer must be finite"),
        ({"discrepancy": -1.0}, ValueError, "discrepancy must be finite and not negative"),
        ({"discrepancy": np.nan}, ValueError, "discrepancy must be finite"),
        ({"floor": np.nan}, ValueError, "floor must be finite"),
        ({"floor": "low"}, TypeError, "floor must be a number"),
        ({"eta": None}, TypeError, "eta must be a number"),
    ],
)
def test_tolerance_refuses(arguments: dict, error: type, message: str) -> None:
    arguments = {"floor": 0.1, "discrepancy": 1.0} | arguments
    with pytest.raises(error, match=message):
        choose_tolerance(arguments.pop("floor"), arguments.pop("discrepancy"), **arguments)


def test_public_names() -> None:
    assert {"find_floor", "choose_tolerance", "Floor"} <= set(drr.__all__)
