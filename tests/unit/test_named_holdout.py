"""Held-out rows that the user names: a fraction, a pair of lists, folds or a splitter, and classes with few rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from drr import DRRClassifier


def test_the_rows_to_hold_out_can_be_named(two_classes, base):
    X, y = two_classes
    fit, held_out = train_test_split(np.arange(400), test_size=0.3, stratify=y, random_state=5)
    options = {"fusion_weight": 0.5, "random_state": 5}
    by_rows = DRRClassifier(base, holdout=(fit, held_out), **options).fit(X, y)
    by_fraction = DRRClassifier(base, holdout=0.3, **options).fit(X, y)
    np.testing.assert_array_equal(by_rows.fused_score(X), by_fraction.fused_score(X))
    mask = np.isin(np.arange(400), fit)
    by_mask = DRRClassifier(base, holdout=(mask, ~mask), **options).fit(X, y)
    np.testing.assert_allclose(by_mask.fused_score(X), by_fraction.fused_score(X), atol=1e-6)


def test_cross_fitting_scores_every_row_by_models_that_did_not_see_it(two_classes):
    X, y = two_classes
    memory = KNeighborsClassifier(1)  # knows every row it was fitted on
    splitter = StratifiedKFold(4, shuffle=True, random_state=7)
    classifier = DRRClassifier(memory, holdout=splitter, random_state=0).fit(X, y)
    held_out = classifier.rescorings_[0].held_out
    assert len(held_out.base) == 400
    labels = np.concatenate([y[rows] for _, rows in splitter.split(X, y)])
    np.testing.assert_array_equal(held_out.positive, labels == 1)
    assert average_precision_score(labels, held_out.base) < 0.9
    # The final models saw all rows.
    np.testing.assert_array_equal(classifier.base_score(X), y)
    assert len(classifier.dual_.weights_) == (y == 0).sum()
    # Each fold is standardised by itself.
    first = held_out.dual[: len(next(iter(splitter.split(X, y)))[1])]
    assert first.mean() == pytest.approx(0, abs=1e-12)
    assert first.std() == pytest.approx(1)


def test_a_number_of_folds_is_a_shuffled_stratified_splitter(two_classes, base):
    X, y = two_classes
    by_number = DRRClassifier(base, holdout=5, random_state=3, fusion_weight="auto").fit(X, y)
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    by_splitter = DRRClassifier(base, holdout=splitter, random_state=3, fusion_weight="auto").fit(X, y)
    np.testing.assert_array_equal(by_number.fused_score(X), by_splitter.fused_score(X))
    parallel = DRRClassifier(base, holdout=5, random_state=3, fusion_weight="auto", n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(by_number.fused_score(X), parallel.fused_score(X))


def test_groups_reach_the_splitter(two_classes, base):
    X, y = two_classes
    groups = np.arange(400) % 8
    classifier = DRRClassifier(base, holdout=GroupKFold(4), random_state=0).fit(X, y, groups=groups)
    assert len(classifier.rescorings_[0].held_out.base) == 400


def test_groups_without_a_splitter_are_refused(two_classes, base):
    X, y = two_classes
    for holdout in (0.3, 5):
        with pytest.raises(ValueError, match="groups are for a splitter that keeps them apart"):
            DRRClassifier(base, holdout=holdout).fit(X, y, groups=np.arange(400) // 4)


def test_a_large_fraction_holds_out_what_it_says(two_classes, base):
    X, y = two_classes
    assert len(DRRClassifier(base, holdout=0.9).fit(X, y).rescorings_[0].held_out.base) == 360
    with pytest.raises(ValueError, match="leaves no row of class 1 to fit on"):
        DRRClassifier(base, holdout=0.999).fit(X, y)


@pytest.mark.parametrize(
    ("holdout", "message"),
    [
        (0.0, r"fraction in \(0, 1\) or at least 2 folds, got 0.0"),
        (1.0, r"fraction in \(0, 1\) or at least 2 folds, got 1.0"),
        (1.5, r"fraction in \(0, 1\) or at least 2 folds, got 1.5"),
        (1, "at least 2 folds, got 1"),
        ("half", "holdout must be 'auto', a fraction"),
        (None, "holdout must be 'auto', a fraction"),
        (([0, 1], [1, 2]), "row 1 is both in fit_indices and in held_out_indices"),
        (([0, 1], [400]), "held_out_indices names row 400, but X has the rows 0 to 399"),
        (([0.5], [1]), "fit_indices must hold row numbers"),
        ((range(300),), "holdout must be 'auto', a fraction"),
        ([range(300), range(300, 400)], "holdout must be 'auto', a fraction"),
        ([3, 4], "holdout must be 'auto', a fraction"),
    ],
)
def test_holdouts_that_are_refused(two_classes, base, holdout, message):
    X, y = two_classes
    with pytest.raises(ValueError, match=message):
        DRRClassifier(base, holdout=holdout).fit(X, y)


def test_a_fit_part_without_the_rare_class(two_classes, base):
    X, y = two_classes
    rare, common = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    with pytest.raises(ValueError, match="leaves no row of class 1 to fit on"):
        DRRClassifier(base, holdout=(common[:200], np.concatenate([rare, common[200:]]))).fit(X, y)


def test_a_single_minority_row_fits_with_a_warning(two_classes, base):
    X, _ = two_classes
    y = (np.arange(400) == 17).astype(int)
    for holdout in (0.3, 5):
        with (
            pytest.warns(UserWarning, match="Class 1 has a single row, so nothing of it can be held out"),
            pytest.warns(UserWarning, match="0 rows of the rare class and .* others are held out"),
        ):
            classifier = DRRClassifier(base, holdout=holdout, random_state=0).fit(X, y)
        assert classifier.calibrator_ is None
        assert not hasattr(classifier, "predict_proba")
        assert classifier.fused_score(X)[17] > np.median(classifier.fused_score(X))
        assert (classifier.predict(X) == 1).mean() < 0.1


def test_one_minority_row_held_out_gives_a_fixed_cut(two_classes, base):
    X, y = two_classes
    keep = np.concatenate([np.flatnonzero(y == 1)[:3], np.flatnonzero(y == 0)])
    with pytest.warns(UserWarning, match="1 rows of the rare class and 108 others are held out"):
        classifier = DRRClassifier(base, holdout=0.3, random_state=0).fit(X[keep], y[keep])
    assert classifier.calibrator_ is None
    with pytest.raises(AttributeError, match="predict_proba"):
        classifier.predict_proba(X)


def test_few_minority_rows_make_fewer_folds(two_classes, base):
    X, y = two_classes
    keep = np.concatenate([np.flatnonzero(y == 1)[:3], np.flatnonzero(y == 0)])
    with pytest.warns(UserWarning, match="smallest class has 3 rows; 3 folds are used"):
        classifier = DRRClassifier(base, holdout=5, random_state=0).fit(X[keep], y[keep])
    assert classifier.rescorings_[0].held_out.positive.sum() == 3


@pytest.mark.parametrize("holdout", [0.25, 4])
def test_the_split_is_remembered(holdout):
    rng = np.random.default_rng(6)
    y = np.arange(200) < 30
    X = rng.normal(size=(200, 2)) + y[:, None]
    model = DRRClassifier(LogisticRegression(), holdout=holdout, random_state=0).fit(X, y)
    held_out = model.rescorings_[0].held_out
    np.testing.assert_array_equal(held_out.positive, y[held_out.rows])
    if holdout == 4:
        np.testing.assert_array_equal(np.sort(held_out.rows), np.arange(200))
        np.testing.assert_array_equal(model.fitted_rows_, np.arange(200))
    else:
        both = np.concatenate([held_out.rows, model.fitted_rows_])
        np.testing.assert_array_equal(np.sort(both), np.arange(200))
