"""Raking on Dask: the same answers, a lost worker survived, nothing gathered but answers."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import drr
from drr import DRRClassifier, RakingDual, RakingFeatureMap, RakingResampler
from drr.streaming.dask import keep_with_workers
from drr.streaming.dask_table import gather_labels

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # on Windows every signal is one that cannot be caught

dask = pytest.importorskip("dask")
array = pytest.importorskip("dask.array")
frames = pytest.importorskip("dask.dataframe")

# Warnings of Dask and of its servers are theirs.
pytestmark = pytest.mark.filterwarnings("ignore:::dask", "ignore:::distributed", "ignore::ResourceWarning")

rng = np.random.default_rng(8)
N = 8000
Y = rng.random(N) < 0.05
ROWS = rng.standard_normal((N, 6)) + 0.7 * Y[:, None]
TARGET = ROWS[Y].mean(axis=0)
CHUNKS = (3000, 1, 0, 4999)
FRAME = pd.DataFrame(ROWS, columns=list("abcdef")).assign(kind=pd.Categorical(rng.choice(["low", "high"], N)))
WEIGHTS = rng.exponential(size=N)
FRAME_OF_ALL = FRAME.assign(fraud=Y, weight=WEIGHTS)


@pytest.fixture(autouse=True)
def one_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def memory():
    return drr.rake(ROWS, TARGET)


def delayed_blocks():
    return [dask.delayed(part) for part in np.split(ROWS, np.cumsum(CHUNKS)[:-1])]


COLLECTIONS = {
    "array": lambda: array.from_array(ROWS, chunks=(CHUNKS, 6)),
    "array with split columns": lambda: array.from_array(ROWS, chunks=(1000, 2)),
    "data frame": lambda: frames.from_pandas(FRAME[list("abcdef")], npartitions=3),
    "delayed blocks": delayed_blocks,
}


def assert_same(raking, memory):
    assert raking.floor.value == pytest.approx(
        memory.floor.value, rel=1e-9, abs=1e-9 * memory.base_discrepancy
    )
    scale = np.linalg.norm(memory.dual.theta)
    np.testing.assert_allclose(raking.dual.theta, memory.dual.theta, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("make", COLLECTIONS.values(), ids=COLLECTIONS.keys())
def test_rake(make, memory):
    assert_same(drr.rake(make(), TARGET), memory)


def test_base_weights():
    weights = rng.exponential(size=N)
    expected = drr.rake(ROWS, TARGET, base_weights=weights)
    rows = COLLECTIONS["array"]()
    assert_same(drr.rake(rows, TARGET, base_weights=weights), expected)
    assert_same(drr.rake(rows, TARGET, base_weights=array.from_array(weights, chunks=(CHUNKS,))), expected)
    with pytest.raises(ValueError, match="base_weights has 2 partitions, but the rows have 4"):
        drr.rake(rows, TARGET, base_weights=array.from_array(weights, chunks=4000))


def test_dual_of_arrays():
    feature_map = RakingFeatureMap(16, random_state=0)
    rows, labels = COLLECTIONS["array"](), array.from_array(Y, chunks=(CHUNKS,))
    one = RakingDual(feature_map).fit(rows, labels)
    other = RakingDual(feature_map).fit(ROWS, Y)
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * np.linalg.norm(other.theta_))
    np.testing.assert_allclose(one.score_samples(rows).compute(), other.score_samples(ROWS), atol=1e-7)


def test_dual_of_a_frame_with_the_label_in_a_column():
    table = frames.from_pandas(FRAME.assign(fraud=Y), npartitions=3)
    feature_map = RakingFeatureMap(16, random_state=0)
    one = RakingDual(feature_map).fit(table, "fraud")
    other = RakingDual(feature_map).fit(FRAME, Y)
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * np.linalg.norm(other.theta_))


@pytest.fixture(params=[8])
def files(request, tmp_path):
    """A directory of Parquet files, as another program would have written them."""
    pytest.importorskip("pyarrow")
    for k, rows in enumerate(np.array_split(np.arange(N), request.param)):
        FRAME_OF_ALL.iloc[rows].to_parquet(tmp_path / f"part-{k:02d}.parquet")
    return tmp_path


def same(table):
    return table


# Dask reads several files as one partition when few columns are needed, and decides so for each expression by itself.
READINGS = {
    "as it is": (same, same),
    "few columns": (lambda table: table[["a", "b", "fraud", "weight"]],) * 2,
    "filtered": (lambda table: table[table["a"] > -1],) * 2,
    "fewer partitions": (lambda table: table.repartition(npartitions=2), same),
    "more partitions": (lambda table: table.repartition(npartitions=11), same),
}


@pytest.mark.parametrize(
    ("files", "reading"),
    [(8, each) for each in READINGS.values()] + [(2, READINGS["as it is"]), (40, READINGS["as it is"])],
    ids=[*READINGS, "two files", "forty files"],
    indirect=["files"],
)
@pytest.mark.parametrize("labels", ["name", "series"])
def test_dual_of_frames_read_lazily_from_parquet(files, reading, labels):
    read, select = reading
    table, memory = read(frames.read_parquet(files)), select(FRAME_OF_ALL)
    rows, y, weights = table.drop(columns=["weight"]), "fraud", table["weight"]
    if labels == "series":
        rows, y = rows.drop(columns=["fraud"]), table["fraud"]
    one = RakingDual(RakingFeatureMap(4, random_state=0)).fit(rows, y, weights)
    features = memory.drop(columns=["fraud", "weight"])
    other = RakingDual(RakingFeatureMap(4, random_state=0)).fit(features, memory["fraud"], memory["weight"])
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * np.linalg.norm(other.theta_))
    assert one.feature_names_in_.tolist() == features.columns.tolist()


@pytest.mark.parametrize("kind", ["frame", "array"])
def test_labels_and_weights_in_chunks_of_unknown_size(files, kind):
    table = frames.read_parquet(files).persist()
    rows, y, weights = table[list("abcdef")], table["fraud"].values, table["weight"].values
    assert np.isnan(y.chunks[0]).all()
    one = RakingDual(RakingFeatureMap(4, random_state=0)).fit(
        rows if kind == "frame" else rows.values, y, weights
    )
    other = RakingDual(RakingFeatureMap(4, random_state=0)).fit(ROWS, Y, WEIGHTS)
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * np.linalg.norm(other.theta_))


def test_filters_of_the_reader(files):
    table = frames.read_parquet(files, filters=[("a", ">", 0)])
    one = RakingDual(RakingFeatureMap(8, random_state=0)).fit(table.drop(columns=["weight"]), "fraud")
    memory = FRAME_OF_ALL[FRAME_OF_ALL["a"] > 0].drop(columns=["weight"])
    other = RakingDual(RakingFeatureMap(8, random_state=0)).fit(
        memory.drop(columns=["fraud"]), memory["fraud"]
    )
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * np.linalg.norm(other.theta_))


def test_base_weights_of_a_frame_read_lazily(files):
    table = frames.read_parquet(files)
    expected = drr.rake(ROWS, TARGET, base_weights=WEIGHTS)
    assert_same(drr.rake(table[list("abcdef")], TARGET, base_weights=table["weight"]), expected)


def test_labels_in_other_partitions_say_what_to_do(files):
    table = frames.read_parquet(files)
    with pytest.raises(
        ValueError, match=r"y has 3 partitions, but the rows have \d+; .*columns of one frame"
    ):
        RakingDual().fit(table.drop(columns=["fraud"]), table["fraud"].repartition(npartitions=3))


def test_partitions_with_one_class_only():
    order = np.argsort(Y)
    feature_map = RakingFeatureMap(8, random_state=0)
    rows, labels = array.from_array(ROWS[order], chunks=(2000, 6)), array.from_array(Y[order], chunks=2000)
    one = RakingDual(feature_map).fit(rows, labels)
    other = RakingDual(feature_map).fit(ROWS[order], Y[order])
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=0, atol=1e-9 * np.linalg.norm(other.theta_))


def test_categories_that_differ_between_partitions_are_refused():
    parts = [FRAME.iloc[:4000], FRAME.iloc[4000:].assign(kind=pd.Categorical(["other"] * 4000))]
    labels = [dask.delayed(Y[:4000]), dask.delayed(Y[4000:])]
    with pytest.raises(ValueError, match="the categories of column 'kind' differ between blocks 0 and 1"):
        RakingDual().fit([dask.delayed(part) for part in parts], labels)


SPLIT = (np.flatnonzero(np.arange(N) % 3), np.arange(0, N, 3))


def numeric_frame():
    return FRAME_OF_ALL.drop(columns=["kind", "weight"])


def fitted_in_memory(rows, y, weights=None):
    base = LogisticRegression().fit(rows[::2], y[::2])
    dual = RakingDual(RakingFeatureMap(8, random_state=0))
    return base, dual, DRRClassifier(base, dual=dual, holdout=SPLIT, random_state=1).fit(rows, y, weights)


CLASSIFIED = {
    "frame and name": lambda table: (table, "fraud"),
    "frame and series": lambda table: (table.drop(columns=["fraud"]), table["fraud"]),
    "frame and labels in memory": lambda table: (table.drop(columns=["fraud"]), Y),
    "array": lambda table: (COLLECTIONS["array"](), array.from_array(Y, chunks=(CHUNKS,))),
    "delayed blocks": lambda table: (delayed_blocks(), Y),
}


@pytest.mark.parametrize("kind", CLASSIFIED)
def test_classifier_with_a_fitted_base(kind, tmp_path):
    pytest.importorskip("pyarrow")
    for k, rows in enumerate(np.array_split(np.arange(N), 5)):
        numeric_frame().iloc[rows].to_parquet(tmp_path / f"{k}.parquet")
    table = frames.read_parquet(tmp_path)
    in_frames = kind.startswith("frame")
    memory = numeric_frame().drop(columns=["fraud"]) if in_frames else ROWS
    base, dual, expected = fitted_in_memory(memory, Y)
    X, y = CLASSIFIED[kind](table)
    model = DRRClassifier(base, dual=dual, holdout=SPLIT, random_state=1).fit(X, y)
    assert model.threshold_ == pytest.approx(expected.threshold_, abs=1e-7)
    assert model.gain_.gain == pytest.approx(expected.gain_.gain, abs=1e-9)
    np.testing.assert_array_equal(model.fitted_rows_, expected.fitted_rows_)
    assert hasattr(model, "feature_names_in_") == in_frames

    # Scores are lazy, and have the partitions of the rows.
    rows = table.drop(columns=["fraud"]) if in_frames else X
    for name in ("predict_proba", "predict", "fused_score", "decision_function", "base_score", "dual_score"):
        scored = getattr(model, name)(rows)
        parts = scored if isinstance(scored, list) else [scored]
        assert all(hasattr(part, "dask") for part in parts)
        found = np.concatenate([np.asarray(part) for part in dask.compute(*parts)])
        value = getattr(expected, name)(memory)
        np.testing.assert_allclose(found, value, atol=1e-7, err_msg=name)
        assert found.dtype == value.dtype


def test_scores_of_a_frame_keep_its_index_and_name_the_classes():
    _, _, model = fitted_in_memory(FRAME_OF_ALL[list("abcdef")], Y)
    shuffled = FRAME_OF_ALL[list("abcdef")].set_index(np.arange(N) * 3)
    table = frames.from_pandas(shuffled, npartitions=3)
    probabilities = model.predict_proba(table)
    assert probabilities.columns.tolist() == [False, True]
    assert probabilities.npartitions == table.npartitions
    computed = probabilities.compute()
    np.testing.assert_array_equal(computed.index, shuffled.index)
    np.testing.assert_allclose(
        computed, model.predict_proba(shuffled), rtol=1e-12
    )  # the base rounds by batch
    with pytest.raises(TypeError, match="base_score cannot be given with a Dask collection"):
        model.predict_proba(table, base_score=np.zeros(N))


def test_classifier_with_weights_and_an_empty_partition():
    base, dual, expected = fitted_in_memory(ROWS, Y, WEIGHTS)
    weights, y = (array.from_array(each, chunks=(CHUNKS,)) for each in (WEIGHTS, Y))
    model = DRRClassifier(base, dual=dual, holdout=SPLIT, random_state=1).fit(
        COLLECTIONS["array"](), y, sample_weight=weights
    )
    assert model.threshold_ == pytest.approx(expected.threshold_, abs=1e-7)


def test_classifier_of_three_classes():
    y = np.where(Y, "rare", np.where(ROWS[:, 0] > 0.3, "left", "right"))
    base = LogisticRegression().fit(ROWS, y)
    dual = RakingDual(RakingFeatureMap(8, random_state=0))
    table = frames.from_pandas(FRAME[list("abcdef")], npartitions=3)
    one = DRRClassifier(base, dual=dual, holdout=SPLIT).fit(table.to_dask_array(lengths=True), y)
    other = DRRClassifier(base, dual=dual, holdout=SPLIT).fit(ROWS, y)
    rows = array.from_array(ROWS, chunks=(CHUNKS, 6))
    np.testing.assert_allclose(one.dual_score(rows).compute(), other.dual_score(ROWS), atol=1e-7)
    np.testing.assert_allclose(one.predict_proba(rows).compute(), other.predict_proba(ROWS), atol=1e-7)
    assert one.predict(rows).compute().tolist() == other.predict(ROWS).tolist()


def test_classifier_from_scores_of_a_frame():
    table = frames.from_pandas(FRAME_OF_ALL.drop(columns=["weight"]), npartitions=3)
    dual = RakingDual(RakingFeatureMap(8, random_state=0))
    one = DRRClassifier.from_scores(ROWS[:, 0], table, "fraud", dual=dual, random_state=0, holdout=SPLIT)
    other = DRRClassifier.from_scores(ROWS[:, 0], FRAME, Y, dual=dual, random_state=0, holdout=SPLIT)
    assert one.threshold_ == pytest.approx(other.threshold_, abs=1e-7)


def test_classifier_on_workers():
    base, dual, expected = fitted_in_memory(numeric_frame().drop(columns=["fraud"]), Y)
    with two_workers():
        table = frames.from_pandas(numeric_frame(), npartitions=4)
        model = DRRClassifier(base, dual=dual, holdout=SPLIT, random_state=1).fit(table, "fraud")
        labels = model.predict(table.drop(columns=["fraud"])).compute()
        # What every pass needs is with the workers: its graph has no more than the name of it.
        (kept,) = keep_with_workers([np.zeros(1000)])
        assert [type(value).__name__ for value in dict(kept.dask).values()] == ["Future"]
    assert model.threshold_ == pytest.approx(expected.threshold_, abs=1e-7)
    np.testing.assert_array_equal(labels, expected.predict(numeric_frame().drop(columns=["fraud"])))


class ClassMeans(ClassifierMixin, BaseEstimator):
    """Scores by the nearer class mean, which each partition adds to: rows are never together."""

    def fit(self, X, y, sample_weight=None):
        parts = [[X], [y], [np.ones(len(y)) if sample_weight is None else sample_weight]]
        if hasattr(X, "dask"):
            vectors = [y, *([] if sample_weight is None else [sample_weight])]
            parts = [np.ravel(each.to_delayed()) for each in (X, *vectors)]
            parts += [[None] * len(parts[0])] * (3 - len(parts))
        sums = dask.compute(*[dask.delayed(self._sums)(*each) for each in zip(*parts, strict=True)])
        self.means_ = np.sum([each[0] for each in sums], 0) / np.sum([each[1] for each in sums], 0)[:, None]
        self.n_parts_, self.classes_ = len(sums), np.arange(2)
        return self

    def _sums(self, rows, y, weights):
        masks = (np.asarray(y) == np.arange(2)[:, None]) * (1.0 if weights is None else np.asarray(weights))
        return masks @ np.asarray(rows), masks.sum(axis=1)

    def predict_proba(self, X):
        assert not hasattr(X, "dask")
        distances = [((np.asarray(X) - mean) ** 2).sum(axis=1) for mean in self.means_]
        return np.stack([1 / (1 + np.exp(distances[k] - distances[1 - k])) for k in range(2)], axis=1)


DistributedMeans = type("DistributedMeans", (ClassMeans,), {"__module__": "dask_ml.imitation"})


@pytest.mark.parametrize("kind", CLASSIFIED)
@pytest.mark.parametrize("holdout", [SPLIT, "auto"], ids=["pair", "auto"])
def test_classifier_with_a_base_that_is_fitted_where_the_rows_are(kind, holdout):
    table = frames.from_pandas(numeric_frame(), npartitions=5)
    in_frames = kind.startswith("frame")
    memory = numeric_frame().drop(columns=["fraud"]) if in_frames else ROWS
    X, y = CLASSIFIED[kind](table)
    options = {"dual": RakingDual(RakingFeatureMap(8, random_state=0)), "random_state": 1}
    model = DRRClassifier(DistributedMeans(), holdout=holdout, **options).fit(X, y)
    assert model.estimator_.estimator_.n_parts_ > 1
    fitted = model.fitted_rows_ if holdout is SPLIT else np.arange(N)
    y_memory = Y.astype(int)
    alone = ClassMeans().fit(np.asarray(memory)[fitted], y_memory[fitted])
    np.testing.assert_allclose(model.estimator_.estimator_.means_, alone.means_, rtol=1e-12)
    if holdout is SPLIT:
        expected = DRRClassifier(ClassMeans(), holdout=SPLIT, **options).fit(memory, y_memory)
        assert model.threshold_ == pytest.approx(expected.threshold_, abs=1e-6)
        assert model.gain_.gain == pytest.approx(expected.gain_.gain, abs=1e-9)
    rows = table.drop(columns=["fraud"]) if in_frames else X
    scored = model.fused_score(rows)
    parts = scored if isinstance(scored, list) else [scored]
    assert all(hasattr(part, "dask") for part in parts)
    found = np.concatenate([np.asarray(part) for part in dask.compute(*parts)])
    np.testing.assert_allclose(found, model.fused_score(memory), rtol=0, atol=1e-9)


def test_weights_reach_a_base_that_is_fitted_where_the_rows_are():
    table = frames.from_pandas(FRAME_OF_ALL.drop(columns=["kind"]), npartitions=4)
    rows, weights = table.drop(columns=["fraud", "weight"]), table["weight"]
    options = {"dual": RakingDual(RakingFeatureMap(4, random_state=0)), "holdout": SPLIT}
    model = DRRClassifier(DistributedMeans(), **options).fit(rows, table["fraud"], weights)
    fit, _ = SPLIT
    alone = ClassMeans().fit(ROWS[fit], Y[fit], WEIGHTS[fit])
    np.testing.assert_allclose(model.estimator_.estimator_.means_, alone.means_, rtol=1e-12)


def boosted_on_dask(package):
    module = pytest.importorskip(package)
    if package == "xgboost":
        return importlib.import_module("xgboost.dask").DaskXGBClassifier(n_estimators=20, random_state=0)
    return module.DaskLGBMClassifier(n_estimators=20, verbose=-1, random_state=0)


def one_worker():
    """A cluster of one worker in this process."""
    distributed = pytest.importorskip("distributed")
    return distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None)


@pytest.mark.parametrize("package", ["xgboost", "lightgbm"])
@pytest.mark.filterwarnings("ignore")  # of the packages and their servers
def test_classifier_with_a_boosted_base_on_a_cluster(package):
    base = boosted_on_dask(package)
    table = frames.from_pandas(numeric_frame().assign(fraud=np.where(Y, "yes", "no")), npartitions=4)
    rows = table.drop(columns=["fraud"])
    with one_worker():
        model = DRRClassifier(base, dual=RakingDual(RakingFeatureMap(8, random_state=0)), holdout=SPLIT)
        model.fit(table, "fraud")
        lazy = model.predict_proba(rows)
        assert lazy.npartitions == rows.npartitions
        scores = lazy.compute()
    memory = numeric_frame().drop(columns=["fraud"])
    np.testing.assert_allclose(scores, model.predict_proba(memory), atol=1e-6)
    assert roc_auc_score(Y, scores["yes"]) > 0.9
    assert 0.5 < roc_auc_score(Y, model.base_score(memory)) <= 1


def test_base_that_is_not_fitted_says_what_to_do():
    with pytest.raises(TypeError, match=r"LogisticRegression is not fitted yet.*Fit it first"):
        DRRClassifier(LogisticRegression(), random_state=0).fit(COLLECTIONS["array"](), Y)


def test_what_takes_no_dask_says_what_to_do():
    rows, fitted = COLLECTIONS["array"](), RakingFeatureMap(4, random_state=0).fit(ROWS)
    with pytest.raises(TypeError, match="RakingResampler copies rows and needs them in memory"):
        RakingResampler().fit(rows, Y)
    with pytest.raises(TypeError, match=r"DRRClassifier does not take Dask collections here.*X\.to_parquet"):
        fitted_in_memory(ROWS, Y)[2].scores(rows)
    with pytest.raises(TypeError, match="pass it to rake or RakingDual as it is"):
        drr.open_rows(rows)
    with pytest.raises(TypeError, match=r"transform does not take Dask collections.*map_blocks"):
        fitted.transform(rows)
    chunks = (rows.chunks[0], len(fitted.get_feature_names_out()))  # what the message advises
    features = rows.map_blocks(fitted.transform, dtype=fitted.dtype, chunks=chunks)
    np.testing.assert_array_equal(features[:3001].compute(), fitted.transform(ROWS[:3001]))


def test_label_columns_that_are_none():
    with pytest.raises(TypeError, match="y='fraud' names a column, but the rows have no column names"):
        RakingDual().fit(COLLECTIONS["array"](), "fraud")
    with pytest.raises(ValueError, match="y='fraud' is not a column of the Dask frame"):
        RakingDual().fit(COLLECTIONS["data frame"](), "fraud")


def test_nan_is_named_by_partition_and_row():
    rows = ROWS.copy()
    rows[3500, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in block 3, row 499 of the block, column 2"):
        drr.rake(array.from_array(rows, chunks=(CHUNKS, 6)), TARGET)


def test_missing_value_of_raw_rows_is_named_by_partition_and_row():
    holes = FRAME.copy()
    holes.loc[5000, "b"] = np.nan
    table = frames.from_pandas(holes.assign(fraud=Y), npartitions=4)
    with pytest.raises(ValueError, match=r"NaN at row 1000, column 'b'.*in block 2; rows are counted from"):
        RakingDual(RakingFeatureMap(8, missing="error", random_state=0)).fit(table, "fraud")


def test_array_of_one_dimension_is_refused():
    with pytest.raises(ValueError, match="rows must have two dimensions"):
        drr.rake(array.from_array(ROWS[:, 0], chunks=1000), np.zeros(1))


@contextlib.contextmanager
def two_workers():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 10, "scheduler": "dask.distributed"}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


@pytest.mark.parametrize("kind", ["files", "labels in memory", "selected rows"])
@pytest.mark.parametrize("files", [4], indirect=True)
def test_a_worker_lost_between_passes_changes_no_digit(files, kind, monkeypatch):
    """What the lost worker had read or was sent, the other reads again or gets again."""
    feature_map = RakingFeatureMap(4, random_state=0)
    X, y = frames.read_parquet(files).drop(columns=["weight"]), "fraud"
    if kind == "labels in memory":
        X, y = COLLECTIONS["array"](), Y
    elif kind == "selected rows":
        X, labels, _ = gather_labels(X, y, None)
        X, y = X.take(SPLIT[0]), labels[SPLIT[0]]
    expected = RakingDual(feature_map).fit(X, y)
    killed = []
    with two_workers() as (cluster, client):
        compute = dask.compute

        def compute_and_kill(*collections, **options):
            answers = compute(*collections, **options)
            killed.append(next(iter(cluster.workers.values())))
            if len(killed) == 5:
                os.kill(killed[-1].process.pid, KILL)
            return answers

        monkeypatch.setattr(dask, "compute", compute_and_kill)
        dual = RakingDual(feature_map).fit(X, y)
        left = client.scheduler_info()["workers"]
    assert len(killed) > 5
    assert killed[4].worker_address not in left
    np.testing.assert_array_equal(dual.theta_, expected.theta_)


def test_a_lost_worker_changes_no_digit():
    """A worker is killed between two passes, with the partitions that it alone holds."""
    distributed = pytest.importorskip("distributed")
    blocks = [dask.delayed(part) for part in np.array_split(ROWS, 6)]
    expected = drr.rake(blocks, TARGET)
    with two_workers() as (cluster, client):
        kept = client.persist(blocks)
        distributed.wait(kept)
        killed = []

        def kill_once(progress):
            if progress["stage"] == "dual" and not killed:
                nanny = next(iter(cluster.workers.values()))
                assert client.has_what()[nanny.worker_address]
                killed.append(nanny.worker_address)
                os.kill(nanny.process.pid, KILL)

        raking = drr.rake(kept, TARGET, callback=kill_once)
        left = client.scheduler_info()["workers"]
    assert len(killed) == 1
    assert killed[0] not in left
    np.testing.assert_array_equal(raking.dual.theta, expected.dual.theta)
    assert raking.floor.value == expected.floor.value
