"""Duals of the parts of a large majority, which few of its rows stand for."""

import numpy as np
import pytest

from drr import DRRClassifier, RakingDual, RakingFeatureMap
from drr.raking import shared_rows
from drr.raking.one_versus_rest import OneVersusRest
from drr.raking.shared_rows import MANY_ROWS, ROWS_OF_MANY, SharedRows, ThinnedRows

N_RARE, N_MAJORITY = 300, 12_000


@pytest.fixture
def table(rng):
    y = (np.arange(N_RARE + N_MAJORITY) < N_RARE).astype(int)
    shuffled = rng.permutation(len(y))
    X = rng.normal(size=(len(y), 3)) + np.outer(y, [1.5, 0.5, 0.0])
    return X[shuffled], y[shuffled]


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(shared_rows, "MANY_ROWS", 10_000)
    monkeypatch.setattr(shared_rows, "ROWS_OF_MANY", 4000)


def shared_duals(X, y, sample_weight=None, labels=(1,), **settings):
    dual = RakingDual(RakingFeatureMap(16, random_state=0), **settings)
    return OneVersusRest(dual, X, y, labels, sample_weight, n_folds=5)


def held_out_scores(X, y, duals=None):
    """Scores of every fifth row by a dual of the others."""
    rows = np.arange(len(y))
    held_out = rows % 5 == 0
    duals = shared_duals(X, y) if duals is None else duals
    return duals.score_held_out(rows[~held_out], rows[held_out])[:, 0]


def test_scores_of_parts_hardly_change(table, monkeypatch):
    exact = held_out_scores(*table)
    errors = []
    for n_kept in (1000, 4000):
        monkeypatch.setattr(shared_rows, "MANY_ROWS", 10_000)
        monkeypatch.setattr(shared_rows, "ROWS_OF_MANY", n_kept)
        thinned = held_out_scores(*table)
        assert not np.array_equal(thinned, exact)
        errors.append((thinned - exact).std() / exact.std())
    assert errors[1] < 0.03
    assert errors[1] < errors[0] < 0.15


def test_the_dual_of_all_rows_stays_the_same(table, few_are_many, monkeypatch):
    thinned = shared_duals(*table).duals[0]
    monkeypatch.undo()
    np.testing.assert_array_equal(thinned.theta_, shared_duals(*table).duals[0].theta_)
    assert len(thinned.weights_) == N_MAJORITY


def test_the_rows_that_are_kept(table, few_are_many):
    X, y = table
    duals = shared_duals(X, y)
    rows, dual = duals._rows, duals.duals[0]
    assert isinstance(rows, ThinnedRows)
    assert rows.stands_for.sum() == pytest.approx(N_MAJORITY, rel=1e-12)
    assert len(np.unique(rows.kept)) == len(rows.kept) == 4000
    assert not y[rows.kept].any()
    np.testing.assert_array_equal(rows.kept_features, rows.features[rows.kept])
    # The heaviest half as they are; the others evenly from the heaviest to the lightest.
    rank = np.empty(len(y), dtype=int)
    rank[dual.majority_[np.argsort(-dual.weights_, kind="stable")]] = np.arange(N_MAJORITY)
    np.testing.assert_array_equal(rank[rows.kept[:2000]], np.arange(2000))
    np.testing.assert_array_equal(rank[rows.kept[2000:]], 2000 + 5 * np.arange(2000) + 2)
    np.testing.assert_array_equal(np.unique(rows.stands_for), [1, 5])
    assert held_out_scores(X, y).tolist() == held_out_scores(X, y).tolist()


def test_the_target_is_the_mean_of_all_rare_rows_of_the_part(table, few_are_many):
    X, y = table
    rows = shared_duals(X, y)._rows
    fit = np.flatnonzero(np.arange(len(y)) % 5 != 0)
    problem, base = rows.part(fit).problem(y == 1)
    np.testing.assert_allclose(problem.target, rows.features[fit][y[fit] == 1].mean(axis=0), rtol=1e-12)
    assert base.sum() == pytest.approx(1, rel=1e-12)
    np.testing.assert_array_equal(base > 0, rows.kept % 5 != 0)
    # 1600 rows that stand for 8000 leave a standard error of 0.02 standard deviations.
    majority = rows.features[fit][y[fit] == 0]
    assert np.abs((problem.base_mean - majority.mean(axis=0)) / majority.std(axis=0)).max() < 0.08


@pytest.mark.parametrize(
    "change",
    [
        {"sample_weight": np.arange(N_RARE + N_MAJORITY) % 3 + 1.0},
        {"min_ess": 0.1},
        {"labels": (0, 1)},
    ],
    ids=["weights", "effective rows", "two duals"],
)
def test_problems_that_count_single_rows_are_not_thinned(table, few_are_many, change):
    assert type(shared_duals(*table, **change)._rows) is SharedRows


def test_smaller_tables_are_as_before(table):
    X, y = table
    assert MANY_ROWS >= 2 * ROWS_OF_MANY
    assert type(shared_duals(X, y)._rows) is SharedRows
    with_equal_weights = shared_duals(X, y, sample_weight=np.full(len(y), 2.0))
    np.testing.assert_array_equal(held_out_scores(X, y, with_equal_weights), held_out_scores(X, y))


def test_a_classifier_of_many_rows(rng):
    y = (np.arange(MANY_ROWS + 2000) < 1500).astype(int)
    X = rng.normal(size=(len(y), 2)) + y[:, None]
    base = X[:, 0] + rng.normal(size=len(y))
    dual = RakingDual(RakingFeatureMap(8, random_state=0), limit_direction=True)
    classifier = DRRClassifier.from_scores(base, X, y, dual=dual, random_state=0)
    held_out = classifier.rescorings_[0].held_out
    assert len(held_out.dual) == len(y)
    score = classifier.dual_score(X)[held_out.rows]
    assert np.corrcoef(score, held_out.dual)[0, 1] > 0.995
    assert len(classifier.dual_.weights_) == (y == 0).sum()
