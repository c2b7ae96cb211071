"""The null peers: what the hardware allows. One pass over the rows, one symmetric rank-k update of the Gram matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg.blas

import drr
from benchmarks.speed.shapes import Problem
from drr._native import core


def one_pass(problem: Problem) -> dict[str, Any]:
    core.tilt(problem.features, np.zeros(problem.features.shape[1]), n_threads=1)
    return {}


def tiny_problem() -> dict[str, Any]:
    """A raking of ten rows: what memory any call takes, for code and Python's own objects."""
    rows = np.random.default_rng(0).normal(size=(10, 3))
    drr.rake(rows, np.full(3, 0.5), n_threads=1)
    return {}


def dsyrk(problem: Problem) -> dict[str, Any]:
    """ΦᵀΦ by BLAS, reading Φ in place; of ΦΦᵀ where that is the smaller one."""
    tall = problem.features.shape[0] >= problem.features.shape[1]
    # The transpose of a C-ordered array is what BLAS calls an ordinary matrix, so nothing is copied.
    scipy.linalg.blas.dsyrk(1.0, problem.features.T, trans=0 if tall else 1)
    return {}
