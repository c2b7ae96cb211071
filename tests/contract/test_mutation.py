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


FIELDS = [
    (kind.__name__, field.name)
    for kind in (drr.Floor, drr.Dual)
    for field in dataclasses.fields(kind)
    if "float" in str(field.type)
]


@pytest.fixture(scope="module")
def problem():
    rows, target = np.random.default_rng(1).normal(size=(500, 6)), np.full(6, 0.4)
    return rows, target, drr.find_floor(rows, target), drr.solve_dual(rows, target, 0.2)


@pytest.mark.parametrize("blocks", [False, True], ids=["memory", "blocks"])
@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_a_result_with_any_content_changes_no_answer(kind, field, blocks, problem):
    rows, target, floor, expected = problem
    given = {"floor": floor} if kind == "Floor" else {"start": expected}
    (name, result), *_ = given.items()
    features = drr.open_rows(rows, block_rows=200) if blocks else rows
    for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0):
        content = getattr(result, field)
        content = value if isinstance(content, float) else np.full_like(content, value)
        spoilt = dataclasses.replace(result, **{field: content})
        if field == "lower_bound" and value > 0:  # it would prove that there is no solution
            with pytest.raises(ValueError, match=r"do not hold for these; call find_floor"):
                drr.solve_dual(features, target, 0.2, floor=spoilt)
            continue
        dual = drr.solve_dual(features, target, 0.2, **{name: spoilt})
        assert dual.status is drr.Status.CONVERGED
        np.testing.assert_allclose(dual.theta, expected.theta, rtol=1e-7)


@pytest.mark.parametrize("blocks", [False, True], ids=["memory", "blocks"])
@pytest.mark.parametrize("row", [500, -1, 2**62, -(2**62)])
def test_a_floor_with_weight_on_rows_that_are_not_there(row, blocks, problem):
    rows, target, floor, _ = problem
    spoilt = dataclasses.replace(floor, support=np.full_like(floor.support, row))
    features = drr.open_rows(rows, block_rows=200) if blocks else rows
    with pytest.raises(ValueError, match=f"floor has weight on row {row} of 500; call find_floor"):
        drr.solve_dual(features, target, 0.2, floor=spoilt)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_no_tolerance_is_chosen_from_a_floor_that_is_no_number(value, problem):
    spoilt = dataclasses.replace(problem[2], value=value)
    with pytest.raises(ValueError, match="floor must be finite"):
        drr.choose_tolerance(spoilt, 3.0)
