from __future__ import annotations

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import drr


@st.composite
def problems(draw):
    """(features, theta, base weights) of modest size, scores up to about ±1e3."""
    seed = draw(st.integers(0, 2**32 - 1))
    n_rows = draw(st.integers(1, 400))
    n_columns = draw(st.integers(1, 40))
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((n_rows, n_columns)) * 10.0 ** draw(st.integers(-8, 8))
    features[generator.random(features.shape) < draw(st.floats(0, 0.9))] = 0
    theta = generator.standard_normal(n_columns)
    size = np.abs(features @ theta).max()
    theta *= draw(st.floats(0.01, 1e3)) / (size or 1)
    base = generator.random(n_rows) * (generator.random(n_rows) < 0.8)
    base[generator.integers(n_rows)] = 1
    return features, theta, base


def agree(a, b, tolerance=1e-10):
    assert abs(a.log_partition - b.log_partition) <= tolerance * max(1, abs(a.log_partition))
    np.testing.assert_allclose(a.mean, b.mean, rtol=0, atol=tolerance * max(np.abs(a.mean).max(), 1e-300))


@given(problems(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(problem, random):
    features, theta, base = problem
    order = np.array(random.sample(range(len(base)), len(base)))
    tilted, permuted = (
        drr.tilt(features, theta, base_weights=base),
        drr.tilt(features[order], theta, base_weights=base[order]),
    )
    agree(tilted, permuted)
    np.testing.assert_allclose(permuted.weights, tilted.weights[order], rtol=1e-9, atol=1e-300)


@given(problems())
def test_a_duplicated_row_is_a_doubled_weight(problem):
    features, theta, base = problem
    doubled = base.copy()
    doubled[0] *= 2
    twice = drr.tilt(np.vstack([features, features[:1]]), theta, base_weights=np.append(base, base[0]))
    agree(drr.tilt(features, theta, base_weights=doubled), twice)


@given(problems(), st.integers(-8, 8))
def test_scaling_features_and_theta_inversely_changes_nothing(problem, power):
    features, theta, base = problem
    scale = 2.0**power
    scaled = drr.tilt(features * scale, theta / scale, base_weights=base)
    tilted = drr.tilt(features, theta, base_weights=base)
    np.testing.assert_array_equal(scaled.weights, tilted.weights)
    assert scaled.log_partition == tilted.log_partition


@given(problems())
def test_sparse_equals_dense(problem):
    features, theta, base = problem
    dense = drr.tilt(features, theta, base_weights=base)
    sparse = drr.tilt(scipy.sparse.csr_array(features), theta, base_weights=base)
    agree(dense, sparse)
    np.testing.assert_allclose(sparse.weights, dense.weights, rtol=1e-9, atol=1e-300)


@given(problems())
def test_float32_rows_are_read_exactly(problem):
    features, theta, base = problem
    narrow = features.astype(np.float32)
    agree(
        drr.tilt(narrow, theta, base_weights=base),
        drr.tilt(narrow.astype(np.float64), theta, base_weights=base),
    )


@given(problems(), st.sampled_from([2, 3, 4, 7]))
def test_the_number_of_threads_changes_no_bit(problem, n_threads):
    features, theta, base = problem
    one = drr.tilt(features, theta, base_weights=base, n_threads=1)
    many = drr.tilt(features, theta, base_weights=base, n_threads=n_threads)
    assert one.log_partition == many.log_partition
    np.testing.assert_array_equal(one.weights, many.weights)
    np.testing.assert_array_equal(one.mean, many.mean)


@given(problems())
def test_weights_sum_to_one_and_reproduce_the_mean(problem):
    features, theta, base = problem
    tilted = drr.tilt(features, theta, base_weights=base)
    assert (tilted.weights >= 0).all()
    assert abs(tilted.weights.sum() - 1) <= 1e-13
    np.testing.assert_allclose(
        tilted.mean, tilted.weights @ features, rtol=0, atol=1e-12 * np.abs(features).max()
    )
