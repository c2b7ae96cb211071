"""Moments, norms and distances of standardised columns, against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import pdist

from drr import RakingFeatureMap
from drr._native import core

KINDS = {
    "double": lambda rows: rows,
    "single": lambda rows: rows.astype(np.float32),
    "sparse": scipy.sparse.csr_array,
    "sparse single": lambda rows: scipy.sparse.csr_array(rows.astype(np.float32)),
}
NOBODY = np.zeros(0, dtype=np.int32)


def moments_of(blocks, n_columns, n_threads=1):
    count, mean, square = np.zeros((3, n_columns))
    lowest, highest = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
    for block in blocks:
        core.add_moments(block, count, mean, square, lowest, highest, n_threads)
    return count, mean, square, lowest, highest


def dense_of(rows):
    return np.asarray(rows.toarray() if scipy.sparse.issparse(rows) else rows, dtype=np.float64)


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("n_columns", [1, 7, 1100])  # within a tile, and across several
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_moments_against_numpy(rng, kind, n_columns, with_missing):
    rows = rng.standard_normal((700, n_columns)) * (rng.random((700, n_columns)) < 0.3)
    rows += 1e3 * (np.arange(n_columns) % 3 == 1)  # an offset must cost no digits
    if with_missing:
        rows[rng.random(rows.shape) < 0.05] = np.nan
        rows[:, 0] = np.nan
    given = kind(rows)
    dense = dense_of(given)
    blocks = [given[:200], given[200:201], given[201:]]
    count, mean, square, lowest, highest = found = moments_of(blocks, n_columns)
    np.testing.assert_array_equal(count, (~np.isnan(dense)).sum(axis=0))
    seen = count > 0
    np.testing.assert_allclose(mean[seen], np.nanmean(dense[:, seen], axis=0), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(
        square[seen], count[seen] * np.nanvar(dense[:, seen], axis=0), rtol=1e-11, atol=1e-12
    )
    np.testing.assert_array_equal(lowest[seen], np.nanmin(dense[:, seen], axis=0))
    np.testing.assert_array_equal(highest[seen], np.nanmax(dense[:, seen], axis=0))
    for one, other in zip(found, moments_of(blocks, n_columns, 3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_stored_zeros_are_zeros():
    stored = scipy.sparse.csr_array(
        (np.array([0.0, 2.0]), np.array([0, 0]), np.array([0, 1, 2, 2])), shape=(3, 1)
    )
    count, mean, square, lowest, highest = moments_of([stored], 1)
    assert (count[0], lowest[0], highest[0]) == (3, 0, 2)
    np.testing.assert_allclose([mean[0], square[0]], [2 / 3, 8 / 3])


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_norms_with_missing_values(rng, kind):
    rows = rng.standard_normal((300, 5)) * (rng.random((300, 5)) < 0.5)
    rows[::7, 3] = np.nan
    mean, scale = rng.standard_normal(6), rng.exponential(size=6) + 0.1
    given, watched = kind(rows), np.array([3], dtype=np.int32)
    z = dense_of(given) - mean[:5]
    z = np.hstack([np.where(np.isnan(z), 0.0, z), np.isnan(z[:, 3:4]) - mean[5]]) / scale
    norm = core.largest_norm(given, mean, scale, watched)
    np.testing.assert_allclose(norm, np.linalg.norm(z, axis=1).max(), rtol=1e-14)
    assert core.largest_norm(given, mean, scale, watched, n_threads=3) == norm
    np.testing.assert_allclose(
        core.median_distance(dense_of(given), mean, scale, watched),
        np.median(pdist(z, "sqeuclidean")),
        rtol=1e-12,
    )


def clusters(spread):
    def draw(rng, n_rows, n_columns):
        return rng.normal(size=(n_rows, n_columns)) * spread + (np.arange(n_rows) % 2)[:, None]

    return draw


DRAWS = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "heavy tails": lambda rng, n, p: rng.standard_t(1.5, size=(n, p)),
    "an outlier": lambda rng, n, p: rng.normal(size=(n, p)) * np.where(np.arange(n) == 0, 1e8, 1.0)[:, None],
    "ties": lambda rng, n, p: rng.integers(0, 2, size=(n, p)).astype(float),
    # The median is between rows of one cluster, far below what products in single precision can tell.
    "clusters": clusters(1e-6),
    "tight clusters": clusters(1e-11),
    "counts": lambda rng, n, p: np.log1p(rng.poisson(0.3, size=(n, p))),
}


@pytest.mark.parametrize(
    "n_columns", [1, 3, 128, 129, 700]
)  # all pairs exactly, or only those near the median
@pytest.mark.parametrize("n_rows", [2, 3, 31, 300])
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())
def test_median_distance_is_exact(rng, draw, n_rows, n_columns):
    rows = draw(rng, n_rows, n_columns)
    mean = rows.mean(axis=0)
    scale = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
    for given in (rows, rows.astype(np.float32)):
        found = core.median_distance(given, mean, scale, NOBODY)
        expected = np.median(pdist((given - mean) / scale, "sqeuclidean"))
        # The rounding of the standardised numbers themselves is all that may differ.
        rounding = 1e-15 * np.abs((given - mean) / scale).max()
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=n_columns * rounding * np.sqrt(expected))


def test_median_distance_of_many_pairs(rng):
    rows = rng.standard_normal((1000, 5))
    found = core.median_distance(rows, np.zeros(5), np.ones(5), NOBODY)
    np.testing.assert_allclose(found, np.median(pdist(rows, "sqeuclidean")), rtol=1e-14)
    np.testing.assert_equal(core.median_distance(rows, np.zeros(5), np.ones(5), NOBODY, n_threads=3), found)
    assert core.median_distance(rows[:1], np.zeros(5), np.ones(5), NOBODY) == 0.0


def test_equal_rows_have_distance_zero():
    assert core.median_distance(np.ones((50, 200)), np.zeros(200), np.ones(200), NOBODY) == 0.0


@pytest.mark.parametrize("settings", [{"n_random_features": 0}, {"gamma": 0.5}])
def test_no_distances_without_need(settings, monkeypatch, rng):
    monkeypatch.setattr("drr.features.scaling.core.median_distance", None)
    RakingFeatureMap(**settings).fit(rng.standard_normal((50, 3)))


def test_sparse_counts_stay_sparse(monkeypatch, rng):
    """Only the rows that distances are taken between are ever dense."""
    X = scipy.sparse.random_array((3000, 50), density=0.05, rng=rng, format="csr")
    n_dense = []
    to_dense = scipy.sparse.csr_array.toarray
    monkeypatch.setattr(
        scipy.sparse.csr_array, "toarray", lambda self, *_: n_dense.append(self.shape[0]) or to_dense(self)
    )
    RakingFeatureMap(random_state=0).fit(X)
    assert sum(n_dense) == 1000


def test_entries_given_twice_are_added():
    rows = np.array([[3.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    twice = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 1.0, 1.0, 1.0]), np.array([0, 0, 1, 0, 1]), np.array([0, 2, 3, 5])), shape=(3, 2)
    )
    fitted = RakingFeatureMap(0).fit(twice)
    np.testing.assert_allclose(fitted.mean_, rows.mean(axis=0))
    np.testing.assert_allclose(fitted.scale_, rows.std(axis=0))
    assert not twice.has_canonical_format  # what the caller passed is left alone


@pytest.mark.parametrize("argument", ["short", "single", "strided"])
def test_sums_must_be_writable_in_place(argument):
    rows, sums = np.ones((2, 3)), [np.zeros(3) for _ in range(5)]
    sums[1] = {"short": np.zeros(2), "single": np.zeros(3, np.float32), "strided": np.zeros(6)[::2]}[argument]
    with pytest.raises(ValueError, match="mean must be a contiguous float64 vector"):
        core.add_moments(rows, *sums)


def test_indicators_watch_columns_that_are_there():
    with pytest.raises(ValueError, match="indicated names a column"):
        core.largest_norm(np.ones((2, 3)), np.zeros(4), np.ones(4), np.array([3], dtype=np.int32))
