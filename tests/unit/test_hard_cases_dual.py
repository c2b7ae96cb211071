"""Every hard case that a raking of real data can meet, end to end."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

import drr
from drr._native import core


def rows(n_rows=120, n_columns=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def assert_solved(features, target, eta=0.05, **options):
    raking = drr.rake(features, target, eta=eta, **options)
    dual, delta = raking.dual, raking.tolerance
    assert dual.status.is_success, dual.status
    assert dual.weights.min() >= 0
    assert dual.weights.sum() == pytest.approx(1, abs=1e-12)
    residual = np.asarray(features, dtype=float).T @ dual.weights - target
    scale = np.abs(np.asarray(features, dtype=float) - target).max()
    assert np.linalg.norm(residual) <= delta * (1 + 2e-9) + 1e-14 * scale
    return raking


def test_target_in_the_interior():
    raking = assert_solved(rows(), np.full(5, 0.1))
    assert raking.tolerance == pytest.approx(0.05 * raking.base_discrepancy, rel=1e-6)


def test_target_on_a_vertex():
    features = rows(n_columns=3)
    vertex = features[np.argmax(features[:, 0])]
    raking = assert_solved(features, vertex.copy())
    assert raking.dual.ess < 3


def test_target_on_a_face():
    cube = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    raking = assert_solved(cube, np.array([1.0, 0.5, 0.4, 0.6]))
    assert raking.floor.value <= 1e-9


def test_target_outside():
    raking = assert_solved(rows(), np.full(5, 4.0))
    assert raking.floor.lower_bound > 1


def test_every_row_duplicated():
    features = rows()
    once, twice = (assert_solved(f, np.full(5, 0.3)) for f in (features, np.repeat(features, 2, axis=0)))
    np.testing.assert_allclose(twice.dual.weights[::2] * 2, once.dual.weights, rtol=1e-6)


def test_every_row_duplicated_with_more_columns_than_rows():
    features = np.repeat(rows(20, 90), 2, axis=0)
    assert_solved(features, features[::2].mean(axis=0) + 0.3 * features[0])


@pytest.mark.parametrize("value", [0.0, 7.0])
def test_constant_columns(value):
    features = np.column_stack([rows(), np.full((120, 2), value)])
    assert_solved(features, np.r_[np.full(5, 0.2), value, value])


def test_full_factorial_one_hot():
    levels = np.array(list(itertools.product(range(3), range(4), range(2))))
    one_hot = np.hstack([np.eye(n)[levels[:, j]] for j, n in enumerate((3, 4, 2))])
    target = np.r_[[0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1], [0.7, 0.3]]
    raking = assert_solved(one_hot, target, eta=1e-3)
    # The margins are reached nearly exactly, so the weights are nearly the product of the margins.
    product = target[:3][levels[:, 0]] * target[3:7][levels[:, 1]] * target[7:][levels[:, 2]]
    np.testing.assert_allclose(raking.dual.weights, product, atol=2e-3)


@pytest.mark.parametrize("n_rows", [1, 2])
def test_one_and_two_rows(n_rows):
    raking = assert_solved(rows(n_rows, 3), np.full(3, 0.4))
    assert raking.dual.weights.shape == (n_rows,)


def test_one_row_that_is_the_target():
    raking = assert_solved(np.ones((1, 3)), np.ones(3))
    assert raking.dual.status is drr.Status.ZERO_DUAL


def test_a_single_minority_row_as_target():
    features = rows(400, 6)
    assert_solved(features, rows(1, 6, seed=9)[0] * 1.5)


def test_rank_six_in_two_hundred_columns():
    rng = np.random.default_rng(1)
    features = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 200))
    assert_solved(features, features[:3].mean(axis=0))


def test_a_tiny_discrepancy_is_solved_or_reported():
    """γ ≈ 1e-9 beside features of order one: what is asked for is below the round-off of the rows' sums."""
    features = rows()
    target = features.mean(axis=0) + 1e-9 / np.sqrt(5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        raking = drr.rake(features, target)
    if not raking.dual.status.is_success:
        assert raking.dual.status is drr.Status.ROUND_OFF
        assert any("gap" in str(w.message) and w.category is ConvergenceWarning for w in caught)
    assert raking.dual.discrepancy <= 0.06 * raking.base_discrepancy + 1e-15


@pytest.mark.parametrize("eta", [0.5, 0.05, 0.005])
def test_column_scales_from_a_millionth_to_a_thousand(eta):
    scales = np.logspace(-6, 3, 10)
    assert_solved(rows(300, 10) * scales, 0.2 * scales, eta=eta)


def test_a_tolerance_of_the_base_discrepancy_and_more():
    features, target = rows(), np.full(5, 0.3)
    gamma = drr.find_floor(features, target).base_discrepancy
    assert drr.solve_dual(features, target, gamma * (1 + 1e-12)).status is drr.Status.ZERO_DUAL
    assert drr.solve_dual(features, target, 10 * gamma).status is drr.Status.ZERO_DUAL
    assert drr.rake(features, target, eta=1.0).dual.kl == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("eta", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("n_columns", [4, 90])
def test_eta_down_to_a_ten_thousandth(eta, n_columns):
    features = rows(300, n_columns, seed=3)
    assert_solved(features, features[:4].mean(axis=0), eta=eta)


def test_one_row_may_hold_all_the_weight():
    features = rows(200, 3, seed=2)
    features[0] = [30.0, 0.0, 0.0]
    raking = assert_solved(features, np.array([30.0, 0.0, 0.0]), eta=1e-4)
    assert raking.dual.weights[0] > 0.999


def test_non_uniform_base_weights_with_zeros():
    features = rows()
    d = np.arange(120.0)
    d[50:70] = 0
    raking = assert_solved(features, np.full(5, 0.2), base_weights=d)
    assert not raking.dual.weights[50:70].any()


def test_base_weights_on_one_row_only():
    d = np.zeros(120)
    d[7] = 1
    raking = drr.rake(rows(), np.full(5, 0.2), base_weights=d)
    assert raking.dual.status is drr.Status.ZERO_DUAL
    np.testing.assert_array_equal(raking.dual.weights, d)


@pytest.mark.parametrize("exponent", [-8, 8])
def test_extreme_scales_change_nothing(exponent):
    features, target = rows(), np.full(5, 0.3)
    scale = 2.0**27 if exponent > 0 else 2.0**-27  # near 1e±8, and exact
    plain, scaled = (assert_solved(f * s, target * s) for f, s in ((features, 1.0), (features, scale)))
    np.testing.assert_allclose(
        scaled.dual.weights, plain.dual.weights, rtol=0, atol=1e-9 * plain.dual.weights.max()
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eta", [0.2, 1e-4])
def test_base_weights_over_hundreds_of_orders_of_magnitude(seed, eta):
    """Rows of next to no weight decide the answer, and the curvature at zero does not see them."""
    rng = np.random.default_rng(seed)
    d = 10.0 ** rng.uniform(-300, 0, size=40)
    d[0] = 1.0
    features = rng.normal(size=(40, 1 + seed))
    raking = assert_solved(features, 0.3 * rng.normal(size=1 + seed), eta=eta, base_weights=d)
    assert (
        raking.dual.gap <= 1e-6
    )  # mixing in the floor until feasible costs up to log(1/d) per unit of weight


def test_a_start_beyond_the_minimum_does_not_end_at_the_kink_of_the_norm():
    """The curvature at zero promises a step to where f > f(0); the way down from there leads to θ = 0."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        features = rng.normal(size=(26, 63))
        assert_solved(features, features[:4].mean(axis=0) + rng.normal(size=63))


def test_a_stalled_solve_returns_its_best_point():
    """η = 1 and γ beside round-off: no point is accepted, and the last one tried is the worst."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        features = rng.normal(size=(120, 8))
        target = features.mean(axis=0) + 1e-9 * rng.normal(size=8)
        gamma = np.linalg.norm(features.mean(axis=0) - target)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            dual = drr.solve_dual(features, target, gamma * (1 - 1e-8))
        assert dual.status is drr.Status.ZERO_DUAL or dual.gradient_norm <= 1e-5 * gamma


def test_distances_beyond_what_squares_can_hold_are_refused():
    features, target = rows(), np.full(5, 0.3)
    for scale in (1e-160, 1e160):
        with pytest.raises(ValueError, match="rescale"):
            drr.find_floor(features * scale, target * scale)
        with pytest.raises(ValueError, match="rescale"):
            drr.solve_dual(features * scale, target * scale, 0.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["auto", "auto:newton", "auto:pcg-sampled", "auto:pcg-woodbury"])
def test_the_floor_itself_is_never_proved_infeasible(method):
    """θ goes to infinity, and scores that are only carried along end above the floor by 1e-11 of it."""
    figures = core.solve_dual(np.array([[-9.5], [-5.75]]), np.zeros(1), 5.75, method=method)
    assert figures["status"] != "infeasible"


@pytest.mark.parametrize("n_columns", [4, 400])
def test_a_row_whose_square_overflows_is_refused_whatever_its_weight(n_columns):
    """Its weight hides it from the base mean; the dual would end at θ = 0, or divide by a rank of zero."""
    features = rows(9, n_columns)
    features[2, 0] = 1.7e308
    d = np.ones(9)
    d[5] = 1e300
    for solve in (drr.find_floor, lambda *problem, **options: drr.solve_dual(*problem, 1.0, **options)):
        with pytest.raises(ValueError, match="rescale"):
            solve(features, np.full(n_columns, -1.0), base_weights=d)


@pytest.mark.parametrize("exponent", [-138, -90, 90, 140])
def test_scales_whose_fourth_powers_overflow(exponent):
    features, target = rows(), np.full(5, 0.3)
    scale = 10.0**exponent
    plain, scaled = drr.rake(features, target).dual, drr.rake(features * scale, target * scale).dual
    assert scaled.status is drr.Status.CONVERGED
    np.testing.assert_allclose(scaled.weights, plain.weights, rtol=0, atol=1e-9 * plain.weights.max())


def test_base_weights_308_orders_apart_prove_a_tolerance_below_the_floor():
    """At first only rows without weight differ along a Newton direction, which is then beyond any halving."""
    line = np.array([0.81, 0.48, -0.88, 0.54, -1.30, -2.39, 0.70, 1.53, -1.71, 0.94, -1.85, 0.36])
    features = np.lib.stride_tricks.sliding_window_view(line, 4)
    d = np.array([1.7e308, 0.31, 0.45, 0.72, 0.15, 0.0, 0.28, 0.92, 0.0])
    with pytest.raises(drr.InfeasibleToleranceError):
        drr.solve_dual(features, [-0.49, -0.32, -0.32, -0.54], 0.0, base_weights=d)


COLUMN_IN_COMMON = np.array([[0.0, 1.0, -1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
NEXT_TO_IT = [-9.7e-138, 3.9e-137, -5.1e-138]


@pytest.mark.parametrize("delta", [5e-324, 1e-300])
def test_a_column_in_common_next_to_the_target_proves_a_tolerance_below_the_floor(delta):
    """All curvature along the first column is rounding, and the square of a Newton step overflows."""
    with pytest.raises(drr.InfeasibleToleranceError) as caught:
        drr.solve_dual(COLUMN_IN_COMMON, NEXT_TO_IT, delta)
    assert caught.value.lower_bound == pytest.approx(9.7e-138)


def test_a_tolerance_of_zero_137_orders_below_the_rows_is_refuted_or_reached_as_far_as_is_called_reached():
    """Which of the two comes first is up to rounding, and so to the instruction set."""
    refuted = None
    try:
        dual = drr.solve_dual(COLUMN_IN_COMMON, NEXT_TO_IT, 0.0)
    except drr.InfeasibleToleranceError as error:
        refuted = error
    if refuted is not None:
        assert refuted.lower_bound == pytest.approx(9.7e-138)
        return
    assert dual.status is drr.Status.CONVERGED
    mean = COLUMN_IN_COMMON.T @ dual.weights - NEXT_TO_IT
    assert np.linalg.norm(mean) <= 1e-9 * 0.5  # of the base discrepancy, where the tolerance is zero


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_dual_near_zero_proves_no_floor_that_its_rounding_made_up():
    """Scores of 1e-9 nats, to which log d was added and taken off again, have lost their digits."""
    features, d = np.full((5, 1), -4.75), [5.0, 61.0, 13.0, 13.0, 13.0]
    dual = drr.solve_dual(features, [-0.8125], 3.9375, base_weights=d, method="paper", max_iter=11)
    assert dual.discrepancy == pytest.approx(3.9375, rel=1e-14)


def test_a_row_of_next_to_no_weight_at_a_scale_of_1e107():
    features = np.array([[0.3, -0.7, 1.0], [3.9, -1.4, 4.6], [0.3, 2.1, -4.3], [0.0, 1.3, 1.0]]) * 1e107
    with pytest.raises(drr.InfeasibleToleranceError):
        drr.solve_dual(features, np.full(3, -1e17), 0.3, base_weights=[2.2e-308, 0.48, 1.2, 0.33])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_smallest_eta_at_a_scale_of_1e85_ends_at_round_off():
    """The tolerance is 1e-16 of the base discrepancy: what is reached is rounding, and the gap is a number."""
    features = (
        np.array([[6.5, -0.5], [-2.0, 3.2], [-6.9, 4.0], [-2.4, 1.8], [-1.5, 0.26], [1.8, -1.15]]) * 1e85
    )
    raking = drr.rake(features, [0.0, 0.1], eta=5e-324, base_weights=[2.3, 1.1, 0.04, 0.17, 1e160, 1.6])
    assert raking.dual.discrepancy <= 1e-12 * raking.base_discrepancy
    assert abs(raking.dual.gap) <= 1e-9


def test_a_share_of_the_base_weights_that_loses_its_digits_counts_as_absent():
    """A share of 1e-320 is a subnormal of four digits, whose logarithm would be wrong in the fourth."""
    features = rows(9, 2)
    d = np.ones(9)
    d[0], d[1] = 1e160, 1e-160
    raking = drr.rake(features, features[[0, 3]].mean(axis=0), base_weights=d)
    without = drr.rake(np.delete(features, 1, 0), features[[0, 3]].mean(axis=0), base_weights=np.delete(d, 1))
    assert raking.dual.weights[1] == 0
    np.testing.assert_allclose(np.delete(raking.dual.weights, 1), without.dual.weights, rtol=1e-9)


def test_a_tolerance_one_digit_below_the_base_discrepancy():
    """Rounding hides every way down from zero, which is the answer to the last digits."""
    statuses = set()
    for seed in range(40):
        features, target = rows(60, 4, seed) * 5, rows(1, 4, seed + 100)[0]
        discrepancy = core.certify_dual(features, target, 1.0, np.zeros(4))["discrepancy"]
        dual = drr.solve_dual(features, target, np.nextafter(discrepancy, 0))
        np.testing.assert_allclose(dual.weights, 1 / 60, rtol=1e-9)
        statuses.add(dual.status)
    assert drr.Status.ZERO_DUAL in statuses
    assert statuses <= {drr.Status.ZERO_DUAL, drr.Status.CONVERGED}


def test_a_single_column():
    """Every direction is that of θ, so that a step along the difference of the two is as long as rounding makes it."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        features = np.append(np.zeros(int(rng.integers(1, 6))), rng.uniform(0.1, 1))[:, None]
        weights = rng.uniform(size=len(features)) * np.append(
            np.ones(len(features) - 1), 10 ** rng.uniform(-3, 0)
        )
        target = features[-1] + rng.uniform(0.01, 1)
        assert_solved(features, target, eta=rng.uniform(0.01, 0.2), base_weights=weights)


def test_a_row_144_orders_of_magnitude_beyond_the_others():
    """Its weight has to fall by 144 orders of magnitude, a factor of e in each Newton step."""
    features = rows(10, 4) * 1e-16
    features[0, 0] = 4.3e144
    target = np.array([1.1, -1.4, 1.3, -0.07])
    assert_solved(features, target, eta=5e-324)
    floor = drr.find_floor(features, target)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        dual = drr.solve_dual(features, target, 1.05 * floor.value, floor=floor, max_iter=50)
    # Known to be feasible are only the floor's weights, on one of nine rows whose tilt is even.
    assert dual.gap == pytest.approx(np.log(9), rel=1e-6)


def test_a_tolerance_exceeded_in_the_last_digit_alone_leaves_a_gap_that_is_a_number():
    """Squared, the excess may vanish or turn its sign: a share below zero of floor weights on a row without weight."""
    base = np.array([0.25, 0.25, 0.25, 0.25, 1e-110])
    for seed in range(200):
        features = np.vstack([rows(4, 3, seed) + 1, np.zeros((1, 3))])
        theta = rows(1, 3, seed + 1000)[0]
        given = {
            "log_base_weights": np.log(base),
            "floor_support": np.array([4]),
            "floor_support_weights": np.ones(1),
        }
        discrepancy = core.certify_dual(features, np.zeros(3), 1.0, theta, **given)["discrepancy"]
        below = np.nextafter(discrepancy, 0)
        figures = core.certify_dual(features, np.zeros(3), below, theta, **given)
        assert figures["discrepancy"] > below
        assert np.isfinite(figures["gap"]), seed


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite_is_refused_with_its_place(value):
    features = rows()
    features[11, 2] = value
    with pytest.raises(ValueError, match="row 11, column 2"):
        drr.rake(features, np.full(5, 0.1))


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array, drr.open_rows])
def test_the_mean_of_the_rows_as_target_is_met_without_a_warning(layout):
    """Rounding makes γ about 1e-16, which no weights can better."""
    features = rows(500, 5)
    dual = drr.solve_dual(layout(features), features.mean(axis=0), 0.0)
    assert dual.status.is_success
    assert dual.ess == pytest.approx(500, rel=1e-9)


# Sparse rows are not centred: sums near 1e9 cannot tell a thousandth of 1e-4, sums near 1e7 can.
@pytest.mark.parametrize(
    ("layout", "unit"), [(np.asarray, 1e4), (scipy.sparse.csr_array, 1e3), (drr.open_rows, 1e4)]
)
def test_a_small_tolerance_beside_columns_of_very_different_scales_is_met_without_a_warning(layout, unit):
    """1e-4 beside dollars squared: ‖g‖ ≤ 1e-9·δ is far below what the sum over such a column can tell."""
    features = rows(2000, 4) + 3
    features[:, 3] = (unit * features[:, 3]) ** 2
    target = features[:300].mean(axis=0)
    tolerance = 1e-4
    dual = drr.solve_dual(layout(features), target, tolerance)
    assert dual.status is drr.Status.CONVERGED
    assert dual.discrepancy == pytest.approx(tolerance, rel=0.01)
    scale = features.std(axis=0)
    exact = drr.solve_dual((features - target) / scale, np.zeros(4), 0.0)
    if dual.weights is not None:
        np.testing.assert_allclose(dual.weights, exact.weights, rtol=1e-3)


@pytest.mark.parametrize("shape", [(300, 20), (286, 128), (1000, 128)])
@pytest.mark.parametrize("margin", [1e-5, 1e-6, 1e-7])
def test_tolerances_hardly_above_the_floor_converge(shape, margin):
    """Of these most used to end as round-off: the scores held the rounding of all steps."""
    ends = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        features, direction = rng.normal(size=shape), rng.normal(size=shape[1])
        direction /= np.linalg.norm(direction)
        target = (
            1.3 * (features @ direction).max() * direction + 0.1 * rng.normal(size=shape[1]) / shape[1] ** 0.5
        )
        floor = drr.find_floor(features, target)
        tolerance = floor.value + margin * (floor.base_discrepancy - floor.value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ends.append(drr.solve_dual(features, target, tolerance, floor=floor).status)
    assert ends.count(drr.Status.CONVERGED) >= 9
