"""Comparing methods over data sets: each data set is one paired observation (Demšar, 2006)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class PairedGain:
    """The mean of paired differences with a percentile interval from resampled data sets."""

    mean: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int
    hodges_lehmann: float
    hodges_lehmann_low: float
    hodges_lehmann_high: float


def paired_gain(
    differences: ArrayLike, *, level: float = 0.95, n_resamples: int = 9999, seed: int = 0
) -> PairedGain:
    """Mean and Hodges–Lehmann estimate of paired differences, with bootstrap intervals over the pairs.

    Examples
    --------
    >>> gain = paired_gain([0.1, 0.2, -0.05])
    >>> gain.wins, gain.losses, round(gain.mean, 4)
    (2, 1, 0.0833)
    """
    values = _finite(differences)
    random = np.random.default_rng(seed)
    resamples = values[random.integers(len(values), size=(n_resamples, len(values)))]
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(resamples.mean(axis=1), tails)
    middle_low, middle_high = np.quantile(_pseudomedians(resamples), tails)
    return PairedGain(
        float(values.mean()),
        float(low),
        float(high),
        int(np.sum(values > 0)),
        int(np.sum(values < 0)),
        int(np.sum(values == 0)),
        hodges_lehmann(values),
        float(middle_low),
        float(middle_high),
    )


def mean_interval(values: ArrayLike, *, n_resamples: int = 9999, seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile interval of a mean over resampled data sets.

    Examples
    --------
    >>> low, high = mean_interval([0.1, 0.2, 0.6])
    >>> low < 0.3 < high
    True
    """
    numbers = _finite(values)
    resamples = np.random.default_rng(seed).integers(len(numbers), size=(n_resamples, len(numbers)))
    low, high = np.quantile(numbers[resamples].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def hodges_lehmann(differences: ArrayLike) -> float:
    """The pseudomedian: the median of all means of two differences, each with itself included.

    Examples
    --------
    >>> hodges_lehmann([1.0, 2.0, 6.0])
    2.75
    """
    return float(_pseudomedians(_finite(differences)[None, :])[0])


def wilcoxon(differences: ArrayLike) -> float:
    """Two-sided p of the signed-rank test; 1 where there is no difference at all."""
    values = _finite(differences)
    if not values.any():
        return 1.0
    return float(scipy.stats.wilcoxon(values).pvalue)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values of one family, adjusted by Holm's step-down rule.

    Examples
    --------
    >>> {name: round(p, 4) for name, p in holm({"a": 0.01, "b": 0.04, "c": 0.03}).items()}
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    names = sorted(p_values, key=lambda name: p_values[name])
    adjusted, largest = {}, 0.0
    for rank, name in enumerate(names):
        largest = max(largest, min(1.0, (len(names) - rank) * p_values[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}


@dataclass(frozen=True)
class Friedman:
    """The omnibus test over data sets (rows) and methods (columns)."""

    statistic: float
    p_value: float
    average_ranks: dict[str, float]
    """1 is best"""
    n_datasets: int


def friedman(values: ArrayLike, methods: Sequence[str], *, higher_is_better: bool = True) -> Friedman:
    """Friedman's test, corrected for ties, with the average ranks."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(methods) or not np.isfinite(table).all():
        raise ValueError("values must be a complete table with one column per method")
    result = scipy.stats.friedmanchisquare(*table.T)
    ranks = scipy.stats.rankdata(-table if higher_is_better else table, axis=1)
    average = dict(zip(methods, ranks.mean(axis=0).tolist(), strict=True))
    return Friedman(float(result.statistic), float(result.pvalue), average, len(table))


def nemenyi_critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """How far apart two average ranks must be to differ: q_α·√(k(k+1)/(6N)).

    Examples
    --------
    >>> round(nemenyi_critical_difference(12, 22), 2)
    3.55
    """
    q = scipy.stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def _pseudomedians(rows: Values) -> Values:
    first, second = np.triu_indices(rows.shape[1])
    return np.asarray(np.median((rows[:, first] + rows[:, second]) / 2, axis=1))


def _finite(differences: ArrayLike) -> Values:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0 or not np.isfinite(values).all():
        raise ValueError("differences must be finite numbers, at least one")
    return values
