"""No silent copy: a kernel's memory beyond its input is a few vectors."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

import drr

FORMS = {
    "float64": lambda a: a,
    "float32": lambda a: a.astype(np.float32),
    "row stride": lambda a: a[::2],
    "column slice": lambda a: a[:, :300],
    "CSR": scipy.sparse.csr_array,
}


@pytest.mark.parametrize("form", FORMS)
def test_tilt_copies_nothing(rng, form):
    features = FORMS[form](rng.standard_normal((4000, 400)))
    theta = rng.standard_normal(features.shape[1])
    drr.tilt(features, theta)  # imports and caches happen before the measurement
    tracemalloc.start()
    drr.tilt(features, theta)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    vectors = 8 * (features.shape[0] + features.shape[1])
    assert peak <= 2 * vectors + 20_000
