"""RakingFeatureMap: its blocks, what it returns, what it refuses and how it says so."""

import pickle
import pickletools

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import drr
from drr import DRRClassifier, RakingDual, RakingFeatureMap, RakingResampler
from drr.features import columns as columns_module

RAW = {
    "height": [1.5, 2.0, 1.0, 3.0, 2.5],
    "colour": ["red", "blue", None, "red", "green"],
    "member": [True, False, True, True, False],
    "count": [1, 2, 3, 4, 6],
}


def pandas_frame(**dtypes):
    return pd.DataFrame(RAW).astype({"colour": "object", **dtypes})


def polars():
    return pytest.importorskip("polars", reason="polars has no wheels for this interpreter")


def polars_frame(colour=lambda: polars().String):
    return polars().DataFrame(RAW, schema_overrides={"colour": colour()})


FRAMES = {
    "object": lambda: pandas_frame(),
    "category": lambda: pandas_frame(colour="category"),
    "string": lambda: pandas_frame(colour="string"),
    "boolean": lambda: pandas_frame(member="boolean"),
    "nullable": lambda: pandas_frame(count="Int64", height="Float64"),
    "polars": lambda: polars_frame(),
    "polars categorical": lambda: polars_frame(lambda: polars().Categorical),
    "polars enum": lambda: polars_frame(lambda: polars().Enum(["red", "green", "blue"])),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_all_dtypes_agree(name):
    reference = RakingFeatureMap(8, random_state=0).fit(pandas_frame())
    frame = FRAMES[name]()
    feature_map = RakingFeatureMap(8, random_state=0).fit(frame)
    assert feature_map.is_categorical_.tolist() == [False, True, True, False]
    assert feature_map.get_feature_names_out().tolist() == [
        *["height", "count", "colour=blue", "colour=green", "colour=red", "colour=<missing>"],
        *["member=False", "member=True"],
        *[f"fourier{k}" for k in range(8)],
    ]
    np.testing.assert_array_equal(feature_map.transform(frame), reference.transform(pandas_frame()))
    # A map fitted on one kind of frame takes any other.
    np.testing.assert_array_equal(reference.transform(frame), reference.transform(pandas_frame()))


@pytest.mark.parametrize(
    "chosen", [["colour", "member"], [1, 2], np.array([1, 2]), [False, True, True, False]]
)
def test_categorical_by_name_position_or_mask(chosen):
    by_dtype = RakingFeatureMap(4, random_state=0).fit(pandas_frame())
    chosen = RakingFeatureMap(4, categorical_features=chosen, random_state=0).fit(pandas_frame())
    np.testing.assert_array_equal(by_dtype.transform(pandas_frame()), chosen.transform(pandas_frame()))


def test_blocks():
    feature_map = RakingFeatureMap(8).fit(pandas_frame())
    assert feature_map.blocks_ == {"linear": slice(0, 2), "one_hot": slice(2, 8), "fourier": slice(8, 16)}
    assert feature_map.random_weights_.shape == (2, 8)


def test_no_fourier_block_without_numeric_columns():
    frame = pandas_frame()[["colour", "member"]]
    feature_map = RakingFeatureMap(128, sparse_output=False).fit(frame)
    assert feature_map.transform(frame).shape == (5, 6)
    assert np.isnan(feature_map.gamma_)
    np.testing.assert_allclose(np.linalg.norm(feature_map.transform(frame), axis=1), 1.0)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e300, -7.3e-300])
def test_all_columns_constant(value):
    X = np.full((57, 3), value)
    feature_map = RakingFeatureMap(5, random_state=0).fit(X)
    features = feature_map.transform(X)
    assert (features[:, :3] == 0).all()
    np.testing.assert_allclose(
        features[:, 3:], np.cos(feature_map.random_offset_) / np.sqrt(5) * np.ones((57, 1))
    )
    assert feature_map.gamma_ == 0.5


def test_one_row():
    features = RakingFeatureMap(5, random_state=0).fit_transform([[1.0, 2.0]])
    assert features.shape == (1, 7)
    assert np.isfinite(features).all()


def test_given_gamma():
    X = np.arange(6.0).reshape(-1, 1)
    feature_map = RakingFeatureMap(4, gamma=0.25, random_state=0).fit(X)
    expected = np.sqrt(0.5) * np.random.default_rng(0).normal(size=(1, 4))
    np.testing.assert_array_equal(feature_map.random_weights_, expected)


def test_a_column_that_is_never_observed():
    X = np.column_stack([np.arange(5.0), np.full(5, np.nan)])
    features = RakingFeatureMap(0, missing="impute").fit_transform(X)
    np.testing.assert_allclose(features[:, 0], np.arange(-2, 3) / 2)
    assert (features[:, 1:] == 0).all()


def test_sparse_output_follows_density():
    rng = np.random.default_rng(0)
    many = rng.integers(0, 50, (200, 3))
    for n_columns, is_sparse in [(3, True), (1, True)]:
        features = RakingFeatureMap(categorical_features=list(range(n_columns))).fit_transform(
            many[:, :n_columns]
        )
        assert scipy.sparse.issparse(features) == is_sparse
    assert not scipy.sparse.issparse(RakingFeatureMap(categorical_features=[0]).fit_transform(many))
    assert not scipy.sparse.issparse(
        RakingFeatureMap(categorical_features=[0]).fit_transform(many[:, :1] % 2)
    )


def test_sparse_output_has_no_explicit_zeros_for_unseen_levels():
    feature_map = RakingFeatureMap(categorical_features=[0, 1], sparse_output=True).fit([[1, 1], [2, 2]])
    result = feature_map.transform([[3, 1], [3, 3]])
    assert result.nnz == 1
    assert result.has_canonical_format


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output(container):
    if container == "polars":
        polars()
    feature_map = RakingFeatureMap(4, random_state=0).fit(pandas_frame())
    plain = feature_map.transform(pandas_frame())
    framed = feature_map.set_output(transform=container).transform(pandas_frame())
    assert list(framed.columns) == feature_map.get_feature_names_out().tolist()
    np.testing.assert_array_equal(framed.to_numpy(), plain)


def test_set_output_pandas_refuses_sparse():
    feature_map = RakingFeatureMap(0, sparse_output=True).set_output(transform="pandas")
    with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
        feature_map.fit_transform(pandas_frame())


def test_names_of_indicators():
    X = pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [1.0, 2.0, 4.0]})
    feature_map = RakingFeatureMap(0, missing="impute").fit(X)
    assert feature_map.get_feature_names_out().tolist() == ["a", "b", "a=<missing>"]


@pytest.mark.parametrize("copy", [clone, lambda m: pickle.loads(pickle.dumps(m)), lambda m: m])
def test_clone_and_pickle(copy, tmp_path):
    feature_map = RakingFeatureMap(6, random_state=3).fit(pandas_frame())
    expected = feature_map.transform(pandas_frame())
    copied = copy(feature_map)
    if not hasattr(copied, "blocks_"):
        copied.fit(pandas_frame())
    np.testing.assert_array_equal(copied.transform(pandas_frame()), expected)
    joblib.dump(feature_map, tmp_path / "map.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "map.joblib").transform(pandas_frame()), expected)


def test_pickles_name_only_our_classes_and_plain_arrays():
    feature_map = RakingFeatureMap(6, random_state=3, missing="impute").fit(pandas_frame())
    strings = [
        argument
        for opcode, argument, _ in pickletools.genops(pickle.dumps(feature_map, protocol=2))
        if opcode.name == "GLOBAL"
    ]
    roots = {name.split(".")[0].split(" ")[0] for name in strings}
    assert roots <= {"drr", "numpy", "copy_reg", "__builtin__", "_codecs"}
    assert {name for name in strings if name.startswith("drr")} == {
        "drr.features.feature_map RakingFeatureMap",
        "drr.features.embedding Embedding",
        "drr.features.levels Levels",
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_random_features": -1}, "n_random_features must be a whole number of at least 0, got -1"),
        ({"n_random_features": 2.0}, "n_random_features must be a whole number"),
        ({"n_random_features": True}, "n_random_features must be a whole number"),
        ({"gamma": "scale"}, "gamma must be 'median' or a positive number, got 'scale'"),
        ({"gamma": 0.0}, "gamma must be 'median' or a positive number"),
        ({"gamma": np.inf}, "gamma must be 'median' or a positive number"),
        ({"min_frequency": -1}, r"min_frequency must be .* None to pool no levels; got -1"),
        ({"min_frequency": 0}, "min_frequency must be a whole number of rows of at least 1"),
        ({"min_frequency": 1.0}, r"a fraction of them in \(0, 1\)"),
        ({"min_frequency": True}, "min_frequency must be"),
        ({"max_categories": 0}, "max_categories must be a whole number of at least 1, .* got 0"),
        ({"max_categories": 2.0}, "max_categories must be .* None for no limit; got 2.0"),
        ({"min_frequency": -1, "categorical_features": None}, "min_frequency must be"),
        ({"missing": "drop"}, "missing must be 'impute' or 'error', got 'drop'"),
        ({"sparse_output": "yes"}, "sparse_output must be 'auto', True or False"),
        ({"sparse_output": 1}, "sparse_output must be 'auto', True or False"),
        ({"dtype": np.int64}, "dtype must be numpy.float64 or numpy.float32"),
        ({"categorical_features": ["shape"]}, "names 'shape', which is not in X: the columns are 'height', "),
        ({"categorical_features": [4]}, "positions from 0 to 3, or one boolean per column; got 4"),
        ({"categorical_features": [-1]}, "positions from 0 to 3"),
        ({"categorical_features": [1.5]}, "positions from 0 to 3"),
        ({"categorical_features": [True]}, "a mask of 1 booleans, but X has 4 columns"),
        ({"categorical_features": 1}, "or a list of names, positions or booleans; got 1"),
        ({"categorical_features": len}, "or a list of names, positions or booleans; got <built-in"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        RakingFeatureMap(**parameters).fit(pandas_frame())


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_nan_is_an_error_with_its_place(make):
    frame = make()
    feature_map = RakingFeatureMap(4, missing="error").fit(frame)
    raw = {**RAW, "height": [1.0, 2.0, 3.0, None, 5.0]}
    bad = pd.DataFrame(raw) if isinstance(frame, pd.DataFrame) else polars().DataFrame(raw)
    for method in (feature_map.transform, lambda X: RakingFeatureMap(4, missing="error").fit(X)):
        with pytest.raises(ValueError, match=r"NaN at row 3, column 'height'; .*missing='impute'"):
            method(bad)


@pytest.mark.parametrize("missing", ["error", "impute"])
@pytest.mark.parametrize(
    "wrap", [np.asarray, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix]
)
def test_infinity_is_refused_with_its_place(wrap, missing):
    X = np.ones((70, 4))
    X[61, 2] = -np.inf
    with pytest.raises(ValueError, match="infinity at row 61, column 2"):
        RakingFeatureMap(4, missing=missing).fit(wrap(X))


def test_nan_is_found_far_down_a_long_table():
    X = np.zeros((2**20 + 5, 2), dtype=np.float32)
    X[2**20 + 3, 1] = np.nan
    with pytest.raises(ValueError, match=f"NaN at row {2**20 + 3}, column 1"):
        RakingFeatureMap(0, missing="error").fit(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda: [[1.0, "a"], [2.0, "b"]],
        lambda: np.array([["1", "2"], ["3", "a"]]),
        lambda: pd.DataFrame({"u": [1.0, 2.0], "v": ["a", "b"]}),
        lambda: polars().DataFrame({"u": [1.0, 2.0], "v": ["a", "b"]}),
    ],
    ids=["list", "array", "pandas", "polars"],
)
def test_text_in_numeric_columns(make):
    with pytest.raises(
        ValueError, match=r"X contains text at row 0, column .*list it in categorical_features"
    ):
        RakingFeatureMap(categorical_features=None).fit(make())


@pytest.mark.parametrize("library", [lambda: pd, polars], ids=["pandas", "polars"])
def test_dates_are_neither_numbers_nor_levels_by_themselves(library):
    dates = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[ms]")
    frame = library().DataFrame({"when": dates})
    with pytest.raises(TypeError, match="column 'when' holds datetime64"):
        RakingFeatureMap().fit(frame)
    assert RakingFeatureMap(categorical_features=["when"]).fit_transform(frame).shape == (2, 2)


def test_objects_in_numeric_columns():
    lists = np.array([[1.0, 2.0], [3.0, None]], dtype=object)
    lists[1, 1] = [4.0]
    with pytest.raises(TypeError, match="X contains a list at row 1, column 1, which is not a number"):
        RakingFeatureMap().fit(lists)
    for parts in ([[1], [2, 3]], [[1], [2]]):
        frame = polars().DataFrame({"size": [1.0, 2.0], "parts": parts})
        with pytest.raises(TypeError, match="at row 0, column 'parts', which is not a number"):
            RakingFeatureMap().fit(frame)


def test_an_array_of_one_number_is_no_number():
    values = np.array([[1.0, 2.0], [3.0, None]], dtype=object)
    values[1, 1] = np.array([4.0])
    with pytest.raises(TypeError, match="X contains an array at row 1, column 1, which is not a number"):
        RakingFeatureMap().fit(values)
    values[1, 1] = np.array(4.0)
    assert RakingFeatureMap().fit(values).mean_.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_missing_extra_and_reordered_columns(make):
    frame = make()
    feature_map = RakingFeatureMap(4).fit(frame)
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- count"):
        feature_map.transform(frame[["height", "colour", "member"]])
    extra = (
        pd.DataFrame({**RAW, "extra": 1}) if isinstance(frame, pd.DataFrame) else frame.with_columns(extra=1)
    )
    with pytest.raises(ValueError, match="unseen at fit time:\n- extra"):
        feature_map.transform(extra)
    with pytest.raises(ValueError, match=r"same order(?s:.*)Column 0 is 'colour', but was 'height'"):
        feature_map.transform(frame[["colour", "height", "member", "count"]])


def test_lazy_frames_and_empty_frames():
    with pytest.raises(TypeError, match=r"pass X.collect\(\)"):
        RakingFeatureMap().fit(polars_frame().lazy())
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        RakingFeatureMap().fit(pandas_frame().iloc[:0])


def test_too_large_to_standardise():
    with pytest.raises(ValueError, match="column 1 holds numbers too large"):
        RakingFeatureMap().fit([[0.0, 1e300], [1.0, -1e300], [2.0, 0.0]])


@pytest.mark.parametrize(
    "make",
    [np.asarray, scipy.sparse.csr_array, pd.DataFrame, lambda rows: polars().DataFrame(rows)],
    ids=["array", "csr", "pandas", "polars"],
)
def test_tables_read_in_several_blocks_are_read_whole(make, rng, monkeypatch):
    rows = rng.normal(size=(250, 3))
    expected = RakingFeatureMap(6, random_state=0).fit(rows).transform(rows)
    for name in ("_BLOCK_SIZE", "_MIN_ROWS"):
        monkeypatch.setattr(columns_module, name, 60)  # 60 rows at a time, and 10 in the end
    read = RakingFeatureMap(6, random_state=0).fit(make(rows)).transform(make(rows))
    np.testing.assert_allclose(scipy.sparse.csr_array(read).toarray(), expected, rtol=1e-12, atol=1e-14)


def test_projection_checks_theta():
    feature_map = RakingFeatureMap(4).fit(pandas_frame())
    with pytest.raises(ValueError, match=r"theta must have shape \(12,\), one number per feature"):
        feature_map.project(pandas_frame(), np.ones(3))
    with pytest.raises(NotFittedError):
        RakingFeatureMap().project(pandas_frame(), np.ones(3))


def test_exported():
    assert drr.RakingFeatureMap is RakingFeatureMap


@pytest.mark.parametrize("estimator", [RakingFeatureMap, RakingDual, DRRClassifier, RakingResampler])
def test_what_only_holds_a_table_is_named(estimator):
    class AnnData:  # as anndata's, without its dependencies
        X, obs, var_names = np.zeros((4, 2)), None, None

    y = np.array([0, 0, 1, 1])
    fit = getattr(estimator(), "fit_resample", estimator().fit)
    with pytest.raises(TypeError, match=r"AnnData object; pass its matrix, X\.X"):
        fit(AnnData(), y)
    with pytest.raises(TypeError, match=r"lazy frame; pass X\.collect\(\)"):
        fit(polars().LazyFrame({"a": [1.0, 2, 3, 4]}), y)
