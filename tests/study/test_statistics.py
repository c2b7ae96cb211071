"""Statistics over data sets: against published examples and SciPy."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.stats

from benchmarks.study import statistics

# Demšar (2006), Table 6: ranks of four variants of C4.5 on 14 data sets.
DEMSAR_RANKS = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)


def test_average_ranks_of_demsar():
    test = statistics.friedman(-DEMSAR_RANKS, ["C4.5", "+m", "+cf", "+m+cf"])
    assert list(test.average_ranks.values()) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    ranks = np.array(list(test.average_ranks.values()))
    uncorrected = 12 * 14 / (4 * 5) * (np.sum(ranks**2) - 4 * 25 / 4)
    assert uncorrected == pytest.approx(9.28, abs=0.01)  # as printed, without a correction for ties
    ties = sum(
        (counts**3 - counts).sum()
        for counts in (np.unique(row, return_counts=True)[1] for row in DEMSAR_RANKS)
    )
    assert test.statistic == pytest.approx(uncorrected / (1 - ties / (14 * (4**3 - 4))))


def test_critical_differences_as_published():
    assert statistics.nemenyi_critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)  # Demšar (2006)
    assert statistics.nemenyi_critical_difference(4, 14, alpha=0.1) == pytest.approx(1.12, abs=0.005)
    assert statistics.nemenyi_critical_difference(12, 22) == pytest.approx(3.55, abs=0.005)  # the paper


def test_hodges_lehmann_of_hollander_and_wolfe():
    """Depression scores before and after (Hollander and Wolfe, 1973): the estimate is −0.46."""
    before = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    after = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    assert statistics.hodges_lehmann(after - before) == pytest.approx(-0.46, abs=1e-9)
    assert statistics.wilcoxon(after - before) == pytest.approx(0.03906, abs=1e-5)


def test_hodges_lehmann_is_the_centre_of_the_signed_rank_test(rng):
    values = rng.normal(0.3, size=31)
    centred = values - statistics.hodges_lehmann(values)
    ranks = scipy.stats.rankdata(np.abs(centred))
    above = ranks[centred > 0].sum()
    assert above == pytest.approx(31 * 32 / 4, abs=1)


def test_holm_as_in_r():
    """p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")"""
    raw = dict(zip("abcde", (0.01, 0.02, 0.03, 0.04, 0.05), strict=True))
    assert list(statistics.holm(raw).values()) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert statistics.holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert statistics.holm({}) == {}


def test_paired_gain_interval_agrees_with_scipy(rng):
    values = rng.exponential(size=24) - 0.5
    gain = statistics.paired_gain(values, n_resamples=20000)
    # SciPy before 1.15 calls its generator random_state.
    name = "rng" if "rng" in inspect.signature(scipy.stats.bootstrap).parameters else "random_state"
    reference = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20000, method="percentile", **{name: np.random.default_rng(1)}
    ).confidence_interval
    assert gain.low == pytest.approx(reference.low, abs=0.02)
    assert gain.high == pytest.approx(reference.high, abs=0.02)
    assert gain.wins + gain.losses + gain.ties == 24
    assert gain.hodges_lehmann_low < gain.hodges_lehmann < gain.hodges_lehmann_high


def test_no_difference_at_all():
    assert statistics.wilcoxon(np.zeros(5)) == 1.0
    assert statistics.paired_gain(np.zeros(5)).ties == 5


@pytest.mark.parametrize("bad", [[], [np.nan, 1.0], [[1.0, 2.0]]])
def test_bad_differences_are_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        statistics.hodges_lehmann(bad)


def test_incomplete_tables_are_refused():
    with pytest.raises(ValueError, match="complete"):
        statistics.friedman([[1.0, np.nan]], ["a", "b"])
