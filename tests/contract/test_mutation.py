"""Rows, targets, weights and results that change while a solve reads them give an error or a status, never a crash."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest

import drr
from tools.attack.mutation import run

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each round runs in a forked child")
def test_data_that_change_under_a_solve_never_end_the_process(capsys):
    failures = run(n_rounds=30, first_seed=0, seconds=0.15)
    assert failures == 0, capsys.readouterr().out


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
@pytest.mark.parametrize("shape", [(2000, 5), (2500, 70), (300, 100), (60, 150)])
def test_rows_spoilt_from_the_first_iteration_on(shape, value):
    rows = np.random.default_rng(0).normal(size=shape)
    target = rows[:20].mean(axis=0) + 0.05

    def spoil(_: object) -> None:
        rows[::7] = value

    try:
        dual = drr.solve_dual(rows, target, 0.5 * np.linalg.norm(rows.mean(axis=0) - target), callback=spoil)
    except ValueError:
        return
    assert not dual.status.is_success or np.isfinite(dual.theta).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, 0.0])
@pytest.mark.parametrize("field", ["residual", "support_weights", "lower_bound", "value"])
def test_a_floor_with_any_content(field, value):
    rows = np.random.default_rng(1).normal(size=(500, 6))
    target = np.full(6, 0.4)
    floor = drr.find_floor(rows, target)
    content = (
        value if isinstance(getattr(floor, field), float) else np.full_like(getattr(floor, field), value)
    )
    spoilt = dataclasses.replace(floor, **{field: content})
    try:
        dual = drr.solve_dual(rows, target, 0.2, floor=spoilt)
    except ValueError:
        return
    expected = drr.solve_dual(rows, target, 0.2)
    np.testing.assert_allclose(dual.theta, expected.theta, rtol=1e-8)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, 0.0])
def test_a_start_with_any_content(value):
    rows = np.random.default_rng(1).normal(size=(500, 6))
    target = np.full(6, 0.4)
    expected = drr.solve_dual(rows, target, 0.2)
    start = dataclasses.replace(expected, theta=np.full(6, value))
    dual = drr.solve_dual(rows, target, 0.2, start=start)
    assert dual.status is drr.Status.CONVERGED
    np.testing.assert_allclose(dual.theta, expected.theta, rtol=1e-8)
