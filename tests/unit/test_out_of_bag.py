"""Out-of-bag scores of forests, computed here and by scikit-learn."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from drr import DRRClassifier
from drr._native.draws import mark_draws
from drr.composition import out_of_bag
from drr.composition.out_of_bag import fit_out_of_bag, out_of_bag_scores
from drr.composition.table_forest import TableForest


def make_table(rng, n_rows=300, n_classes=2):
    y = rng.integers(n_classes, size=n_rows)
    return rng.normal(size=(n_rows, 4)) + y[:, None], y


def by_scikit_learn(forest, X, y):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        scores = clone(forest).set_params(oob_score=True).fit(X, y).oob_decision_function_
    return np.where(scores.sum(axis=1, keepdims=True) > 0, scores, np.nan)


def computed_here(forest, X, y, labels=None):
    fitted = fit_out_of_bag(forest, X, y, {})
    assert not hasattr(fitted, "oob_decision_function_")
    return out_of_bag_scores(fitted, X, np.unique(y) if labels is None else np.array(labels))


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(50, random_state=0),
        RandomForestClassifier(50, max_samples=0.3, min_samples_leaf=5, random_state=1),
        RandomForestClassifier(60, max_samples=17, n_jobs=2, random_state=2),
        ExtraTreesClassifier(50, bootstrap=True, random_state=3),
    ],
    ids=["forest", "a part of the rows", "few rows", "extra trees"],
)
@pytest.mark.parametrize("n_rows", [256, 257, 3000])
def test_scores_are_those_of_scikit_learn(rng, forest, n_rows):
    X, y = make_table(rng, n_rows)
    np.testing.assert_array_equal(computed_here(forest, X, y), by_scikit_learn(forest, X, y))


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda X: X.astype(np.float32),
        lambda X: np.where(X > 1.5, np.nan, X),
        lambda X: csr_array(np.where(X > 0, X, 0.0)),
        lambda X: np.round(X).astype(int),
    ],
    ids=["columns", "singles", "missing", "sparse", "whole numbers"],
)
def test_rows_of_every_kind_are_scored(rng, change):
    X, y = make_table(rng)
    X, forest = change(X), RandomForestClassifier(50, random_state=0)
    np.testing.assert_array_equal(computed_here(forest, X, y), by_scikit_learn(forest, X, y))


def test_columns_are_those_of_the_labels(rng):
    X, y = make_table(rng, n_classes=4)
    forest = RandomForestClassifier(50, random_state=0)
    expected = by_scikit_learn(forest, X, y)
    np.testing.assert_array_equal(computed_here(forest, X, y, [3, 1]), expected[:, [3, 1]])


def test_rows_in_every_bag_have_no_score(rng):
    X, y = make_table(rng, 4)
    y[:2] = 0, 1
    forest = RandomForestClassifier(2, random_state=0)  # a row is in both bags with a probability of 0.47
    scores, expected = computed_here(forest, X, y), by_scikit_learn(forest, X, y)
    assert 0 < np.isnan(expected).any(axis=1).sum() < 4
    np.testing.assert_array_equal(scores, expected)


def test_a_forest_of_tables_is_scored_in_its_own_columns(rng):
    pd = pytest.importorskip("pandas")
    X, y = make_table(rng)
    table = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "high", "low")})
    forest = TableForest(50, random_state=0)
    np.testing.assert_array_equal(computed_here(forest, table, y), by_scikit_learn(forest, table, y))


class ForestOfItsOwn(RandomForestClassifier):
    pass


@pytest.mark.parametrize(
    "base",
    [
        ForestOfItsOwn(50, random_state=0),
        make_pipeline(StandardScaler(), RandomForestClassifier(50, random_state=0)),
        RandomForestClassifier(50, oob_score=True, random_state=0),
    ],
    ids=["a subclass", "a pipeline", "asked for by the user"],
)
def test_other_forests_keep_the_scores_of_scikit_learn(rng, base):
    X, y = make_table(rng)
    fitted = fit_out_of_bag(base, X, y, {})
    ensemble = fitted[-1] if hasattr(fitted, "steps") else fitted
    np.testing.assert_array_equal(
        out_of_bag_scores(fitted, X, np.array([1]))[:, 0], ensemble.oob_decision_function_[:, 1]
    )


def test_a_forest_that_draws_otherwise_names_its_rows(rng, monkeypatch):
    X, y = make_table(rng)
    forest = RandomForestClassifier(50, random_state=0)
    expected = by_scikit_learn(forest, X, y)
    n_calls = 0

    def draw_no_row(generator, n_draws, n_rows, drawn):
        nonlocal n_calls
        n_calls += 1

    monkeypatch.setattr(out_of_bag, "mark_draws", draw_no_row)
    np.testing.assert_array_equal(computed_here(forest, X, y), expected)
    assert n_calls == 1


def test_the_fitted_base_is_the_one_that_was_asked_for(rng):
    X, y = make_table(rng)
    base = RandomForestClassifier(50, random_state=0)
    fitted = DRRClassifier(base, random_state=0).fit(X, y).estimator_
    assert fitted.get_params() == base.get_params()
    assert not fitted.oob_score


@pytest.mark.parametrize("n_rows", [1, 2, 3, 64, 65, 1000, 40_000])
@pytest.mark.parametrize("share", [0.4, 1.0, 3.0])
def test_marked_rows_are_those_that_numpy_draws(n_rows, share):
    n_draws = max(1, int(share * n_rows))
    for seed in (0, 7, 2**31 - 2):
        generator = np.random.MT19937(0)
        state = np.random.RandomState(generator)
        state.seed(seed)
        marks = np.zeros(1 << (n_rows - 1).bit_length(), dtype=np.uint8)
        mark_draws(generator, n_draws, n_rows, marks)
        drawn = np.random.RandomState(seed).randint(0, n_rows, n_draws)
        np.testing.assert_array_equal(np.flatnonzero(marks[:n_rows]), np.unique(drawn))


@pytest.mark.parametrize(
    ("n_rows", "marks"),
    [
        (0, np.zeros(1, np.uint8)),
        (-1, np.zeros(2, np.uint8)),
        (5, np.zeros(4, np.uint8)),
        (5, np.zeros(16, np.uint8)),
        (5, np.zeros(8)),
        (5, np.zeros(16, np.uint8)[::2]),
    ],
)
def test_marks_of_another_size_are_refused(n_rows, marks):
    with pytest.raises(ValueError, match=r"marks do not fit|writable C-contiguous"):
        mark_draws(np.random.MT19937(0), 3, n_rows, marks)
