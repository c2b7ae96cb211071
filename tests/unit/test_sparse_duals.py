"""Sparse rows stay sparse from the table to the dual, with the answers of the same rows as an array."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB

from drr import DRRClassifier, RakingDual, RakingFeatureMap
from drr.features.sparse_rows import scaled_rows
from drr.raking.one_versus_rest import OneVersusRest


def counts(n_rows, n_columns, density=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random_array((n_rows, n_columns), density=density, rng=rng, format="csr")
    X.data = np.log1p(rng.poisson(3, X.nnz) + 1.0)
    return X, np.arange(n_rows) % 7


def linear(**parameters):
    return RakingDual(RakingFeatureMap(0, **parameters), limit_direction=True)


def check_equal(sparse, dense, X):
    rows = X.toarray()
    assert_allclose(sparse.theta_, dense.theta_, rtol=0, atol=1e-8 * np.abs(dense.theta_).max())
    assert_allclose(sparse.weights_, dense.weights_, rtol=0, atol=1e-8 * dense.weights_.max())
    for name in ("target", "base", "raked"):
        assert_allclose(getattr(sparse.moments_, name), getattr(dense.moments_, name), rtol=0, atol=1e-9)
    assert_allclose(sparse.floor_.value, dense.floor_.value, rtol=1e-9, atol=1e-12)
    if dense.floor_.value > 1e-9:  # otherwise many weights have that mean
        assert_allclose(sparse.floor_.weights, dense.floor_.weights, rtol=0, atol=1e-7)
    assert_allclose(sparse.log_density_ratio(X), dense.log_density_ratio(rows), rtol=0, atol=1e-7)
    assert sparse.diagnostics_.ess_share == pytest.approx(dense.diagnostics_.ess_share, rel=1e-7)


@pytest.mark.parametrize("shape", [(700, 40), (300, 900), (1500, 1700)])
@pytest.mark.filterwarnings("ignore:The dual is zero")
@pytest.mark.parametrize("parameters", [{}, {"eta": 1.0}, {"min_ess": 0.3}])
def test_a_dual_of_sparse_rows_is_that_of_the_same_rows_as_an_array(shape, parameters):
    X, y = counts(*shape)
    dual = linear().set_params(**parameters)
    sparse = dual.fit(X, y == 0)
    assert scaled_rows(sparse.feature_map_, X) is not None
    check_equal(sparse, linear().set_params(**parameters).fit(X.toarray(), y == 0), X)


def test_weights_of_rows_count_alike():
    X, y = counts(600, 50)
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    check_equal(linear().fit(X, y == 0, sample_weight=weights), linear().fit(X.toarray(), y == 0, weights), X)


@pytest.mark.parametrize("shape", [(700, 40), (300, 900)])
def test_all_classes_of_sparse_rows_are_those_of_an_array(shape):
    X, y = counts(*shape)
    held_out, fit = np.arange(0, len(y), 3), np.setdiff1d(np.arange(len(y)), np.arange(0, len(y), 3))
    sparse, dense = (OneVersusRest(linear(), rows, y, range(7)) for rows in (X, X.toarray()))
    for ours, theirs in zip(sparse.duals, dense.duals, strict=True):
        check_equal(ours, theirs, X)
    assert_allclose(
        sparse.score_held_out(fit, held_out), dense.score_held_out(fit, held_out), rtol=0, atol=1e-6
    )


def test_a_classifier_scores_sparse_rows_as_an_array():
    X, y = counts(420, 30)
    scores = GaussianNB().fit(X.toarray(), y == 0).predict_proba(X.toarray())[:, 1]
    models = [
        DRRClassifier.from_scores(scores, rows, y == 0, dual=linear(), random_state=0)
        for rows in (X, X.toarray())
    ]
    fused = [
        model.fused_score(rows, base_score=scores)
        for model, rows in zip(models, (X, X.toarray()), strict=True)
    ]
    assert_allclose(fused[0], fused[1], rtol=0, atol=1e-6)


def test_no_dense_copy_and_no_copy_of_the_indices():
    X, y = counts(6000, 5000, density=0.01)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    tracemalloc.start()
    try:
        dual = linear().fit(X, y == 0)
        dual.score_samples(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The scaled entries, 8 MB of them at a time, and some vectors of the columns' length and their names.
    assert peak < X.data.nbytes + min(8 * 2**20, 3 * X.data.nbytes) + 5000 * 1000
    assert peak < 2 * size + 5000 * 1000 < X.shape[0] * X.shape[1]  # bytes; a dense copy has eight per number


def test_columns_far_from_zero_are_centred_first():
    X, y = counts(500, 30)
    X = X.tolil()
    X[:, 3] = 1e7 + np.random.default_rng(0).normal(size=(500, 1))
    X = X.tocsr()
    sparse, dense = linear().fit(X, y == 0), linear().fit(X.toarray(), y == 0)
    assert scaled_rows(sparse.feature_map_, X) is None
    assert_allclose(sparse.score_samples(X), dense.score_samples(X.toarray()), rtol=0, atol=1e-12)


def test_missing_values_in_new_sparse_rows_sit_at_the_mean():
    X, y = counts(500, 30)
    dual, new = linear().fit(X, y == 0), X[:20].copy()
    new.data[::5] = np.nan
    assert_allclose(
        dual.score_samples(new), linear().fit(X.toarray(), y == 0).score_samples(new.toarray()), atol=1e-10
    )


def test_an_array_is_used_if_it_was_asked_for_or_saves_little():
    X, y = counts(300, 20)
    dense = linear(sparse_output=False).fit(X, y == 0)
    assert scaled_rows(dense.feature_map_, X) is None
    full, _ = counts(300, 20, density=0.5)
    assert scaled_rows(linear().fit(full, y == 0).feature_map_, full) is None


def test_the_default_map_of_very_many_columns_has_no_random_features():
    X, y = counts(3000, 5001, density=0.002)
    assert "fourier" in RakingDual().fit(X[:, :300], y == 0).feature_map_.blocks_
    blocks = RakingDual(random_state=0).fit(X, y == 0).feature_map_.blocks_
    assert blocks["fourier"].stop - blocks["fourier"].start == 0
