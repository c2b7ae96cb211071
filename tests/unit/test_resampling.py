"""RakingResampler: what is drawn, how much of it, and from where."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression

from drr import RakingDual, RakingFeatureMap, RakingResampler


@pytest.fixture
def two_classes(rng):
    y = (np.arange(400) < 30).astype(int)
    return rng.normal(size=(400, 3)) + y[:, None], y


@pytest.mark.parametrize("n_rows", [400, 399])
def test_the_training_set_is_replaced_by_one_with_a_prior_of_one_half(two_classes, n_rows):
    X, y = (each[:n_rows] for each in two_classes)
    sampler = RakingResampler(random_state=0)
    X_resampled, y_resampled = sampler.fit_resample(X, y)
    origins, half = sampler.sample_indices_, (n_rows + 1) // 2
    assert len(y_resampled) == 2 * half
    np.testing.assert_array_equal(y_resampled, np.repeat([0, 1], half))
    np.testing.assert_array_equal(X_resampled, X[origins])
    majority, bootstrapped, donors = np.split(origins, [half, half + half // 2])
    assert (y[majority] == 0).all()
    assert (y[bootstrapped] == 1).all()
    assert (y[donors] == 0).all()
    assert not np.intersect1d(majority, donors).size, "a donor is no majority row any more"
    assert len(np.unique(majority)) < half, "drawn with replacement"
    assert sampler.n_relabelled_ == len(donors) == half - half // 2
    assert sampler.sampling_strategy_ == {0: half, 1: half}


def test_what_is_left_of_the_majority_keeps_its_levels(rng):
    y = (np.arange(3000) < 300).astype(int)
    X = pd.DataFrame({"level": rng.choice(["a", "b"], size=3000, p=[0.7, 0.3])})
    X.loc[y == 1, "level"] = rng.choice(["a", "b"], size=300, p=[0.1, 0.9])
    sampler = RakingResampler(n_draws=2000, minority_share=0.0, random_state=0)
    X_resampled, y_resampled = sampler.fit_resample(X, y)
    rest = np.setdiff1d(np.flatnonzero(y == 0), sampler.sample_indices_[y_resampled == 1])
    share = (X["level"][y == 0] == "b").mean()
    assert (X["level"][rest] == "b").mean() < 0.7 * share, "the donors took many of this level"
    assert (X_resampled["level"][y_resampled == 0] == "b").mean() == pytest.approx(share, abs=0.04)


def test_rows_without_levels_are_drawn_alike_from_what_is_left(two_classes):
    X, y = two_classes
    sampler = RakingResampler(n_draws=60_000, minority_share=1.0, random_state=0)
    _, y_resampled = sampler.fit_resample(X, y)
    counts = np.bincount(sampler.sample_indices_[y_resampled == 0], minlength=400)[y == 0]
    errors = (counts - 60_000 / 370) / np.sqrt(60_000 / 370)
    assert np.abs(errors).max() < 5


def test_other_classes_keep_their_labels(rng):
    y = rng.choice(["x", "y", "rare"], size=400, p=[0.5, 0.42, 0.08])
    sampler = RakingResampler(random_state=0)
    _, y_resampled = sampler.fit_resample(rng.normal(size=(400, 2)), y)
    np.testing.assert_array_equal(y_resampled[:200], y[sampler.sample_indices_[:200]])
    assert set(y_resampled[200:]) == {"rare"}
    labels, counts = np.unique(y_resampled, return_counts=True)
    assert sampler.sampling_strategy_ == dict(zip(labels.tolist(), counts.tolist(), strict=True))


def test_no_majority_row_left_is_an_error(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match=r"all 370 majority rows were drawn as donors .* mode='add'"):
        RakingResampler(RakingDual(eta=0.9), n_draws=200_000, random_state=0).fit_resample(X, y)


def test_a_quarter_is_added_in_equal_parts(two_classes):
    X, y = two_classes
    sampler = RakingResampler(mode="add", random_state=0)
    X_resampled, y_resampled = sampler.fit_resample(X, y)
    assert len(X_resampled) == 500
    np.testing.assert_array_equal(X_resampled[:400], X)
    np.testing.assert_array_equal(y_resampled[:400], y)
    assert (y_resampled[400:] == 1).all()
    origins = sampler.sample_indices_[400:]
    assert (y[origins] == 0).sum() == sampler.n_relabelled_ == 50
    assert sampler.sampling_strategy_ == {1: 100}
    assert sampler.n_distinct_donors_ == len(np.unique(origins[50:]))
    assert sampler.draws_per_effective_row_ == pytest.approx(50 / sampler.dual_.ess_)
    np.testing.assert_array_equal(X_resampled, X[sampler.sample_indices_])


def test_donors_follow_the_raked_weights(two_classes):
    X, y = two_classes
    sampler = RakingResampler(mode="add", n_draws=200_000, minority_share=0.0, random_state=1)
    sampler.fit_resample(X, y)
    counts = np.bincount(sampler.sample_indices_[400:], minlength=400)[y == 0] / 200_000
    weights = sampler.dual_.weights_
    errors = (counts - weights) / np.sqrt(weights * (1 - weights) / 200_000 + 1e-12)
    assert np.abs(errors).max() < 5
    assert counts.sum() == pytest.approx(1)


def test_the_cap_limits_the_draws(two_classes):
    X, y = two_classes
    sampler = RakingResampler(mode="add", n_draws=4.0, ess_cap=0.5, random_state=0)
    _, y_resampled = sampler.fit_resample(X, y)
    assert sampler.n_relabelled_ == int(0.5 * sampler.dual_.ess_)
    assert sampler.draws_per_effective_row_ <= 0.5
    assert len(y_resampled) - 400 == 2 * sampler.n_relabelled_
    capped = RakingResampler(n_draws=4.0, ess_cap=0.5, random_state=0)
    assert len(capped.fit_resample(X, y)[1]) == 4 * sampler.n_relabelled_, "both halves are reduced"
    loose = RakingResampler(mode="add", ess_cap=1e6, random_state=0)
    assert len(loose.fit_resample(X, y)[1]) == 500


def test_shares_and_numbers(two_classes):
    X, y = two_classes
    sampler = RakingResampler(n_draws=40, minority_share=0.25, random_state=0)
    sampler.fit_resample(X, y)
    assert sampler.n_relabelled_ == 30
    assert len(RakingResampler(mode="add", n_draws=0.5, random_state=0).fit_resample(X, y)[0]) == 600
    assert len(RakingResampler(n_draws="quarter", random_state=0).fit_resample(X, y)[0]) == 200


@pytest.mark.parametrize("kind", ["float32", "csr", "pandas", "polars"])
def test_types_are_kept(two_classes, kind):
    X, y = two_classes
    tables = {
        "float32": lambda: X.astype(np.float32),
        "csr": lambda: scipy.sparse.csr_array(X),
        "pandas": lambda: pd.DataFrame(X, columns=list("abc")).astype({"a": np.float32}),
        "polars": lambda: pytest.importorskip(
            "polars", reason="polars has no wheels for this interpreter"
        ).DataFrame(X, schema=list("abc")),
    }
    labels = pd.Series(np.where(y, "rare", "common"), name="label") if kind == "pandas" else y
    table = tables[kind]()
    X_resampled, y_resampled = RakingResampler(random_state=0).fit_resample(table, labels)
    assert type(X_resampled) is type(table)
    assert type(y_resampled) is type(labels)
    assert X_resampled.shape == (400, 3)
    if kind == "pandas":
        assert (X_resampled.dtypes == table.dtypes).all()
        assert set(y_resampled[200:]) == {"rare"}
    elif kind != "polars":
        assert X_resampled.dtype == table.dtype


def test_rows_of_pandas_are_numbered_as_imbalanced_learn_numbers_them(two_classes):
    over_sampling = pytest.importorskip("imblearn.over_sampling")
    X, y = two_classes
    frame = pd.DataFrame(X, columns=list("abc"), index=pd.Index(np.arange(400) + 1000, name="customer"))
    labels = pd.Series(y, index=frame.index, name="label")
    _, theirs = over_sampling.RandomOverSampler(random_state=0).fit_resample(frame, labels)
    X_resampled, y_resampled = RakingResampler(random_state=0).fit_resample(frame, labels)
    for index in (X_resampled.index, y_resampled.index):
        assert type(index) is type(theirs.index)
        assert (index.start, index.stop, index.name) == (0, 400, theirs.index.name)
    assert y_resampled.name == "label"
    assert list(X_resampled.columns) == list("abc")


def test_a_fitted_dual_is_used_for_its_own_rows(two_classes):
    X, y = two_classes
    dual = RakingDual(random_state=5).fit(X, y)
    sampler = RakingResampler(dual, random_state=0)
    sampler.fit_resample(X, y)
    assert sampler.dual_ is dual
    with pytest.raises(ValueError, match="dual was fitted on 370 majority rows, but y has 369"):
        sampler.fit_resample(X[:-1], y[:-1])
    unfitted = RakingResampler(RakingDual(RakingFeatureMap(0)), random_state=0)
    unfitted.fit_resample(X, y)
    assert len(unfitted.dual_.theta_) == 3


def test_a_fitted_dual_is_refused_for_other_labels_in_the_same_numbers(two_classes):
    X, y = two_classes
    sampler = RakingResampler(RakingDual(random_state=5).fit(X, y), random_state=0)
    with pytest.raises(ValueError, match="with row 0 outside the majority, but y has it in"):
        sampler.fit_resample(X[::-1], y[::-1])
    y[[7, 30]] = y[[30, 7]]
    with pytest.raises(
        ValueError, match=r"row 7 outside the majority, .*pass .* sklearn\.base\.clone\(dual\)"
    ):
        sampler.fit_resample(X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("others", ["two exchanged", "the next", "new"])
def test_a_fitted_dual_is_refused_for_other_rows_under_the_same_labels(
    two_classes, rng, others, weighted, dtype
):
    X, y = two_classes
    dual = RakingDual(RakingFeatureMap(16, dtype=dtype, random_state=0))
    dual.fit(X, y, sample_weight=rng.uniform(0.5, 2, size=400) if weighted else None)
    sampler = RakingResampler(dual, random_state=0)
    sampler.fit_resample(X, y)
    order = np.arange(400)
    order[[50, 300]] = [300, 50]
    rows = {"two exchanged": X[order], "the next": np.roll(X, 1, axis=0), "new": X + 0.01}[others]
    with pytest.raises(ValueError, match="fitted on other rows, or in another order"):
        sampler.fit_resample(rows, y)


def test_a_fitted_dual_that_is_zero_is_refused_for_other_rows(two_classes):
    X, y = two_classes
    with pytest.warns(UserWarning, match="dual"):
        dual = RakingDual(eta=1.0, random_state=0).fit(X, y)
    assert dual.diagnostics_.is_zero
    sampler = RakingResampler(dual, random_state=0)
    sampler.fit_resample(X, y)
    with pytest.raises(ValueError, match="fitted on other rows"):
        sampler.fit_resample(X + 1, y)


def test_the_same_seed_draws_the_same(two_classes):
    X, y = two_classes
    first, again = (RakingResampler(random_state=4).fit_resample(X, y)[0] for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "append"}, "mode must be 'replace' or 'add', got 'append'"),
        ({"n_draws": "third"}, "n_draws must be 'auto', 'half', 'quarter', a number of .* got 'third'"),
        ({"n_draws": 0}, "n_draws must be"),
        ({"minority_share": 2}, r"minority_share must be a number in \[0, 1\], got 2"),
        ({"ess_cap": -1.0}, "ess_cap must be None or a positive number, got -1.0"),
    ],
)
def test_what_is_refused(two_classes, options, message):
    with pytest.raises(ValueError, match=message):
        RakingResampler(**options).fit_resample(*two_classes)


def test_inside_the_pipeline_of_imbalanced_learn(two_classes):
    pipeline = pytest.importorskip("imblearn.pipeline")
    X, y = two_classes
    model = pipeline.make_pipeline(RakingResampler(random_state=0), LogisticRegression()).fit(X, y)
    plain = LogisticRegression().fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


def test_the_seed_reaches_the_feature_map_of_a_dual(two_classes):
    X, y = two_classes
    drawn = [
        RakingResampler(RakingDual(RakingFeatureMap()), random_state=0).fit_resample(X, y)[0]
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*drawn)
