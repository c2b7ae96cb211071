"""The same bits for any number of threads; the same numbers, to a stated tolerance, from every instruction set."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

import drr
from drr._native import available_instruction_sets, core

FORMS = {
    "float64": lambda a: a,
    "float32": lambda a: a.astype(np.float32),
    "CSR": lambda a: scipy.sparse.csr_array(np.where(np.abs(a) > 1, a, 0)),
}


@pytest.fixture(params=FORMS)
def problem(request, rng):
    features = FORMS[request.param](rng.standard_normal((20_011, 37)))
    return features, rng.standard_normal(37)


@pytest.mark.parametrize("n_threads", [2, 4])
def test_threads_change_no_bit(problem, n_threads):
    one = core.tilt(*problem, n_threads=1)
    for _ in range(5):  # which thread takes which block changes from run to run
        many = core.tilt(*problem, n_threads=n_threads)
        for a, b in zip(one, many, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(
    len(available_instruction_sets()) < 2, reason="this machine runs only one instruction set"
)
def test_instruction_sets_agree(problem):
    results = [
        importlib.import_module(f"drr._native._core_{name}").tilt(*problem)
        for name in available_instruction_sets()
    ]
    for log_partition, weights, mean in results[1:]:
        assert log_partition == pytest.approx(results[0][0], rel=1e-14)
        np.testing.assert_allclose(weights, results[0][1], rtol=1e-12)
        np.testing.assert_allclose(mean, results[0][2], rtol=0, atol=1e-14)


def test_the_place_of_a_floor_in_memory_changes_no_bit():
    rng = np.random.default_rng(1)
    features, target = rng.normal(size=(397, 133)), np.full(133, 0.2)
    floor = drr.find_floor(features, target)
    found = []
    for offset in range(8):
        space = np.empty(133 + 8)
        moved = space[offset : offset + 133]
        moved[:] = floor.residual
        found.append(
            drr.solve_dual(features, target, 1.2 * floor.value, floor=replace(floor, residual=moved))
        )
    for dual in found[1:]:
        np.testing.assert_array_equal(dual.theta, found[0].theta)
