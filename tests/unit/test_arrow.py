"""Tables of pyarrow give what frames of pandas give."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LogisticRegression

from drr import DRRClassifier, RakingDual, RakingFeatureMap

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    rare = np.arange(200) % 9 == 0
    frame = pandas.DataFrame(rng.normal(size=(200, 2)) + rare[:, None], columns=["a", "b"])
    return frame.assign(colour=rng.choice(["red", "green"], 200)), rare


def test_feature_maps_and_duals_take_tables(frame):
    X, y = frame
    table = pyarrow.Table.from_pandas(X)
    feature_map = RakingFeatureMap(8, random_state=0).fit(table)
    assert feature_map.get_feature_names_out()[:4].tolist() == ["a", "b", "colour=green", "colour=red"]
    expected = RakingFeatureMap(8, random_state=0).fit(X).transform(X)
    np.testing.assert_array_equal(feature_map.transform(table), expected)
    dual = RakingDual(random_state=0).fit(table, y)
    np.testing.assert_array_equal(
        dual.score_samples(table), RakingDual(random_state=0).fit(X, y).score_samples(X)
    )
    dictionary = table.set_column(2, "colour", table["colour"].dictionary_encode())
    np.testing.assert_array_equal(feature_map.transform(dictionary), expected)


def test_classifiers_take_tables(frame):
    X, y = frame
    numbers = X[["a", "b"]]
    expected = DRRClassifier(LogisticRegression(), random_state=0).fit(numbers, y).fused_score(numbers)
    table = pyarrow.Table.from_pandas(numbers)
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(table, y)
    assert classifier.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(classifier.fused_score(table), expected)


def test_frames_with_types_of_arrow(frame):
    X, _ = frame
    typed = pyarrow.Table.from_pandas(X).to_pandas(types_mapper=pandas.ArrowDtype)
    expected = RakingFeatureMap(8, random_state=0).fit(X).transform(X)
    np.testing.assert_array_equal(RakingFeatureMap(8, random_state=0).fit(typed).transform(typed), expected)
