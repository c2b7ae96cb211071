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


def test_results_are_printed_in_words():
    raking = drr.rake(np.array([[0.0], [1.0], [2.0]]), [2.5], eta=0.2)
    dual = raking.dual
    assert str(raking).splitlines() == [
        "floor 0.5 (at least 0.5), reached by 1 of 3 rows; converged",
        "discrepancy 1.5 before; tolerance 0.7",
        f"discrepancy 0.7 after raking, {dual.ess:.4g} effective rows, {dual.kl:.4g} nats; converged",
    ]


def test_a_separation_is_printed_in_words(rng):
    y = np.arange(300) < 60
    base, dual = rng.normal(size=(2, 300)) + y
    found = drr.separation(base, dual, y, weight=0.5, random_state=0)
    low, high = found.change_interval
    assert str(found) == (
        f"deflection {found.d1:.2f} of the base and {found.d2:.2f} of the dual, correlation within classes "
        f"{found.rho:+.2f}; at weight 0.5 the deflection changes by {found.change:+.2f}, 95% interval {low:+.2f} to "
        f"{high:+.2f}"
    )
    assert str(drr.separation(base, dual, y, n_resamples=0)).endswith(f"{found.change:+.2f}")
