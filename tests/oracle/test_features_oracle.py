"""The feature map against scikit-learn's own parts, put together by hand."""

import importlib
import types

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import RBFSampler
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import drr
from drr._native import available_instruction_sets

SEED = 20240725


def median_gamma(z):
    rows = z if len(z) <= 1000 else z[np.random.default_rng(0).choice(len(z), 1000, replace=False)]
    return 1 / (2 * np.median(pdist(rows, "sqeuclidean")))


def reference(numeric_fit, numeric, categorical_fit, categorical, n_random_features, seed, **encoding):
    """The blocks as the paper's appendix defines them, without any code of drr."""
    blocks = []
    if numeric_fit is not None:
        scaler = StandardScaler().fit(numeric_fit)
        z_fit, z = scaler.transform(numeric_fit), scaler.transform(numeric)
        blocks.append(z / max(np.linalg.norm(z_fit, axis=1).max(), 1e-12))
    if categorical_fit is not None:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, **encoding).fit(categorical_fit)
        blocks.append(encoder.transform(categorical) / np.sqrt(categorical.shape[1]))
    if numeric_fit is not None and n_random_features:
        random = np.random.default_rng(seed)
        weights = np.sqrt(2 * median_gamma(z_fit)) * random.normal(size=(z_fit.shape[1], n_random_features))
        phases = random.uniform(0, 2 * np.pi, n_random_features)
        blocks.append(np.sqrt(2 / n_random_features) * np.cos(z @ weights + phases))
    return np.hstack(blocks) / np.sqrt(len(blocks))


def make_table(n_rows, rng):
    return pd.DataFrame(
        {
            "age": rng.normal(40, 12, n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "income": rng.lognormal(10, 1, n_rows),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows, p=[0.2, 0.5, 0.3])),
            "flag": rng.random(n_rows) < 0.3,
            "code": rng.integers(0, 1000, n_rows),
        }
    )


NUMERIC, CATEGORICAL = ["age", "income", "code"], ["colour", "size", "flag"]


@pytest.mark.parametrize("n_rows", [7, 400, 2500])
@pytest.mark.parametrize("n_random_features", [0, 1, 128, 131])
def test_mixed_table(n_rows, n_random_features):
    rng = np.random.default_rng(n_rows)
    fit, new = make_table(n_rows, rng), make_table(300, rng)
    new.loc[3:9, "colour"] = "unseen"
    feature_map = drr.RakingFeatureMap(n_random_features, random_state=SEED).fit(fit)
    expected = reference(
        fit[NUMERIC],
        new[NUMERIC],
        fit[CATEGORICAL].astype(object),
        new[CATEGORICAL].astype(object),
        n_random_features,
        SEED,
    )
    result = feature_map.set_output(transform="default").transform(new)
    np.testing.assert_allclose(result, expected, rtol=0, atol=3e-13)
    theta = rng.normal(size=expected.shape[1])
    np.testing.assert_allclose(feature_map.project(new, theta), expected @ theta, rtol=0, atol=1e-11)


def test_fourier_features_approximate_the_kernel_as_those_of_rbf_sampler_do():
    X = np.random.default_rng(0).normal(size=(1500, 6)) * [1, 2, 3, 4, 5, 1e-3] + 10
    feature_map = drr.RakingFeatureMap(4000, random_state=SEED).fit(X)
    z = StandardScaler().fit_transform(X)
    assert feature_map.gamma_ == pytest.approx(median_gamma(z), rel=1e-12)
    ours = np.sqrt(2) * feature_map.transform(X[:50])[:, feature_map.blocks_["fourier"]]
    sampler = RBFSampler(gamma=feature_map.gamma_, n_components=4000, random_state=SEED).fit(z)
    kernel, theirs = rbf_kernel(z[:50], gamma=feature_map.gamma_), sampler.transform(z[:50])
    error = np.sqrt(np.mean((ours @ ours.T - kernel) ** 2))
    assert error < 1.5 * np.sqrt(np.mean((theirs @ theirs.T - kernel) ** 2)) < 0.03


def test_an_integer_seed_is_that_of_a_generator():
    X = np.random.default_rng(0).normal(size=(60, 3))
    given = [SEED, np.random.default_rng(SEED)]
    first, second = (drr.RakingFeatureMap(8, random_state=seed).fit(X) for seed in given)
    random = np.random.default_rng(SEED)
    weights, phases = random.normal(size=(3, 8)), random.uniform(0, 2 * np.pi, 8)
    for feature_map in (first, second):
        np.testing.assert_array_equal(feature_map.random_weights_, np.sqrt(2 * feature_map.gamma_) * weights)
        np.testing.assert_array_equal(feature_map.random_offset_, phases)
    states = [np.random.RandomState(SEED) for _ in range(2)]
    third, fourth = (drr.RakingFeatureMap(8, random_state=state).fit(X) for state in states)
    np.testing.assert_array_equal(third.random_weights_, fourth.random_weights_)
    assert not np.array_equal(third.random_weights_, first.random_weights_)


@pytest.mark.parametrize("limits", [{"min_frequency": 30}, {"min_frequency": 0.1}, {"max_categories": 4}])
def test_infrequent_levels(limits):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.geometric(0.3, 500), rng.geometric(0.5, 500)])
    feature_map = drr.RakingFeatureMap(categorical_features=[0, 1], sparse_output=False, **limits).fit(X)
    expected = reference(None, None, X, X, 0, None, **limits)
    np.testing.assert_allclose(feature_map.transform(X), expected, atol=1e-15)


def test_imputation_equals_simple_imputer_before_the_map():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 5)) + 3
    X[rng.random(X.shape) < [0.3, 0.0, 0.1, 0.0, 0.7]] = np.nan
    new = rng.normal(size=(60, 5))
    new[::7, [0, 1]] = np.nan  # column 1 had none at fit
    ours = drr.RakingFeatureMap(32, random_state=SEED, missing="impute").fit(X)
    theirs = make_pipeline(SimpleImputer(add_indicator=True), drr.RakingFeatureMap(32, random_state=SEED))
    theirs.fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-12)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-12)


def test_many_columns_and_many_rows():
    """More inputs than one block of the product, more rows than one block of the table."""
    X = np.random.default_rng(3).normal(size=(5000, 700))
    feature_map = drr.RakingFeatureMap(20, random_state=1).fit(X)
    np.testing.assert_allclose(feature_map.transform(X), reference(X, X, None, None, 20, 1), atol=3e-13)


def cosine_of(x, core):
    """The kernel's cosine of x: one wave of frequency one and phase zero, on an identity standardisation."""
    x = np.asarray(x, dtype=np.float64).reshape(-1, 1)
    out = np.empty((len(x), 2))
    plain = types.SimpleNamespace(
        mean=np.zeros(1),
        scale=np.ones(1),
        indicated=np.zeros(0, np.int32),
        level_offsets=np.zeros(1, np.int32),
        weights=np.ones((1, 1)),
        phases=np.zeros(1),
        linear_factor=1.0,
        one_hot_factor=1.0,
        fourier_factor=1.0,
    )
    core.embed(plain, x, None, out)
    return out[:, 1]


@pytest.mark.parametrize("instruction_set", available_instruction_sets())
def test_cosine_against_exact_arithmetic(instruction_set):
    core = importlib.import_module(f"drr._native._core_{instruction_set}")
    rng = np.random.default_rng(4)
    multiples = np.arange(-300, 300) * (np.pi / 4)
    magnitudes = 10.0 ** rng.uniform(-20, 5, 3000) * rng.choice([-1, 1], 3000)
    near = [np.nextafter(m, d) for m in multiples for d in (-np.inf, np.inf)]
    extremes = [0.0, -0.0, 1e5, -1e5, np.nextafter(1e5, np.inf), 1e6, 1e15, -1e22, 1e300, 5e-324]
    x = np.concatenate([multiples, magnitudes, near, rng.uniform(-1e5, 1e5, 3000), extremes])
    with mpmath.workdps(400):  # enough digits of 2π for the largest argument
        exact = [mpmath.cos(mpmath.mpf(float(v))) for v in x]
        error = max(abs(mpmath.mpf(float(c)) - e) for c, e in zip(cosine_of(x, core), exact, strict=True))
    assert error < 5e-16
