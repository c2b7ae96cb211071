"""solve_dual and rake: what they promise, in small problems."""

from __future__ import annotations

import pickle
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

import drr
from drr._native import core

REGIMES = ("auto:newton", "auto:pcg-sampled", "auto:pcg-woodbury", "auto:wide")


def problem(n_rows=300, n_columns=12, seed=0, shift=0.4):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_rows, n_columns))
    target = np.full(n_columns, shift / np.sqrt(n_columns)) + 0.1 * rng.normal(size=n_columns) / np.sqrt(
        n_columns
    )
    return features, target


def gamma(features, target, weights=None):
    return float(np.linalg.norm(np.average(features, axis=0, weights=weights) - target))


def test_two_points_have_the_analytic_answer():
    dual = drr.solve_dual(np.array([[0.0], [1.0]]), [0.75], 0.05)
    np.testing.assert_allclose(dual.weights, [0.3, 0.7], rtol=1e-12)
    np.testing.assert_allclose(dual.theta, [np.log(0.7 / 0.3)], rtol=1e-11)
    assert dual.status is drr.Status.CONVERGED


def test_every_figure_is_what_its_definition_says():
    features, target = problem()
    d = np.random.default_rng(1).uniform(0.1, 1.0, len(features))
    d /= d.sum()
    delta = 0.1 * gamma(features, target, d)
    dual = drr.solve_dual(features, target, delta, base_weights=7 * d)
    scores = features @ dual.theta
    partition = d @ np.exp(scores)
    w = d * np.exp(scores) / partition
    residual = features.T @ w - target
    g = residual + delta * dual.theta / np.linalg.norm(dual.theta)
    np.testing.assert_allclose(dual.weights, w, rtol=1e-12)
    assert dual.weights.sum() == pytest.approx(1, abs=1e-13)
    assert dual.log_partition == pytest.approx(np.log(partition), abs=1e-12)
    assert dual.discrepancy == pytest.approx(np.linalg.norm(residual), rel=1e-12)
    assert dual.discrepancy == pytest.approx(delta, rel=2e-9)
    assert dual.kl == pytest.approx(w @ np.log(w / d), rel=1e-11)
    assert dual.ess == pytest.approx(1 / (w @ w), rel=1e-12)
    assert np.linalg.norm(g) <= 1e-9 * delta
    assert dual.gradient_norm <= 1e-9 * delta
    assert abs(dual.gap) <= 1e-11


@pytest.mark.parametrize("method", ["auto", "paper"])
@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_a_tolerance_that_holds_already_gives_exactly_zero(method, factor):
    features, target = problem(n_columns=620 if method == "paper" else 12)
    raked = drr.tilt(features, np.zeros(features.shape[1]))
    delta = factor * float(np.linalg.norm(raked.mean - target)) * (1 + 1e-12)
    dual = drr.solve_dual(features, target, delta, method=method)
    assert dual.status is drr.Status.ZERO_DUAL
    assert dual.method == "zero"
    assert not dual.theta.any()
    np.testing.assert_array_equal(dual.weights, np.full(len(features), 1 / len(features)))
    assert (dual.gap, dual.kl, dual.n_iter, dual.log_partition) == (0, 0, 0, pytest.approx(0, abs=1e-15))


@pytest.mark.parametrize("regime", REGIMES)
def test_every_inner_solve_finds_the_same_dual(regime):
    features, target = problem(n_rows=400, n_columns=90, seed=3)
    delta = 0.3 * gamma(features, target)
    expected = core.solve_dual(features, target, delta, method="auto:newton")
    found = core.solve_dual(features, target, delta, method=regime)
    assert found["status"] == "converged"
    assert found["method"] == regime.removeprefix("auto:")
    np.testing.assert_allclose(
        found["theta"], expected["theta"], rtol=0, atol=1e-8 * np.abs(expected["theta"]).max()
    )
    np.testing.assert_allclose(found["weights"], expected["weights"], rtol=1e-7)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(30, 200), (60, 61), (100, 900)])
def test_more_columns_than_rows(n_rows, n_columns):
    features, target = problem(n_rows, n_columns, seed=5)
    raking = drr.rake(features, target, eta=0.3)
    assert raking.dual.status is drr.Status.CONVERGED
    # θ has to lie in the span of the shifted rows
    rows = features - target
    coefficients = np.linalg.lstsq(rows.T, raking.dual.theta, rcond=None)[0]
    np.testing.assert_allclose(
        rows.T @ coefficients, raking.dual.theta, atol=1e-9 * np.abs(raking.dual.theta).max()
    )


@pytest.mark.parametrize("nearness", [0.0, 1e-9, 1e-5, 1e-3, 1e-2])
def test_wide_rows_that_single_precision_cannot_tell_apart(nearness):
    """Of each row there is a second one that differs by less than, about, or more than the digits of a float."""
    features, target = problem(40, 300, seed=6)
    other = np.random.default_rng(7).normal(size=features.shape)
    features = np.vstack([features, features + nearness * other])
    delta = drr.choose_tolerance(drr.find_floor(features, target), gamma(features, target), eta=0.3)
    wide, newton = (core.solve_dual(features, target, delta, method=f"auto:{m}") for m in ("wide", "newton"))
    assert wide["status"] == newton["status"] == "converged"
    np.testing.assert_allclose(wide["weights"], newton["weights"], rtol=1e-7)


@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e30, 1e100])
def test_wide_rows_beyond_the_range_of_single_precision(scale):
    features, target = problem(50, 200, seed=9)
    features[::3, :90] *= 1e-3  # rows and columns of different size
    delta = drr.choose_tolerance(drr.find_floor(features, target), gamma(features, target), eta=0.3)
    plain, scaled = (
        core.solve_dual(s * features, s * target, s * delta, method="auto:wide") for s in (1.0, scale)
    )
    assert plain["status"] == scaled["status"] == "converged"
    np.testing.assert_allclose(scaled["weights"], plain["weights"], rtol=1e-8)


@pytest.mark.parametrize("margin", [1e-5, 1e-7])
def test_wide_tolerances_just_above_and_below_the_floor(margin):
    """As near to the floor as the digits of a float: called infeasible where it is, and only there."""
    features, target = problem(60, 400, seed=10)
    floor = drr.find_floor(features, target)
    below = core.solve_dual(features, target, (1 - margin) * floor.lower_bound, method="auto:wide")
    assert below["status"] == "infeasible"
    assert (1 - margin) * floor.lower_bound < below["floor_lower_bound"] <= floor.value * (1 + 1e-12)
    above = core.solve_dual(features, target, (1 + margin) * floor.value, method="auto:wide")
    assert above["status"] != "infeasible"
    assert above["discrepancy"] <= (1 + 2 * margin) * floor.value
    assert max(above["n_iter"], below["n_iter"]) <= 100


def test_wide_sparse_rows_are_never_made_dense():
    rng = np.random.default_rng(8)
    rows = scipy.sparse.csr_array(rng.random((40, 3000)) * (rng.random((40, 3000)) < 0.01))
    target = np.asarray(rows[:7].mean(axis=0)).ravel()
    delta = 0.5 * gamma(rows.toarray(), target)
    sparse, dense = (core.solve_dual(f, target, delta, method="auto:wide") for f in (rows, rows.toarray()))
    assert sparse["status"] == dense["status"] == "converged"
    np.testing.assert_allclose(sparse["weights"], dense["weights"], rtol=1e-8)


def test_zero_tolerance_reaches_a_target_inside_the_hull():
    features, _ = problem(500, 6)
    target = np.full(6, 0.1)
    dual = drr.solve_dual(features, target, 0.0)
    assert dual.status is drr.Status.CONVERGED
    assert dual.discrepancy <= 1e-9 * gamma(features, target)


def test_rows_of_weight_zero_are_absent():
    features, target = problem()
    d = np.ones(len(features))
    d[::3] = 0
    delta = 0.2 * gamma(features, target, d)
    dual = drr.solve_dual(features, target, delta, base_weights=d)
    alone = drr.solve_dual(features[d > 0], target, delta)
    assert not dual.weights[::3].any()
    np.testing.assert_allclose(dual.weights[d > 0], alone.weights, rtol=1e-9)


def test_the_floor_improves_the_gap_to_a_rigorous_one():
    features, target = problem(200, 8, shift=4.0)
    raking = drr.rake(features, target)
    assert raking.floor.lower_bound > 0
    assert raking.tolerance == drr.choose_tolerance(raking.floor, raking.base_discrepancy)
    assert raking.base_discrepancy == pytest.approx(gamma(features, target), rel=1e-12)
    assert 0 <= raking.dual.gap <= 1e-9 or raking.dual.discrepancy <= raking.tolerance
    without = drr.solve_dual(features, target, raking.tolerance)
    np.testing.assert_allclose(without.weights, raking.dual.weights, rtol=1e-7)


@pytest.mark.parametrize("method", ["auto", "paper"])
@pytest.mark.parametrize("with_floor", [True, False])
@pytest.mark.parametrize("n_columns", [8, 620])
def test_an_infeasible_tolerance_carries_the_proof(method, with_floor, n_columns):
    features, target = problem(700, n_columns, shift=60.0)
    floor = drr.find_floor(features, target)
    delta = 0.9 * floor.lower_bound
    with pytest.raises(drr.InfeasibleToleranceError, match="cannot be reached") as caught:
        drr.solve_dual(features, target, delta, floor=floor if with_floor else None, method=method)
    error = caught.value
    assert error.tolerance == delta
    assert delta < error.lower_bound <= floor.value * (1 + 1e-12)
    assert error.upper_bound == floor.value if with_floor else np.isnan(error.upper_bound)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.lower_bound) == (str(error), error.lower_bound)
    assert isinstance(error, ValueError)


def test_the_iteration_limit_warns_with_figures_and_returns_the_best_point():
    features, target = problem()
    delta = 0.01 * gamma(features, target)
    with pytest.warns(ConvergenceWarning, match=r"gap .* nats.*Raise max_iter"):
        dual = drr.solve_dual(features, target, delta, max_iter=1)
    assert dual.status is drr.Status.ITERATION_LIMIT
    assert dual.n_iter == 1
    w = drr.tilt(features, dual.theta).weights
    np.testing.assert_allclose(dual.weights, w, rtol=1e-12)


def test_a_callback_hears_every_iteration_and_can_end_the_solve(capsys):
    features, target = problem()
    heard = []
    raking = drr.rake(features, target, verbose=1, callback=heard.append)
    dual_lines = [figures for figures in heard if figures["stage"] == "dual"]
    assert [figures["iteration"] for figures in dual_lines] == list(range(raking.dual.n_iter + 1))
    values = [figures["value"] for figures in dual_lines]
    assert values == sorted(values, reverse=True)
    assert capsys.readouterr().out.count("dual") == len(dual_lines)

    class EnoughError(Exception):
        pass

    def stop(figures):
        raise EnoughError

    with pytest.raises(EnoughError):
        drr.solve_dual(features, target, raking.tolerance, callback=stop)


def test_interrupt_returns_within_a_second():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40_000, 500))
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)  # os.kill would end the process on Windows

    def solve_again_and_again():
        for _ in range(50):
            core.solve_dual(features, np.full(500, 0.03), 1e-3, method="auto:newton")

    # A shell that starts this in the background has it ignore SIGINT, and Python then raises nothing.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            solve_again_and_again()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, former)
    assert time.perf_counter() - sent[0] < 1.0


def test_the_same_bits_for_any_number_of_threads():
    for n_rows, n_columns, regime in ((20_000, 20, "newton"), (3000, 150, "newton"), (9000, 100, "pcg-sampled"),
                                      (600, 400, "pcg-woodbury"), (90, 300, "wide")):  # fmt: skip
        features, target = problem(n_rows, n_columns, seed=2)
        delta = 0.3 * gamma(features, target)
        runs = [
            core.solve_dual(features, target, delta, method=f"auto:{regime}", n_threads=n) for n in (1, 2, 4)
        ]
        for run in runs[1:]:
            np.testing.assert_array_equal(run["theta"], runs[0]["theta"])
            np.testing.assert_array_equal(run["weights"], runs[0]["weights"])


@pytest.mark.parametrize(("n_columns", "method"), [(40, "paper-newton"), (620, "paper-lbfgs")])
def test_the_published_algorithm_agrees(n_columns, method):
    features, target = problem(900, n_columns, seed=4)
    delta = 0.5 * gamma(features, target)
    paper = drr.solve_dual(features, target, delta, method="paper")
    ours = drr.solve_dual(features, target, delta)
    assert paper.method == method
    assert paper.status is drr.Status.CONVERGED
    np.testing.assert_allclose(paper.weights, ours.weights, rtol=2e-5)
    assert paper.kl == pytest.approx(ours.kl, abs=1e-6)


def test_the_published_algorithm_reports_its_limit():
    features, target = problem()
    with pytest.warns(ConvergenceWarning, match="method='auto'"):
        dual = drr.solve_dual(features, target, 0.1 * gamma(features, target), method="paper", max_iter=2)
    assert dual.status is drr.Status.ITERATION_LIMIT


def test_results_survive_pickling():
    features, target = problem()
    raking = drr.rake(features, target)
    copy = pickle.loads(pickle.dumps(raking))
    np.testing.assert_array_equal(copy.dual.theta, raking.dual.theta)
    assert copy.dual.status is raking.dual.status


@pytest.mark.parametrize("how", [{"eta": 0}, {"tolerance": 0.0}])
def test_exact_balance(how):
    features = np.random.default_rng(0).normal(size=(400, 3))
    target = features[:20].mean(axis=0)
    raking = drr.rake(features, target, **how)
    assert raking.tolerance == 0
    np.testing.assert_allclose(features.T @ raking.dual.weights, target, atol=1e-12)


def test_eta_zero_above_a_positive_floor_is_the_buffer():
    features = np.random.default_rng(0).normal(size=(50, 2))
    raking = drr.rake(features, [9.0, 0.0], eta=0)
    assert raking.tolerance == 1.05 * raking.floor.value


def test_a_given_tolerance_takes_the_place_of_eta():
    features = np.random.default_rng(0).normal(size=(400, 3))
    raking = drr.rake(features, [0.5, 0.0, 0.0], tolerance=0.25)
    assert raking.tolerance == 0.25
    assert raking.dual.discrepancy == pytest.approx(0.25, rel=1e-8)


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array, drr.open_rows])
def test_results_carry_the_means_before_and_after(layout):
    rng = np.random.default_rng(3)
    features, target, d = rng.normal(size=(300, 4)), np.full(4, 0.4), rng.uniform(size=300)
    raking = drr.rake(layout(features), target, base_weights=d)
    np.testing.assert_allclose(raking.floor.base_mean, d @ features / d.sum(), atol=1e-14)
    w = d * np.exp(features @ raking.dual.theta)
    np.testing.assert_allclose(raking.dual.mean, w @ features / w.sum(), atol=1e-13)
    gap = np.linalg.norm(raking.floor.base_mean - target)
    assert raking.base_discrepancy == pytest.approx(gap, rel=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_at_eta_one_the_dual_is_zero_whatever_the_rounding(seed):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(777, 13)) * 10.0 ** rng.integers(-3, 4, size=13)
    raking = drr.rake(features, rng.normal(size=13), eta=1.0)
    assert raking.dual.status is drr.Status.ZERO_DUAL
    assert raking.tolerance == raking.base_discrepancy


@pytest.mark.parametrize("shape", [(300, 8), (2000, 100), (40, 90)])
def test_newton_can_be_asked_for_whatever_the_shape(shape):
    features = np.random.default_rng(3).normal(size=shape)
    target = features[:7].mean(axis=0)
    delta = 0.4 * np.linalg.norm(features.mean(axis=0) - target)
    newton, chosen = (drr.solve_dual(features, target, delta, method=method) for method in ("newton", "auto"))
    assert newton.method == "newton"
    assert newton.status is drr.Status.CONVERGED
    np.testing.assert_allclose(newton.theta, chosen.theta, atol=1e-7 * np.linalg.norm(chosen.theta))
    with pytest.raises(ValueError, match="method must be 'auto' or 'paper', got 'newton'"):
        drr.find_floor(features, target, method="newton")
    with pytest.raises(ValueError, match="method must be 'auto', 'newton' or 'paper', got 'quasi'"):
        drr.solve_dual(features, target, delta, method="quasi")
