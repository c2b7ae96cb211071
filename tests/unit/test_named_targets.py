"""A target with names is matched to the columns of the rows by them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import drr


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(200, 3)), columns=["age", "income", "debt"])


@pytest.fixture
def target():
    return pd.Series({"age": 0.3, "income": -0.2, "debt": 0.1})


@pytest.mark.parametrize("order", [["age", "income", "debt"], ["debt", "age", "income"]])
def test_a_series_is_matched_by_name(frame, target, order):
    by_name = drr.rake(frame, target[order])
    by_position = drr.rake(frame.to_numpy(), target.to_numpy())
    np.testing.assert_array_equal(by_name.dual.weights, by_position.dual.weights)
    np.testing.assert_array_equal(
        drr.solve_dual(frame, target[order], 0.1).theta, drr.solve_dual(frame, target, 0.1).theta
    )
    assert drr.find_floor(frame, target[order]).value == drr.find_floor(frame, target).value


def test_other_names_are_an_error_that_names_them(frame, target):
    with pytest.raises(ValueError, match=r"target has no entry for 'debt'; pass target\.to_numpy\(\)"):
        drr.rake(frame, target.rename({"debt": "debts"}))
    with pytest.raises(ValueError, match="'extra'"):
        drr.rake(frame, pd.concat([target, pd.Series({"extra": 1.0})]))


def test_without_names_the_order_counts(frame, target):
    plain = drr.rake(frame, target).dual.theta
    np.testing.assert_array_equal(drr.rake(frame, target.to_numpy()).dual.theta, plain)
    np.testing.assert_array_equal(drr.rake(frame, target.reset_index(drop=True)).dual.theta, plain)
    np.testing.assert_array_equal(drr.rake(frame, target.tolist()).dual.theta, plain)
