"""The rules of the core as functions of sums: what they accept, prove and give up, and that both solvers share them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import logsumexp

from drr._native import core

EPSILON = np.finfo(float).eps


def rows_and_target(seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, 4)), np.full(4, 0.3), rng.uniform(0.5, 2.0, size=60)


def sums_of(rows, target, log_d, theta):
    """What a pass returns, by NumPy alone."""
    shifted = rows - target
    scores = shifted @ theta
    log_partition = float(logsumexp(log_d + scores))
    weights = np.exp(log_d + scores - log_partition)
    extremes = float(scores.max()), float(np.abs(scores).max())
    return theta, weights @ shifted, log_partition, float(weights @ weights), *extremes


@pytest.mark.parametrize("seed", range(5))
def test_a_certificate_from_sums_is_that_from_the_rows(seed):
    rows, target, d = rows_and_target(seed)
    log_d = np.log(d / d.sum())
    theta = np.random.default_rng(seed + 100).normal(size=4)
    sums = sums_of(rows, target, log_d, theta)
    support, v = np.array([3, 10, 50]), np.array([0.2, 0.5, 0.3])
    x = v @ (rows[support] - target)
    # A tolerance between the floor's point and the tilted mean: the gap is that of the mixture.
    tolerance = 0.5 * (np.linalg.norm(x) + max(np.linalg.norm(sums[1]), 1.1 * np.linalg.norm(x)))
    log_w = log_d[support] + (rows[support] - target) @ theta - sums[2]
    from_sums = core.certify_sums(*sums, target, tolerance, v, log_w, x)
    from_rows = core.certify_dual(rows, target, tolerance, theta, log_d, support, v)
    assert from_sums.keys() <= from_rows.keys()
    for name, value in from_sums.items():
        assert value == pytest.approx(from_rows[name], rel=1e-11, abs=1e-13), name


def test_a_minimum_needs_a_small_gradient_and_a_small_gap():
    judge = core.DualJudge(0.5, 2.0)
    assert judge.gradient_goal == 5e-10
    theta = np.array([3.0, 4.0])  # of norm 5, so that g = mean + 0.1·θ
    at_minimum = -0.1 * theta
    along, across = theta / 5, np.array([-0.8, 0.6])
    assert judge.is_minimum(theta, at_minimum, 0.0, 1.0, 1.0, 1.0)
    assert judge.is_minimum(theta, at_minimum + 4e-10 * across, 0.0, 1.0, 1.0, 1.0)
    assert not judge.is_minimum(theta, at_minimum + 6e-10 * across, 0.0, 1.0, 1.0, 1.0)
    # θᵀg = 2e-9 nats is too much for ordinary scores, and rounding for scores of a million.
    assert not judge.is_minimum(theta, at_minimum + 4e-10 * along, 0.0, 1.0, 1.0, 1.0)
    assert judge.is_minimum(theta, at_minimum + 4e-10 * along, 0.0, 1.0, 1e6, 1e6)
    assert not judge.is_minimum(np.zeros(2), np.zeros(2), 0.0, 1.0, 0.0, 0.0)
    assert core.DualJudge(0.0, 2.0).gradient_goal == 2e-9


def test_a_proof_of_infeasibility_exceeds_the_tolerance_by_more_than_rounding():
    judge = core.DualJudge(0.5, 2.0)
    theta, mean = np.array([2.0]), np.array([-1.0])
    assert judge.proof_of_infeasibility(theta, mean, 0.0, 1.0, -1.2, 3.0) == 0.6
    assert math.isnan(judge.proof_of_infeasibility(theta, mean, 0.0, 1.0, -0.9, 3.0))
    just = -1.0 * (1 + 20 * EPSILON)  # the bound is 0.5 and a little, which scores of size 3 do not tell
    assert math.isnan(judge.proof_of_infeasibility(theta, mean, 0.0, 1.0, just, 3.0))
    assert math.isnan(judge.proof_of_infeasibility(np.zeros(1), mean, 0.0, 1.0, 0.0, 0.0))


def test_patience_ends_after_six_points_without_progress_and_the_best_is_known():
    judge = core.DualJudge(0.0, 1.0)

    def look(gradient, objective):
        return judge.stalled(np.ones(1), np.array([gradient]), objective, 1.0, 1.0, 1.0), judge.is_best()

    assert look(1.0, 5.0) == (False, True)
    assert look(0.9, 4.0) == (False, True)  # the objective falls
    assert look(0.4, 4.0) == (False, True)  # the gradient halves
    assert [look(0.5, 4.0) for _ in range(5)] == [(False, False)] * 5
    assert look(0.3, 4.0) == (True, True)


def test_a_solve_without_any_number_still_has_a_best_point():
    judge = core.DualJudge(0.5, 1.0)
    ends = [judge.stalled(np.ones(1), np.array([np.nan]), np.nan, 1.0, 1.0, 1.0) for _ in range(6)]
    assert ends == [False] * 5 + [True]
    judge = core.DualJudge(0.5, 1.0)
    judge.stalled(np.ones(1), np.array([np.nan]), np.nan, 1.0, 1.0, 1.0)
    assert judge.is_best()


def stall(tolerance, base_discrepancy, theta, mean, largest_score=1.0):
    """How a solve with columns of sizes 1 and 1e9 ends that has stalled at a point."""
    judge = core.DualJudge(tolerance, base_discrepancy)
    sums = np.array(theta, float), np.array(mean, float), 0.0, 1.0, largest_score, largest_score
    return judge.status_of_stall(*sums, np.array([1.0, 1e9]))


def test_a_stall_at_zero_is_the_zero_dual_if_the_tolerance_or_rounding_is_the_discrepancy():
    assert stall(1.0, 1.0 + 1e-10, [0, 0], [1.0 + 1e-10, 0]) == "zero_dual"
    assert stall(1.0, 1.1, [0, 0], [1.1, 0]) == "round_off"
    assert stall(0.0, EPSILON, [0, 0], [EPSILON, 0]) == "zero_dual"
    assert stall(0.0, 1e3 * EPSILON, [0, 0], [1e3 * EPSILON, 0]) == "round_off"


def test_a_stall_is_a_minimum_if_rounding_explains_each_coordinate_of_the_gradient():
    small, large = 10 * EPSILON, 10 * EPSILON * 1e9
    assert stall(0.0, 1.0, [1.0, 1e-9], [small, large]) == "converged"
    assert stall(0.0, 1.0, [1.0, 1e-9], [large, small]) == "round_off"  # in the wrong column
    assert stall(0.0, 1.0, [1.0, 1e-9], [10 * small, large]) == "round_off"
    assert stall(0.0, 1.0, [1.0, 1e-9], [10 * small, large], largest_score=10.0) == "converged"
    assert stall(1e-2, 1e9, [1.0, 0.0], [-1e-2 + small, large]) == "converged"
    # More than a thousandth of the tolerance is missed.
    assert stall(1e-3, 1e9, [1.0, 0.0], [-1e-3 + small, large]) == "round_off"
    assert stall(0.0, 1.0, [1.0, 1e-3 / large], [0.0, large]) == "round_off"  # 1e-3 nats


def test_a_stall_where_the_rule_holds_is_a_minimum():
    """The best point of a stall is computed anew, and may meet the rule that its rounded scores missed."""
    theta, mean = [1e-2, 0.0], [-0.5 + 4e-10, 0.0]
    judge = core.DualJudge(0.5, 2.0)
    assert judge.is_minimum(np.array(theta), np.array(mean), 0.0, 1.0, 1.0, 1.0)
    assert stall(0.5, 2.0, theta, mean) == "converged"
    assert stall(0.5, 2.0, theta, [-0.5 + 6e-10, 0.0]) == "round_off"  # beyond a part in 1e9 of the tolerance


def test_bounds_of_a_floor():
    judge = core.FloorJudge(10.0, 100.0)
    assert judge.is_certified(1.0, 1.0 - 0.9e-10)
    assert not judge.is_certified(1.0, 1.0 - 1.1e-10)
    assert judge.is_certified(0.9e-9, 0.0)
    assert not judge.is_certified(1.1e-9, 0.0)
    assert judge.is_round_off(1.0, 1.0 - 700 * EPSILON)
    assert not judge.is_round_off(1.0, 1.0 - 900 * EPSILON)


def test_a_floor_that_creeps_is_stuck():
    judge = core.FloorJudge(10.0, 100.0)
    gaps = [0.5 * 0.999**k for k in range(14)]
    ends = [judge.stalled(1.0, 1.0 - gap) for gap in gaps]
    assert ends == [False] * 12 + [True] * 2
    assert judge.is_best()
