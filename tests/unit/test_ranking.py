"""The Cython sweeps against scikit-learn's metrics."""

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    recall_score,
    roc_auc_score,
)

from drr._native.draws import add_draws
from drr._native.ranking import CUT_METRICS, Ranking


def g_mean(y_true, y_pred, sample_weight=None):
    recalls = recall_score(y_true, y_pred, average=None, sample_weight=sample_weight)
    return np.sqrt(np.prod(recalls))


METRICS = {
    "balanced_accuracy": balanced_accuracy_score,
    "f1": f1_score,
    "mcc": matthews_corrcoef,
    "g_mean": g_mean,
}


def make_data(seed, n_rows=200, decimals=1):
    rng = np.random.default_rng(seed)
    positive = rng.random(n_rows) < 0.15
    positive[:2] = [True, False]
    score = np.round(rng.normal(size=n_rows) + 1.5 * positive, decimals)
    return score, positive, rng


@pytest.mark.parametrize("decimals", [0, 1, 12], ids=["many ties", "some ties", "no ties"])
@pytest.mark.parametrize("kind", ["counts", "floats", "ones"])
def test_average_precision_and_roc_auc_equal_scikit_learn(decimals, kind):
    score, positive, rng = make_data(1, decimals=decimals)
    weights = {
        "counts": rng.multinomial(200, np.full(200, 1 / 200), size=20),
        "floats": rng.exponential(size=(20, 200)),
        "ones": np.ones((1, 200)),
    }[kind]
    ranking = Ranking(score, positive)
    expected_precision = [average_precision_score(positive, score, sample_weight=w) for w in weights]
    expected_auc = [roc_auc_score(positive, score, sample_weight=w) for w in weights]
    np.testing.assert_allclose(ranking.average_precision(weights), expected_precision, rtol=1e-13)
    np.testing.assert_allclose(ranking.roc_auc(weights), expected_auc, rtol=1e-13)


@pytest.mark.parametrize("metric", CUT_METRICS)
@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_best_cut_equals_a_search_over_every_cut(metric, decimals):
    score, positive, rng = make_data(2, n_rows=60, decimals=decimals)
    ranking = Ranking(score, positive)
    for weights in (np.ones(60), rng.exponential(size=60), rng.integers(1, 4, size=60)):
        (n_levels,), (value,) = ranking.best_cut(weights, metric)
        values = [
            METRICS[metric](positive, score > cut, sample_weight=weights)
            for cut in np.append(ranking.levels, -np.inf)
        ]
        np.testing.assert_allclose(value, max(values), rtol=1e-12)
        best = np.flatnonzero(np.isclose(values, max(values), rtol=0, atol=1e-13))
        assert n_levels == best[0], "the highest of the best cuts"


def test_levels_are_the_distinct_scores_from_the_highest():
    ranking = Ranking(np.array([1.0, 3.0, 1.0, -2.0]), np.array([True, False, False, True]))
    assert ranking.levels.tolist() == [3.0, 1.0, -2.0]
    true_positives, false_positives = ranking.curve(np.array([1.0, 2.0, 4.0, 8.0]))
    assert true_positives.tolist() == [0.0, 0.0, 1.0, 9.0]
    assert false_positives.tolist() == [0.0, 2.0, 6.0, 6.0]


def test_resamples_without_one_class_are_nan():
    ranking = Ranking(np.array([0.0, 1.0, 2.0]), np.array([True, False, True]))
    no_positive, no_negative = np.array([0, 3, 0]), np.array([1, 0, 2])
    assert np.isnan(ranking.average_precision(no_positive)).all()
    assert ranking.average_precision(no_negative).tolist() == [1.0]
    weights = np.stack([no_positive, no_negative])
    assert np.isnan(ranking.roc_auc(weights)).all()
    assert np.isnan(ranking.best_cut(weights, "f1")[1]).all()


def test_large_counts_are_summed_exactly():
    score = np.array([3.0, 2.0, 1.0])
    ranking = Ranking(score, np.array([False, True, False]))
    weights = np.array([[2**40, 1, 2**40]])
    np.testing.assert_allclose(ranking.average_precision(weights), 1 / (2**40 + 1), rtol=1e-15)


def test_the_order_of_the_rows_does_not_matter():
    score, positive, rng = make_data(3, decimals=0)
    weights = rng.integers(0, 5, size=(4, 200))
    order = rng.permutation(200)
    shuffled = Ranking(score[order], positive[order]).average_precision(weights[:, order])
    assert (shuffled == Ranking(score, positive).average_precision(weights)).all()


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0,)])
def test_wrong_number_of_weights_is_refused(shape):
    ranking = Ranking(np.arange(4.0), np.array([True, False, True, False]))
    for method in (ranking.average_precision, ranking.roc_auc, ranking.curve):
        with pytest.raises(ValueError, match="must have 4 columns"):
            method(np.ones(shape))


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="equally long"):
        Ranking(np.arange(4.0), np.array([True, False]))
    with pytest.raises(ValueError, match="equally long"):
        Ranking(np.array([]), np.array([], dtype=bool))


def test_read_only_arrays_are_accepted():
    score, positive, _ = make_data(4)
    weights = np.ones((1, 200))
    for array in (score, positive, weights):
        array.flags.writeable = False
    assert 0 < Ranking(score, positive).average_precision(weights)[0] < 1


def draw_in_python(bits, n_rows, n_draws):
    """Rows from the halves of 64-bit numbers, low half first, rejecting the surplus that would favour some rows."""
    rows = []
    for number in bits:
        for half in (number % 2**32, number >> 32):
            row, remainder = divmod(n_rows * half, 2**32)
            if remainder >= 2**32 % n_rows:
                rows.append(row)
    assert len(rows) >= n_draws
    return rows[:n_draws]


@pytest.mark.parametrize("bit_generator", [np.random.PCG64, np.random.SFC64, np.random.Philox])
@pytest.mark.parametrize("n_rows", [1, 3, 1000])
@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_draw_is_added_to_all_its_cells(bit_generator, n_rows, dtype, weighted):
    cells = np.stack([np.arange(n_rows) % 7, 7 + np.arange(n_rows) % 2], axis=1).astype(dtype)
    weights = np.arange(n_rows) + 0.5 if weighted else None
    totals = np.zeros((1, 9), dtype=np.float64 if weighted else np.uint32)
    add_draws(bit_generator(5), np.array([501]), cells, weights, totals)
    bits = bit_generator(5).random_raw(300).tolist()
    expected = np.zeros(9)
    for row in draw_in_python(bits, n_rows, 501):
        expected[cells[row]] += weights[row] if weighted else 1
    np.testing.assert_array_equal(totals[0], expected)


def test_any_bit_generator_draws_evenly():
    counts = np.zeros((1, 5), dtype=np.uint32)
    add_draws(np.random.MT19937(0), np.array([50_000]), np.arange(5, dtype=np.uint16)[:, None], None, counts)
    assert scipy.stats.chisquare(counts[0]).pvalue > 1e-4


@pytest.mark.parametrize(
    ("cells", "totals"),
    [
        (np.zeros((5, 2), np.int64), np.zeros((1, 9), np.uint32)),  # cells of another type
        (np.zeros((2, 5), np.uint16).T, np.zeros((1, 9), np.uint32)),  # stored by columns
        (np.zeros(5, np.uint16), np.zeros((1, 9), np.uint32)),
        (np.zeros((5, 2), np.uint16), np.zeros((1, 9))),  # totals for weights
        (np.zeros((5, 2), np.uint16), np.zeros((1, 18), np.uint32)[:, ::2]),
    ],
)
def test_only_arrays_that_are_stored_as_expected_are_drawn_from(cells, totals):
    with pytest.raises(ValueError, match="C-contiguous uint"):
        add_draws(np.random.PCG64(0), np.array([1]), cells, None, totals)


def test_totals_that_must_not_change_are_refused():
    totals = np.zeros((1, 9), np.uint32)
    totals.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        add_draws(np.random.PCG64(0), np.array([1]), np.zeros((5, 2), np.uint16), None, totals)


def test_drawing_from_no_rows_is_refused():
    with pytest.raises(ValueError, match="between 1 and 4294967295 rows"):
        add_draws(
            np.random.PCG64(0),
            np.array([1]),
            np.zeros((0, 1), dtype=np.uint16),
            None,
            np.zeros((1, 1), np.uint32),
        )
