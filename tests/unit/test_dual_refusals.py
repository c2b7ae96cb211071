"""What solve_dual and rake refuse: bad arguments, and floors of other problems."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import drr


def problem(n_rows=300, n_columns=12, seed=0, shift=0.4):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_rows, n_columns))
    target = np.full(n_columns, shift / np.sqrt(n_columns)) + 0.1 * rng.normal(size=n_columns) / np.sqrt(
        n_columns
    )
    return features, target


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"tolerance": -1.0}, ValueError, "tolerance must be finite and not negative"),
        ({"tolerance": np.nan}, ValueError, "tolerance must be finite"),
        ({"tolerance": "much"}, TypeError, "tolerance must be a number"),
        ({"tolerance": 10**400}, ValueError, r"tolerance must be finite.* got a number beyond 1.8e\+308"),
        ({"tolerance": -(10**5000)}, ValueError, "tolerance must be finite and not negative"),
        ({"method": "best"}, ValueError, "method must be 'auto', 'newton' or 'paper', got 'best'"),
        ({"method": "auto:newton"}, ValueError, "method must be 'auto', 'newton' or 'paper'"),
        ({"max_iter": 0}, ValueError, "max_iter must be None or at least 1"),
        ({"n_threads": 0}, ValueError, "n_threads must be None or at least 1"),
        ({"method": ["auto"]}, ValueError, r"method must be 'auto', 'newton' or 'paper', got \['auto'\]"),
        ({"floor": 0.3}, TypeError, "floor must be None or the Floor"),
        ({"start": 3}, TypeError, "start must be None or a Dual that solve_dual returned, got 3"),
        ({"target": np.zeros((5, 12))}, ValueError, r"target\.mean\(axis=0\)"),
        ({"target": np.zeros(11)}, ValueError, r"target must have shape \(12,\)"),
        ({"target": np.full(12, np.inf)}, ValueError, "target must be finite, got inf at position 0"),
        ({"base_weights": -np.ones(300)}, ValueError, "base_weights must not be negative"),
        ({"base_weights": np.zeros(300)}, ValueError, "base_weights are all zero"),
        ({"callback": 3}, TypeError, "callback must be None or callable"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    features, target = problem()
    arguments = {"target": target, "tolerance": 0.1} | change
    with pytest.raises(error, match=message):
        drr.solve_dual(features, arguments.pop("target"), arguments.pop("tolerance"), **arguments)


def test_a_floor_of_other_rows_is_refused():
    features, target = problem()
    floor = drr.find_floor(features[:-1], target)
    with pytest.raises(ValueError, match="floor was found for 299 rows"):
        drr.solve_dual(features, target, 0.1, floor=floor)


def solve_with_foreign_floor(features, target, foreign, method="auto"):
    """At a tolerance that this problem reaches, but not the one that the floor was found for."""
    own = drr.find_floor(features, target)
    tolerance = (own.value + own.base_discrepancy) / 2
    assert tolerance < foreign.lower_bound
    return drr.solve_dual(features, target, tolerance, floor=foreign, method=method)


@pytest.mark.parametrize("make", [np.asarray, np.float32, scipy.sparse.csr_array], ids=["f64", "f32", "csr"])
@pytest.mark.parametrize("method", ["auto", "paper"])
def test_a_floor_of_another_target_proves_nothing(make, method):
    features, target = problem()
    features = make(features)
    foreign = drr.find_floor(features, target + 5)
    with pytest.raises(ValueError, match="floor belongs to other features, another target") as error:
        solve_with_foreign_floor(features, target, foreign, method)
    assert not isinstance(error.value, drr.InfeasibleToleranceError)


def far_problem():
    features, target = problem()
    return features, target + 3


def test_a_floor_without_the_nearest_rows_proves_nothing():
    features, target = far_problem()
    nearer = np.vstack([features[:-50], np.tile(target, (50, 1))])
    foreign = drr.find_floor(features[np.r_[:250, :50]], target)  # the rows that carry it are in both
    with pytest.raises(ValueError, match="floor belongs to other features"):
        solve_with_foreign_floor(nearer, target, foreign)


def test_a_floor_of_other_base_weights_proves_nothing():
    features, target = far_problem()
    features[-50:] = target
    weights = np.arange(300) < 250
    foreign = drr.find_floor(features, target, base_weights=weights)
    with pytest.raises(ValueError, match="or other base_weights: its bounds"):
        solve_with_foreign_floor(features, target, foreign)
    with pytest.raises(ValueError, match="floor belongs to other base_weights: it has weight on rows"):
        drr.solve_dual(features, target, 0.1, base_weights=~weights, floor=foreign)


@pytest.mark.parametrize("limit", [2**31, 2**63, 10**30])
def test_a_limit_that_no_solve_reaches(limit):
    features, target = problem()
    assert drr.solve_dual(features, target, 1.0, max_iter=limit).status.is_success
    assert drr.find_floor(features, target, max_iter=limit).status.is_success


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_feature_that_is_not_finite_is_named(value):
    features, target = problem()
    features[17, 3] = value
    with pytest.raises(ValueError, match="row 17, column 3"):
        drr.solve_dual(features, target, 0.1)


@pytest.mark.parametrize("eta", [1.1, -0.1, np.nan])
def test_rake_refuses_a_wrong_eta_before_working(eta):
    features, target = problem()
    with pytest.raises(ValueError, match="eta"):
        drr.rake(features, target, eta=eta, callback=lambda figures: pytest.fail("work began"))


def test_rake_refuses_rows_in_place_of_their_mean():
    features, _ = problem()
    with pytest.raises(ValueError, match="target must be one mean"):
        drr.rake(features, features[:5])
