"""What must hold for every ranking: ties, weights, order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import average_precision_score, roc_auc_score

from drr._native.ranking import CUT_METRICS, Ranking
from drr.fusion.bootstrap import merge_rows


@st.composite
def rankings(draw, n_scores=1):
    n_rows = draw(st.integers(2, 30))
    few_levels = st.integers(-3, 3).map(float)
    any_number = st.floats(-1e6, 1e6, allow_subnormal=False)
    scores = [
        draw(arrays(np.float64, n_rows, elements=draw(st.sampled_from([few_levels, any_number]))))
        for _ in range(n_scores)
    ]
    positive = draw(arrays(np.bool_, n_rows))
    positive[0], positive[-1] = True, False
    counts = draw(arrays(np.int64, n_rows, elements=st.integers(0, 5)))
    counts[0], counts[-1] = counts[0] + 1, counts[-1] + 1
    return scores, positive, counts


@given(rankings())
def test_metrics_equal_scikit_learn(data):
    (score,), positive, counts = data
    ranking = Ranking(score, positive)
    for weights in (counts, counts * 0.37):
        precision = average_precision_score(positive, score, sample_weight=weights)
        auc = roc_auc_score(positive, score, sample_weight=weights)
        np.testing.assert_allclose(ranking.average_precision(weights)[0], precision, rtol=1e-11)
        np.testing.assert_allclose(ranking.roc_auc(weights)[0], auc, rtol=1e-11, atol=1e-14)


@given(rankings())
def test_counts_are_repeated_rows(data):
    (score,), positive, counts = data
    repeated = Ranking(np.repeat(score, counts), np.repeat(positive, counts))
    ones = np.ones(repeated.n_rows)
    ranking = Ranking(score, positive)
    np.testing.assert_allclose(
        ranking.average_precision(counts), repeated.average_precision(ones), rtol=1e-12
    )
    for metric in CUT_METRICS:
        np.testing.assert_allclose(
            ranking.best_cut(counts, metric)[1], repeated.best_cut(ones, metric)[1], rtol=1e-12
        )


@given(rankings())
def test_only_the_order_of_the_scores_matters(data):
    (score,), positive, counts = data
    ranks = np.unique(score, return_inverse=True)[1].reshape(-1).astype(float)
    first, second = Ranking(score, positive), Ranking(np.exp(ranks / 8) - 5, positive)
    assert first.average_precision(counts) == second.average_precision(counts)
    assert first.roc_auc(counts) == second.roc_auc(counts)
    for metric in CUT_METRICS:
        assert first.best_cut(counts, metric)[0] == second.best_cut(counts, metric)[0]


@given(rankings())
def test_reversing_score_and_classes_keeps_the_area(data):
    (score,), positive, counts = data
    forward, backward = Ranking(score, positive), Ranking(-score, ~positive)
    np.testing.assert_allclose(forward.roc_auc(counts), backward.roc_auc(counts), rtol=1e-12, atol=1e-15)


@given(rankings())
def test_cells_keep_every_metric(data):
    (score,), positive, counts = data
    cells = merge_rows(score, positive)
    assert (cells.positive[cells.cell_of_row] == positive).all()
    cell_counts = np.zeros(len(cells.positive), dtype=np.int64)
    np.add.at(cell_counts, cells.cell_of_row, counts)
    rows, groups = Ranking(score, positive), Ranking(cells.score, cells.positive)
    assert rows.average_precision(counts) == groups.average_precision(cell_counts)
    np.testing.assert_allclose(rows.roc_auc(counts), groups.roc_auc(cell_counts), rtol=1e-12, atol=1e-15)
