"""Problems that rounding makes hard in passes: blocks whose numbers differ by many orders of magnitude."""

from __future__ import annotations

import numpy as np
import pytest

import drr
from drr.streaming.passes import TiltSums, merge_passes
from tests.unit.test_passes import assert_same


def test_a_block_nearer_than_squares_can_hold_is_no_error_if_another_is_not() -> None:
    rows = np.array([[1.0, 2.0], [3.0, -1.0], [1e-150, 0.0]])
    target = np.zeros(2)
    found = drr.rake(drr.open_rows(rows, block_rows=1), target)
    assert_same(found, drr.rake(rows, target))


@pytest.mark.parametrize("distance", [5e-324, 1e-300, 1e-170])
def test_rows_that_are_too_near_in_every_block_raise_an_error(distance: float) -> None:
    rows = np.array([[distance, 0.0], [0.0, 0.0], [0.0, -distance]])
    with pytest.raises(ValueError, match="nearer than 1e-140 to the target"):
        drr.find_floor(drr.open_rows(rows, block_rows=1), np.zeros(2))


def test_rows_that_equal_the_target_in_every_block_have_a_floor_of_zero() -> None:
    floor = drr.find_floor(drr.open_rows(np.full((3, 2), 0.1), block_rows=1), np.full(2, 0.1))
    assert floor.value == 0
    assert floor.status.is_success


def test_weights_over_hundreds_of_orders_of_magnitude_converge_from_blocks_of_one_row() -> None:
    """The tilt has to raise scores by hundreds of nats, beside which a share of a block is a small difference."""
    rows = np.array([[0.026, -0.615], [-0.931, 1.271], [-0.394, -0.507], [-0.25, -0.356], [1.125, 1.33]])
    rows = np.vstack([rows, [[0.579, -2.051]]])
    weights = np.array([2.6e-287, 6.4e-76, 1.7e-277, 1.0, 3.3e-234, 4.5e-183])
    target = np.array([-3.317, -1.892])
    memory = drr.rake(rows, target, base_weights=weights)
    found = drr.rake(drr.open_rows(rows, block_rows=1), target, base_weights=weights)
    assert found.dual.status is drr.Status.CONVERGED
    assert_same(found, memory)

    # The divergence from θ in extended precision: Σ w log(w/d) of the tilt.
    theta, exact = found.dual.theta.astype(np.longdouble), np.longdouble
    scores = (rows.astype(exact) - target) @ theta + np.log(weights.astype(exact) / weights.sum())
    tilted = np.exp(scores - scores.max())
    tilted /= tilted.sum()
    divergence = (tilted * np.log(tilted / (weights.astype(exact) / weights.sum()))).sum()
    assert found.dual.kl == pytest.approx(float(divergence), abs=5e-10)


def test_the_shares_of_blocks_do_not_depend_on_what_all_scores_have_in_common() -> None:
    rows = np.column_stack([np.arange(4.0), np.ones(4)])
    answers = []
    for common in (0.0, 2.0**20):  # exact beside quarters
        request = TiltSums(np.zeros(2), np.array([0.25, common]))
        answers.append(merge_passes(request(rows[[i]], i) for i in range(4)))
    np.testing.assert_array_equal(answers[0].mean, answers[1].mean)
    assert answers[1].log_sum == answers[0].log_sum + 2.0**20
