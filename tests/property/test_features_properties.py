"""What must hold for any table: rows are independent, formats and precisions and thread counts do not matter."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from drr import RakingFeatureMap


@st.composite
def maps_and_rows(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_numeric = draw(st.integers(1, 150)), draw(st.integers(0, 11))
    n_categorical = draw(st.integers(0 if n_numeric else 1, 4))
    X = np.hstack([rng.normal(size=(n_rows, n_numeric)), rng.integers(0, 9, (n_rows, n_categorical))])
    options = {
        "n_random_features": draw(st.sampled_from([0, 1, 7, 16, 33])),
        "categorical_features": list(range(n_numeric, n_numeric + n_categorical)),
        "random_state": 0,
    }
    return options, X[: max(1, n_rows // 2)], X


@given(maps_and_rows())
@settings(deadline=None, max_examples=60)
def test_rows_are_independent_to_the_last_bit(problem):
    options, fit, X = problem
    feature_map = RakingFeatureMap(sparse_output=False, **options).fit(fit)
    whole = feature_map.transform(X)
    theta = np.linspace(-1, 1, whole.shape[1])
    scores = feature_map.project(X, theta)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(feature_map.transform(X[order]), whole[order])
    np.testing.assert_array_equal(feature_map.project(X[order], theta), scores[order])
    for row in (0, len(X) // 2, len(X) - 1):
        np.testing.assert_array_equal(feature_map.transform(X[row : row + 1])[0], whole[row])
    np.testing.assert_allclose(scores, whole @ theta, atol=1e-12)


@given(maps_and_rows())
@settings(deadline=None, max_examples=60)
def test_sparse_and_single_precision_output(problem):
    options, fit, X = problem
    dense = RakingFeatureMap(sparse_output=False, **options).fit(fit).transform(X)
    sparse = RakingFeatureMap(sparse_output=True, **options).fit(fit).transform(X)
    assert sparse.has_canonical_format
    np.testing.assert_array_equal(sparse.toarray(), dense)
    single = RakingFeatureMap(sparse_output=False, dtype=np.float32, **options).fit(fit).transform(X)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, dense.astype(np.float32))


@given(maps_and_rows())
@settings(deadline=None, max_examples=40)
def test_blocks_have_equal_weight(problem):
    options, fit, _ = problem
    feature_map = RakingFeatureMap(sparse_output=False, **options).fit(fit)
    features = feature_map.transform(fit)
    active = [block for block in feature_map.blocks_.values() if block.stop > block.start]
    assert sum(block.stop - block.start for block in active) == features.shape[1]
    linear, one_hot = feature_map.blocks_["linear"], feature_map.blocks_["one_hot"]
    if one_hot in active:
        np.testing.assert_allclose(np.linalg.norm(features[:, one_hot], axis=1), len(active) ** -0.5)
    if linear in active and feature_map.norm_ > 1e-12:
        largest = np.linalg.norm(features[:, linear], axis=1).max()
        assert largest == pytest.approx(len(active) ** -0.5, rel=1e-12)
    amplitude = np.sqrt(2 / max(1, options["n_random_features"]) / len(active))
    waves = features[:, feature_map.blocks_["fourier"]]
    assert np.abs(waves).max(initial=0) <= amplitude * (1 + 1e-15)


@pytest.mark.parametrize("sparse_output", [False, True])
def test_any_number_of_threads_gives_the_same_bits(sparse_output, monkeypatch):
    X = np.random.default_rng(0).normal(size=(20_011, 9))
    feature_map = RakingFeatureMap(50, random_state=0, sparse_output=sparse_output).fit(X)
    results = []
    for n_threads in ("1", "2", "7"):
        monkeypatch.setattr("drr.features.embedding.resolve_n_threads", lambda _, n=n_threads: int(n))
        features = feature_map.transform(X)
        results.append(
            (features.toarray() if sparse_output else features, feature_map.project(X, np.ones(59)))
        )
    for features, scores in results[1:]:
        np.testing.assert_array_equal(features, results[0][0])
        np.testing.assert_array_equal(scores, results[0][1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_sparse_input_equals_dense_input(make, dtype):
    rng = np.random.default_rng(1)
    X = (rng.random((3000, 40)) * (rng.random((3000, 40)) < 0.1)).astype(dtype)
    X[:, 7] = 0
    dense = RakingFeatureMap(16, random_state=0).fit(X)
    sparse = RakingFeatureMap(16, random_state=0).fit(make(X))
    # Zeros that are not stored are added all at once, so the moments agree up to rounding.
    np.testing.assert_allclose(dense.random_weights_, sparse.random_weights_, rtol=1e-13)
    np.testing.assert_allclose(dense.transform(X), sparse.transform(make(X)), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    "view",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X[::-1].copy()[::-1],
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.astype(X.dtype.newbyteorder()),
        lambda X: X.astype(object),
    ],
)
def test_memory_layout_does_not_matter(view):
    X = np.random.default_rng(2).normal(size=(200, 5))
    feature_map = RakingFeatureMap(16, random_state=0).fit(X)
    np.testing.assert_array_equal(feature_map.transform(view(X)), feature_map.transform(X))


def test_large_offsets_lose_no_digits():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(500, 4)) * 2**20) / 2**20  # so that adding 2²⁸ is exact
    near, far = RakingFeatureMap(16, random_state=0), RakingFeatureMap(16, random_state=0)
    np.testing.assert_allclose(far.fit_transform(X + 2.0**28), near.fit_transform(X), atol=1e-7)


def test_the_kernel_is_approximated():
    X = np.random.default_rng(4).normal(size=(60, 3))
    feature_map = RakingFeatureMap(20_000, random_state=0).fit(X)
    waves = feature_map.transform(X)[:, feature_map.blocks_["fourier"]] * np.sqrt(2)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    distances = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(waves @ waves.T, np.exp(-feature_map.gamma_ * distances), atol=0.05)
