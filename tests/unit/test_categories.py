"""Categorical columns: which they are, what their levels are, and what is doubtful about them."""

import decimal
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from drr import RakingFeatureMap


def polars():
    return pytest.importorskip("polars", reason="polars has no wheels for this interpreter")


def test_object_arrays_and_lists_by_position():
    rows = [[1.5, "red"], [2.5, None], [0.5, "blue"], [1.0, float("nan")]]
    feature_map = RakingFeatureMap(0, categorical_features=[1]).fit(rows)
    assert feature_map.get_feature_names_out().tolist() == ["x0", "x1=blue", "x1=red", "x1=<missing>"]
    assert [c.tolist() for c in feature_map.categories_] == [["blue", "red", None]]
    array = np.array(rows, dtype=object)
    np.testing.assert_array_equal(feature_map.transform(rows), feature_map.transform(array))
    np.testing.assert_array_equal(feature_map.transform(rows)[1, 1:], feature_map.transform(rows)[3, 1:])


def test_text_only_lists():
    feature_map = RakingFeatureMap(categorical_features=[0, 1]).fit([["a", "x"], ["b", "x"]])
    np.testing.assert_allclose(feature_map.transform([["b", "?"]]), [[0, np.sqrt(0.5), 0]])


def test_levels_of_mixed_types_stay_apart():
    column = np.array([1, "1", 2.5, "a", None], dtype=object).reshape(-1, 1)
    feature_map = RakingFeatureMap(categorical_features=[0], sparse_output=False).fit(column)
    np.testing.assert_array_equal(feature_map.transform(column).sum(axis=0), np.ones(5))
    assert len(set(feature_map.get_feature_names_out())) == 5


def test_missing_in_a_categorical_column_seen_only_later_is_ignored():
    feature_map = RakingFeatureMap(0).fit(pd.DataFrame({"c": ["a", "b"]}, dtype="object"))
    assert feature_map.transform(pd.DataFrame({"c": [None, "zzz"]}, dtype="object")).tolist() == [
        [0, 0],
        [0, 0],
    ]


@pytest.mark.parametrize(
    "limits", [{"min_frequency": 5}, {"min_frequency": 0.2}, {"max_categories": 2}], ids=str
)
def test_missing_values_are_not_pooled_with_infrequent_levels(limits):
    column = np.array(["a"] * 20 + ["b"] * 10 + ["c"] * 3 + ["d"] * 2 + [None], dtype=object).reshape(-1, 1)
    feature_map = RakingFeatureMap(categorical_features=[0], sparse_output=False, **limits).fit(column)
    names = feature_map.get_feature_names_out().tolist()
    frequent = ["x0=a"] if "max_categories" in limits else ["x0=a", "x0=b"]
    assert names == [*frequent, "x0=<missing>", "x0=<infrequent>"]
    counts = dict(zip(names, feature_map.transform(column).sum(axis=0), strict=True))
    assert counts["x0=<missing>"] == 1
    assert counts["x0=<infrequent>"] == 35 - (20 if "max_categories" in limits else 30)


def test_a_fraction_is_one_of_all_rows_also_where_most_are_missing():
    column = np.array(["a"] * 7 + ["b"] * 3 + [None] * 40, dtype=object).reshape(-1, 1)
    feature_map = RakingFeatureMap(categorical_features=[0], min_frequency=0.1).fit(column)
    assert feature_map.get_feature_names_out().tolist() == ["x0=a", "x0=<missing>", "x0=<infrequent>"]
    nothing = np.full((9, 1), None)
    feature_map = RakingFeatureMap(categorical_features=[0], min_frequency=0.1).fit(nothing)
    assert feature_map.get_feature_names_out().tolist() == ["x0=<missing>"]


@pytest.mark.parametrize("method", ["transform", "project"])
def test_columns_of_another_type_than_at_fit_are_named(method):
    X = pd.DataFrame({"code": pd.Categorical([0, 1] * 10), "kind": ["u", "v"] * 10, "size": np.arange(20.0)})
    feature_map = RakingFeatureMap(0).fit(X)
    arguments = (np.ones(5),) if method == "project" else ()
    later = X.astype({"code": "str"})
    with pytest.warns(
        UserWarning, match=r"was seen at fit: 'code' holds '0' where fit saw 0\. .*the type"
    ) as caught:
        getattr(feature_map, method)(later, *arguments)
    assert len(caught) == 1
    later["kind"] = [1, 2] * 10
    with pytest.warns(
        UserWarning, match=r"'code' holds '0' where fit saw 0; 'kind' holds 1 where fit saw 'u'\."
    ):
        getattr(feature_map, method)(later.iloc[:1], *arguments)


@pytest.mark.parametrize("later", ["1.0", " 1", "01"])
def test_values_of_another_spelling_than_at_fit_are_named(later):
    feature_map = RakingFeatureMap(categorical_features=[0]).fit([["1"], ["2"], ["u"]])
    with pytest.warns(UserWarning, match=f"0 holds '{later}' where fit saw '1'"):
        feature_map.transform([["3"], [later]])


@pytest.mark.parametrize(
    "rows",
    [[["c"], ["d"]] * 50, [["A"], ["b"]], [[1], ["c"]], [[None]]],
    ids=["groups held out", "one that was seen", "one of the same type", "missing"],
)
def test_new_levels_are_no_reason_to_warn(rows):
    RakingFeatureMap(categorical_features=[0]).fit([["a"], ["b"]]).transform(rows)


def test_numbers_of_another_dtype_are_the_same_levels():
    feature_map = RakingFeatureMap(categorical_features=[0]).fit(np.array([[0.0], [1.0]]))
    feature_map.transform(np.array([[5]]))
    assert feature_map.transform(np.array([[True]])).sum() == 1


def test_unhashable_levels():
    with pytest.raises(TypeError, match="column 'c' cannot be categorical"):
        RakingFeatureMap().fit(pd.DataFrame({"c": [[1], [2]]}))


def test_sparse_input_takes_no_categorical_columns():
    with pytest.raises(TypeError, match="column 1 is declared categorical, but X is sparse"):
        RakingFeatureMap(categorical_features=[1]).fit(scipy.sparse.csr_array(np.eye(3)))


def test_numbers_are_numbers_in_whatever_type_they_come():
    numbers = [1.5, 2.0, 4.25, 2.0, -1.0]
    plain = RakingFeatureMap(0).fit(pd.DataFrame({"a": numbers}))
    pa = pytest.importorskip("pyarrow")
    decimals = [decimal.Decimal(str(number)) for number in numbers]
    frames = {
        "decimals": pd.DataFrame({"a": decimals}),
        "objects": pd.DataFrame({"a": pd.Series(numbers, dtype=object)}),
        "Arrow decimals": pd.DataFrame({"a": pd.Series(decimals, dtype=pd.ArrowDtype(pa.decimal128(10, 4)))}),
        "Arrow table": pa.table({"a": decimals}),
        "polars decimals": polars().DataFrame({"a": decimals}),
    }
    for name, frame in frames.items():
        fitted = RakingFeatureMap(0).fit(frame)
        assert fitted.get_feature_names_out().tolist() == ["a"], name
        np.testing.assert_array_equal(fitted.transform(frame), plain.transform(pd.DataFrame({"a": numbers})))
        np.testing.assert_array_equal(plain.transform(frame), fitted.transform(frame))


def test_missing_decimals_are_missing_numbers():
    frame = pd.DataFrame({"a": [decimal.Decimal("1.5"), None, decimal.Decimal("3.5"), float("nan")]})
    plain = pd.DataFrame({"a": [1.5, np.nan, 3.5, np.nan]})
    np.testing.assert_array_equal(
        RakingFeatureMap(4, random_state=0).fit_transform(frame),
        RakingFeatureMap(4, random_state=0).fit_transform(plain),
    )


def test_truth_values_and_texts_stay_categories():
    frame = pd.DataFrame({"a": pd.Series([True, False, None], dtype=object), "b": ["1", "2", "3"]})
    assert RakingFeatureMap(0).fit(frame).is_categorical_.tolist() == [True, True]


def test_columns_that_are_hardly_categories_are_named():
    amounts = pd.DataFrame({"amount": [f"{k / 7:.3f}" for k in range(300)]})
    with pytest.warns(UserWarning, match=r"'amount' is text and holds 300 different numbers.*to_numeric"):
        RakingFeatureMap(0).fit(amounts)
    ids = pd.DataFrame({"id": [f"A{k}" for k in range(300)]})
    with pytest.warns(UserWarning, match=r"'id' has 300 levels in 300 rows.*Leave the column out"):
        RakingFeatureMap(0).fit(ids)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RakingFeatureMap(0, categorical_features=["id"]).fit(ids)
        RakingFeatureMap(0, max_categories=5).fit(ids)
