"""What must hold for any rows and any target: invariances of the dual, and agreement of its inputs' forms."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import scipy.sparse
from hypothesis import given

import drr
from drr._native import core


@st.composite
def problems(draw, most_rows=80, most_columns=12):
    """Rows around a target somewhere inside or outside their hull."""
    n_rows, n_columns = draw(st.integers(5, most_rows)), draw(st.integers(1, most_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    features = rng.normal(size=(n_rows, n_columns))
    target = draw(st.sampled_from([0.1, 0.5, 2.0])) * rng.normal(size=n_columns)
    return features, target, rng


etas = st.sampled_from([0.5, 0.2, 0.05, 0.01])


def weights_of(features, target, eta, **options):
    raking = drr.rake(features, target, eta=eta, **options)
    assert raking.dual.status.is_success
    return raking.dual.weights


def assert_same_weights(found, expected, relative=1e-6):
    np.testing.assert_allclose(found, expected, rtol=0, atol=relative * expected.max())


@given(problems(), etas)
def test_the_order_of_rows_does_not_matter(problem, eta):
    features, target, rng = problem
    order = rng.permutation(len(features))
    assert_same_weights(weights_of(features[order], target, eta), weights_of(features, target, eta)[order])


@given(problems(), etas)
def test_a_duplicated_row_is_a_doubled_base_weight(problem, eta):
    features, target, rng = problem
    row = rng.integers(len(features))
    d = np.ones(len(features))
    d[row] = 2
    doubled = weights_of(features, target, eta, base_weights=d)
    twice = weights_of(np.vstack([features, features[row]]), target, eta)
    merged = twice[:-1].copy()
    merged[row] += twice[-1]
    assert_same_weights(merged, doubled)


@given(problems(), etas, st.integers(-8, 8))
def test_scaling_and_rotating_the_features_changes_nothing(problem, eta, exponent):
    features, target, rng = problem
    rotation = np.linalg.qr(rng.normal(size=(features.shape[1],) * 2))[0] * 10.0**exponent
    turned = weights_of(np.ascontiguousarray(features @ rotation), target @ rotation, eta)
    assert_same_weights(turned, weights_of(features, target, eta))


@given(problems())
def test_a_larger_eta_never_tightens(problem):
    features, target, _ = problem
    rakings = [drr.rake(features, target, eta=eta) for eta in (0.01, 0.05, 0.2, 0.5, 1.0)]
    tolerances = [raking.tolerance for raking in rakings]
    divergences = [raking.dual.kl for raking in rakings]
    assert tolerances == sorted(tolerances)
    assert np.all(np.diff(divergences) <= 1e-9)
    # At η = 1 the tolerance is the base discrepancy up to its rounding, and the weights are the base weights.
    np.testing.assert_allclose(rakings[-1].dual.weights, 1 / len(features), rtol=1e-12)


@given(problems(), etas)
def test_single_precision_is_near_double(problem, eta):
    features, target, _ = problem
    single = features.astype(np.float32)
    delta = drr.rake(features, target, eta=eta).tolerance
    # float32 rows are the same rows rounded: exactly the dual of those, and near that of the originals.
    exact = drr.solve_dual(single.astype(np.float64), target, delta * (1 + 1e-4))
    found = drr.solve_dual(single, target, delta * (1 + 1e-4))
    assert_same_weights(found.weights, exact.weights, 1e-7)
    original = drr.solve_dual(features, target, delta * (1 + 1e-4))
    assert abs(found.kl - original.kl) <= 1e-3 * max(1.0, original.kl)


@given(problems(), etas, st.floats(0.1, 0.9))
def test_sparse_rows_are_the_dense_ones(problem, eta, density):
    features, target, rng = problem
    features = np.where(rng.uniform(size=features.shape) < density, features, 0.0)
    dense = weights_of(features, target, eta)
    assert_same_weights(weights_of(scipy.sparse.csr_array(features), target, eta), dense)


@given(
    problems(most_rows=200, most_columns=150),
    st.sampled_from(["newton", "pcg-sampled", "pcg-woodbury", "wide"]),
)
def test_the_number_of_threads_changes_no_bit(problem, regime):
    features, target, _ = problem
    delta = drr.rake(features, target).tolerance
    first, *others = (
        core.solve_dual(features, target, delta, method=f"auto:{regime}", n_threads=n) for n in (1, 2, 4)
    )
    for other in others:
        np.testing.assert_array_equal(other["theta"], first["theta"])
        np.testing.assert_array_equal(other["weights"], first["weights"])


@given(problems(), etas)
def test_weights_are_the_tilt_of_any_base_weights(problem, eta):
    features, target, rng = problem
    d = rng.exponential(size=len(features)) * (rng.uniform(size=len(features)) < 0.8)
    d[0] += 0.5
    raking = drr.rake(features, target, eta=eta, base_weights=d)
    scores = (features - target) @ raking.dual.theta
    tilted = d * np.exp(scores - scores[d > 0].max())
    assert_same_weights(raking.dual.weights, tilted / tilted.sum(), 1e-10)
    assert not raking.dual.weights[d == 0].any()


@given(problems(most_rows=60, most_columns=90), etas)
def test_every_result_carries_a_certificate(problem, eta):
    features, target, _ = problem
    raking = drr.rake(features, target, eta=eta)
    dual, delta = raking.dual, raking.tolerance
    assert raking.floor.lower_bound <= raking.floor.value * (1 + 1e-12)
    assert raking.floor.value <= raking.base_discrepancy * (1 + 1e-12)
    assert dual.discrepancy <= delta * (1 + 2e-9)
    if dual.status is drr.Status.CONVERGED:
        g = (features - target).T @ dual.weights + delta * dual.theta / np.linalg.norm(dual.theta)
        assert np.linalg.norm(g) <= 1.01e-9 * delta
        scores = np.abs((features - target) @ dual.theta).max()
        assert abs(dual.theta @ g) <= max(2e-11, 200 * np.finfo(float).eps * scores)
