from __future__ import annotations

import pickle

import numpy as np

import drr
from drr._native import core


def test_statuses_repeat_the_compiled_ones():
    python = {s.value: (s.description, s.is_success, s.has_solution) for s in drr.Status}
    assert python == core.statuses()


def test_results_pickle_without_naming_an_instruction_set(rng):
    tilted = drr.tilt(rng.standard_normal((6, 2)), [0.5, 1.0])
    pickled = pickle.dumps(tilted)
    assert b"drr._native._core" not in pickled
    restored = pickle.loads(pickled)
    assert restored.log_partition == tilted.log_partition
    np.testing.assert_array_equal(restored.weights, tilted.weights)
