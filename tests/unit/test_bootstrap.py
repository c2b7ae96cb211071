"""Resamples as totals of cells: exact in distribution, whichever way they are drawn."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from drr._native.ranking import Ranking
from drr.fusion import bootstrap
from drr.fusion.bootstrap import merge_rows, resample_totals


def make_scores(seed, n_rows=300, decimals=1):
    rng = np.random.default_rng(seed)
    positive = rng.random(n_rows) < 0.05
    positive[:2] = [True, False]
    scores = np.round(rng.normal(size=(2, n_rows)) + 1.5 * positive, decimals)
    return (scores[0], scores[1]), positive, rng


@pytest.mark.parametrize("decimals", [0, 1, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_merged_rows_keep_every_ranking_metric(decimals, weighted):
    scores, positive, rng = make_scores(0, decimals=decimals)
    row_weight = rng.integers(1, 3, size=300) / 3 if weighted else np.ones(300)
    for score in scores:
        cells = merge_rows(score, positive)
        assert len(cells.positive) < 300
        ranking = Ranking(cells.score, cells.positive)
        for counts in rng.multinomial(300, np.full(300, 1 / 300), size=5):
            totals = np.bincount(cells.cell_of_row, weights=counts * row_weight)
            precision = average_precision_score(positive, score, sample_weight=counts * row_weight)
            auc = roc_auc_score(positive, score, sample_weight=counts * row_weight)
            np.testing.assert_allclose(ranking.average_precision(totals)[0], precision, rtol=1e-12)
            np.testing.assert_allclose(ranking.roc_auc(totals)[0], auc, rtol=1e-12)


def collect(cells_of_row, positive, n_resamples, seed, **options):
    generator = np.random.default_rng(seed)
    batches = list(resample_totals(cells_of_row, positive, n_resamples, generator, **options))
    return [np.concatenate(parts) for parts in zip(*batches, strict=True)]


@pytest.mark.parametrize("rows_per_count", [0, 5, 10**6], ids=["by group", "both ways", "by row"])
@pytest.mark.parametrize("weighted", [False, True])
def test_totals_have_the_moments_of_a_multinomial(monkeypatch, rows_per_count, weighted):
    """Means and covariances of all totals, also between two ways to put rows into cells, by their closed form."""
    monkeypatch.setattr(bootstrap, "ROWS_PER_MULTINOMIAL_COUNT", rows_per_count)
    positive = np.arange(40) < 8
    first = np.where(positive, np.arange(40) % 2, 2 + np.arange(40) % 3)
    second = np.where(positive, 0, 1 + (np.arange(40) > 24))
    row_weight = np.where(np.arange(40) % 4 == 0, 0.5, 2.0) if weighted else None
    n_resamples = 20_000
    totals = np.hstack(collect([first, second], positive, n_resamples, seed=1, row_weight=row_weight))
    # One draw from a class adds the row's vector a; the sum of n draws has mean n·E(a) and covariance n·Cov(a).
    added = np.hstack([first[:, None] == np.arange(5), second[:, None] == np.arange(3)])
    added = added * (1.0 if row_weight is None else row_weight[:, None])
    mean = added.sum(axis=0)
    covariance = 8 * np.cov(added[:8].T, bias=True) + 32 * np.cov(added[8:].T, bias=True)
    deviation = np.sqrt(np.diag(covariance))
    assert totals.shape == (n_resamples, 8)
    assert (np.abs(totals.mean(axis=0) - mean) <= 5 * deviation / np.sqrt(n_resamples) + 1e-12).all()
    error = np.abs(np.cov(totals.T, bias=True) - covariance)
    assert (error <= 6 * np.outer(deviation, deviation) / np.sqrt(n_resamples) + 1e-12).all()


def test_stratified_resamples_keep_the_class_counts():
    positive = np.arange(50) < 3
    counts = collect([np.arange(50)], positive, 500, seed=2)[0]
    assert (counts[:, :3].sum(axis=1) == 3).all()
    assert (counts[:, 3:].sum(axis=1) == 47).all()


def test_unstratified_resamples_vary_them_but_always_have_both_classes():
    positive = np.arange(50) < 1
    counts = collect([np.arange(50)], positive, 2000, seed=3, stratify=False)[0]
    n_positive = counts[:, 0]
    assert len(counts) == 2000
    assert (counts.sum(axis=1) == 50).all()
    assert n_positive.min() == 1
    assert n_positive.max() > 2
    # A binomial count given that it is not zero.
    expected = 1 / (1 - (1 - 1 / 50) ** 50)
    assert abs(n_positive.mean() - expected) < 5 * n_positive.std() / np.sqrt(2000)


def test_batches_stay_small():
    positive = np.arange(30_000) < 10
    generator = np.random.default_rng(0)
    for (counts,) in resample_totals([np.arange(30_000)], positive, 7, generator):
        assert counts.size <= 2**16
