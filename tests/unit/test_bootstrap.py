"""Resamples as counts over cells: exact in distribution, whichever way they are drawn."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from drr import _bootstrap
from drr._bootstrap import merge_rows, resample_counts
from drr._ranking import Ranking


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
    row_weight = rng.integers(1, 3, size=300) / 3 if weighted else None
    cells = merge_rows(scores, positive, row_weight)
    assert len(cells.positive) < 300
    row_counts = rng.multinomial(300, np.full(300, 1 / 300), size=5)
    for counts in row_counts:
        cell_counts = np.bincount(cells.cell_of_row, weights=counts, minlength=len(cells.positive))
        sample_weight = counts if row_weight is None else counts * row_weight
        cell_weight = cell_counts if cells.weight is None else cell_counts * cells.weight
        for score, merged in zip(scores, cells.scores, strict=True):
            ranking = Ranking(merged, cells.positive)
            precision = average_precision_score(positive, score, sample_weight=sample_weight)
            auc = roc_auc_score(positive, score, sample_weight=sample_weight)
            np.testing.assert_allclose(ranking.average_precision(cell_weight)[0], precision, rtol=1e-12)
            np.testing.assert_allclose(ranking.roc_auc(cell_weight)[0], auc, rtol=1e-12)


def collect(cell_of_row, positive, n_resamples, seed, **options):
    generator = np.random.default_rng(seed)
    batches = list(resample_counts(cell_of_row, positive, n_resamples, generator, **options))
    return np.concatenate(batches)


@pytest.mark.parametrize("rows_per_count", [0, 10**6], ids=["by cell", "by row"])
def test_counts_have_the_moments_of_a_multinomial(monkeypatch, rows_per_count):
    monkeypatch.setattr(_bootstrap, "ROWS_PER_MULTINOMIAL_COUNT", rows_per_count)
    positive = np.arange(40) < 8
    cell_of_row = np.where(positive, np.arange(40) % 2, 2 + np.arange(40) % 3)
    n_resamples = 20_000
    counts = collect(cell_of_row, positive, n_resamples, seed=1)
    sizes = np.bincount(cell_of_row)
    totals = np.where(np.arange(5) < 2, 8, 32)
    variance = sizes * (1 - sizes / totals)
    assert counts.shape == (n_resamples, 5)
    assert (np.abs(counts.mean(axis=0) - sizes) < 5 * np.sqrt(variance / n_resamples)).all()
    np.testing.assert_allclose(counts.var(axis=0), variance, rtol=0.06)
    covariance = np.cov(counts[:, 2], counts[:, 3])[0, 1]
    np.testing.assert_allclose(covariance, -sizes[2] * sizes[3] / 32, rtol=0.08)


def test_stratified_resamples_keep_the_class_counts():
    positive = np.arange(50) < 3
    counts = collect(np.arange(50), positive, 500, seed=2)
    assert (counts[:, :3].sum(axis=1) == 3).all()
    assert (counts[:, 3:].sum(axis=1) == 47).all()


def test_unstratified_resamples_vary_them_but_always_have_both_classes():
    positive = np.arange(50) < 1
    counts = collect(np.arange(50), positive, 2000, seed=3, stratify=False)
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
    for counts in resample_counts(np.arange(30_000), positive, 7, generator):
        assert counts.size <= 2**16
