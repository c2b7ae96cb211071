"""Labels, weights and seeds: what is accepted, and how the rest is named."""

import numpy as np
import pandas as pd
import pytest

from drr._checks.scores import (
    check_between,
    check_count,
    check_generator,
    check_labels,
    check_sample_weight,
    check_score,
    check_score_columns,
)


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        [-1, 1, 1],
        [False, True, True],
        [0.0, 1.0, 1.0],
        np.array([0, 1, 1], dtype=np.uint8),
        pd.Series([0, 1, 1]),
    ],
)
def test_one_is_positive_without_a_name(y):
    assert check_labels(y, 3).tolist() == [False, True, True]


def test_a_named_class_is_positive():
    assert check_labels(["no", "yes", "no"], 3, "yes").tolist() == [False, True, False]
    assert check_labels([2, 7, 2], 3, 2).tolist() == [True, False, True]
    assert check_labels([0, 1, 1], 3, 0).tolist() == [True, False, False]
    assert check_labels(np.array(["a", "b"], dtype=object), 2, "a").tolist() == [True, False]


@pytest.mark.parametrize(
    ("y", "pos_label", "message"),
    [
        ([1, 2], None, "labels 1, 2; pass pos_label"),
        (["no", "yes"], None, "labels 'no', 'yes'; pass pos_label"),
        (["no", "yes"], "maybe", "pos_label='maybe' is not a label of y, which has 'no', 'yes'"),
        (["no", "no"], "no", "one class only, 'no'"),
        ([0, 1, 2], 1, "two classes, got 3: 0, 1, 2"),
        ([[0], [1]], None, r"one label per score, got \(2, 1\)"),
    ],
)
def test_other_labels_are_refused(y, pos_label, message):
    with pytest.raises(ValueError, match=message):
        check_labels(y, len(y), pos_label)


def test_long_lists_of_classes_are_shortened():
    with pytest.raises(ValueError, match="0, 1, 2, 3, 4 and 4 more"):
        check_labels(np.arange(9), 9)


def test_scores_are_columns():
    assert check_score([1, 2]).dtype == np.float64
    with pytest.raises(ValueError, match=r"score must be a column .* got shape \(2, 1\)"):
        check_score([[1.0], [2.0]])
    with pytest.raises(ValueError, match="one number per row of y"):
        check_score([1.0, 2.0], "score", 3)


def test_weights_need_some_of_each_class():
    positive = np.array([True, False, False])
    assert check_sample_weight(None, positive) is None
    assert check_sample_weight([1, 0, 2], positive).tolist() == [1.0, 0.0, 2.0]
    with pytest.raises(ValueError, match="zero on every negative row"):
        check_sample_weight([1, 0, 0], positive)
    with pytest.raises(ValueError, match="got nan at position 2"):
        check_sample_weight([1, 0, np.nan], positive)


def test_generators():
    given = np.random.default_rng(0)
    assert check_generator(given) is given
    assert check_generator(7).integers(1000) == np.random.default_rng(7).integers(1000)
    states = [np.random.RandomState(3), np.random.RandomState(3)]
    first, second = (check_generator(state).integers(2**40) for state in states)
    assert first == second
    assert check_generator(states[0]).integers(2**40) != first, "a RandomState moves on"
    assert isinstance(check_generator(None), np.random.Generator)


def test_numbers():
    assert check_between(np.float32(0.5), 0, 1, "level") == 0.5
    assert check_between(1, 0, 1, "recall", closed=True) == 1.0
    assert check_count(np.int64(3), "n_resamples") == 3
    for value in (True, "0.5", None, np.nan, 0.0, 1.0):
        with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\)"):
            check_between(value, 0, 1, "level")
    for value in (0, -1, 2.0, True):
        with pytest.raises(ValueError, match="n_resamples must be a positive integer"):
            check_count(value, "n_resamples")


def test_base_scores_are_a_column_per_class_and_a_plain_one_for_two_classes():
    assert check_score_columns([3.0, 1.0], 2, 1).tolist() == [[3.0], [1.0]]
    assert check_score_columns([[3.0], [1.0]], 2, 1).tolist() == [[3.0], [1.0]]
    assert check_score_columns([[3.0, 0.5, 2.0]], 1, 3).tolist() == [[3.0, 0.5, 2.0]]
    with pytest.raises(ValueError, match=r"base_score must have shape \(2,\), got \(3,\)"):
        check_score_columns([3.0, 1.0, 2.0], 2, 1)
    with pytest.raises(ValueError, match=r"shape \(2, 3\), a column per class, got \(2,\)"):
        check_score_columns([3.0, 1.0], 2, 3)
