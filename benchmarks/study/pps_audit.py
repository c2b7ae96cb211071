"""The conditional variance of a PPS draw, checked by simulation on fixed states.

Given the data, the mean of m majority rows drawn with replacement by the raked weights has covariance Σ_w/m. For every
distinct state (data set, trial, D, draw size) the trace of the covariance of simulated means is compared with it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.study.datasets import load_dataset
from benchmarks.study.problem import Problem
from drr.theory import pps_covariance

DATA_SETS = ("glass4", "oil", "flare-f")
N_SIMULATED = 1000


def audit(directory: Path, data_sets: tuple[str, ...] = DATA_SETS, n_trials: int = 2) -> pd.DataFrame:
    """One row per distinct state: simulated over theoretical trace."""
    rows, seen = [], set()
    for name in data_sets:
        for trial in range(n_trials):
            problem = Problem(load_dataset(name, directory), trial)
            for n_random in (0, 128):
                dual, _ = problem.raking(n_random)
                features = dual.feature_map_.transform(problem.fit.rows)[problem.fit.y == 0]
                sizes = {
                    "n/4": len(problem.fit.y) // 4,
                    "n0/4": len(features) // 4,
                    "ESS": max(1, int(dual.ess_)),
                }
                for policy, m in sizes.items():
                    state = (name, trial, features.shape[1], m)
                    if state in seen:  # two policies with the same draw size are one state
                        continue
                    seen.add(state)
                    rows.append(
                        {
                            "dataset": name,
                            "trial": trial,
                            "D": n_random,
                            "policy": policy,
                            "m": m,
                            "ratio": trace_ratio(features, dual.weights_, m, problem.seed),
                        }
                    )
    return pd.DataFrame(rows)


def trace_ratio(features: np.ndarray, weights: np.ndarray, m: int, seed: int) -> float:
    """Trace of the covariance of simulated means over that of Σ_w/m."""
    random = np.random.default_rng(seed)
    counts = random.multinomial(m, weights / weights.sum(), size=N_SIMULATED)
    means = counts @ features / m
    centre = weights @ features / weights.sum()  # the known expectation
    simulated = np.mean(np.sum((means - centre) ** 2, axis=1))
    return float(simulated / np.trace(pps_covariance(features, weights, m)))
