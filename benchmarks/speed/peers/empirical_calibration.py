"""empirical_calibration: the one public package that solves the same dual (entropy balancing within an L2 tolerance)."""

from __future__ import annotations

import warnings
from typing import Any

from benchmarks.speed.shapes import Problem


def dual(problem: Problem, tolerance: float) -> dict[str, Any]:
    import empirical_calibration

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights, success = empirical_calibration.calibrate(
            covariates=problem.features,
            target_covariates=problem.target[None, :],
            objective=empirical_calibration.Objective.ENTROPY,
            l2_norm=tolerance,
        )
    return {"status": "converged" if success else "failed", "weights": weights}
