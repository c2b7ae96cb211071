"""Model files: what is saved comes back, and nothing else gets in."""

from __future__ import annotations

import errno
import io
import json
import zipfile

import joblib
import numpy as np
import pandas
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import fbeta_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

import drr
from drr._files import written_whole

pytest.importorskip("skops")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) < 30, "rare", "common")
    X = pandas.DataFrame(rng.normal(size=(300, 3)) + (y == "rare")[:, None], columns=["a", "b", "c"])
    return X, y


@pytest.fixture(scope="module")
def model(rows):
    return drr.DRRClassifier(LogisticRegression(), random_state=0).fit(*rows)


@pytest.fixture
def path(model, tmp_path):
    drr.save(model, tmp_path / "model.skops", about={"target": "y"})
    return tmp_path / "model.skops"


@pytest.mark.parametrize(
    "classifier",
    [
        drr.DRRClassifier(RandomForestClassifier(5, random_state=0), random_state=0),
        drr.DRRClassifier(
            HistGradientBoostingClassifier(max_iter=5),
            calibration="isotonic",
            threshold=drr.RecallAtLeast(0.8),
        ),
        drr.DRRClassifier(LogisticRegression(), holdout=3, fusion_weight="auto", random_state=0),
        drr.DRRClassifier(
            LogisticRegression(),
            holdout=StratifiedKFold(3),
            threshold=make_scorer(fbeta_score, beta=2),
            random_state=0,
        ),
        drr.DRRClassifier(
            LogisticRegression(),
            holdout=RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
            threshold=matthews_corrcoef,
            random_state=0,
        ),
        drr.DRRClassifier(
            GridSearchCV(
                LogisticRegression(), {"C": [0.1, 1.0]}, cv=StratifiedShuffleSplit(2, random_state=0)
            ),
            random_state=0,
        ),
    ],
    ids=["forest", "boosting", "logistic", "splitter and scorer", "repeated splitter and metric", "search"],
)
def test_a_classifier_comes_back_the_same(classifier, rows, tmp_path):
    X, y = rows
    classifier.fit(X, y)
    _ = classifier.gain_, classifier.separation_  # cached results are saved as well
    drr.save(classifier, tmp_path / "model.skops")
    loaded = drr.load(tmp_path / "model.skops")
    assert np.array_equal(loaded.predict_proba(X), classifier.predict_proba(X))
    assert np.array_equal(loaded.predict(X), classifier.predict(X))
    assert loaded.dual_.floor_.status is classifier.dual_.floor_.status
    assert loaded.gain_ == classifier.gain_


def test_duals_and_feature_maps_come_back_the_same(rows, tmp_path):
    X, y = rows
    dual = drr.RakingDual(random_state=0).fit(X, y)
    for each, output in ((dual, "score_samples"), (dual.feature_map_, "transform")):
        drr.save(each, tmp_path / "part.skops")
        loaded = drr.load(tmp_path / "part.skops")
        assert np.array_equal(getattr(loaded, output)(X), getattr(each, output)(X))


def test_resamplers_come_back_the_same(rows, tmp_path):
    sampler = drr.RakingResampler(random_state=np.random.RandomState(0))
    sampler.fit_resample(*rows)
    drr.save(sampler, tmp_path / "sampler.skops")
    loaded = drr.load(tmp_path / "sampler.skops")
    assert loaded.sampling_strategy_ == sampler.sampling_strategy_
    assert np.array_equal(loaded.sample_indices_, sampler.sample_indices_)
    assert np.array_equal(loaded.dual_.weights_, sampler.dual_.weights_)
    assert len(loaded.fit_resample(*rows)[0]) == 300


def test_joblib_works_too(model, rows, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib")
    assert np.array_equal(loaded.fused_score(rows[0]), model.fused_score(rows[0]))


def test_the_note_says_what_wrote_the_file(path):
    note = drr.read_note(path)
    assert note.about == {"target": "y"}
    assert note.versions["drr"] == drr.__version__
    assert {"python", "numpy", "scikit-learn"} <= set(note.versions)


def test_a_failed_save_leaves_the_old_file(path, tmp_path, rows):
    before = path.read_bytes()
    with pytest.raises(TypeError):
        drr.save(drr.load(path), path, about={"unserialisable": object()})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def rewritten(path, changes):
    """The same archive with some members replaced."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    other = path.with_name("other.skops")
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in (members | changes).items():
            if content is not None:
                archive.writestr(name, content)
    return other


def test_a_full_disk_is_told_with_the_name_of_the_file(path):
    def fill_disk():
        with written_whole(path) as draft:
            draft.write_text("half of it")
            raise OSError(errno.ENOSPC, "No space left on device")

    before = path.read_bytes()
    with pytest.raises(OSError, match=r"model\.skops"):
        fill_disk()
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["model.skops"]


@pytest.mark.parametrize(
    ("base", "field", "number"),
    [
        (RandomForestClassifier(3, random_state=0), "left_child", 10**6),
        (RandomForestClassifier(3, random_state=0), "right_child", 0),
        (RandomForestClassifier(3, random_state=0), "feature", 10**6),
        (HistGradientBoostingClassifier(max_iter=3), "left", 10**6),
        (HistGradientBoostingClassifier(max_iter=3), "right", 0),
        (HistGradientBoostingClassifier(max_iter=3), "feature_idx", 10**6),
    ],
)
def test_trees_that_lead_out_of_themselves_are_refused(base, field, number, rows, tmp_path):
    """scikit-learn follows such a node out of its memory, or in a circle for ever."""
    path = tmp_path / "model.skops"
    drr.save(drr.DRRClassifier(base, random_state=0).fit(*rows), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if name.endswith(".npy"):
                nodes = np.load(io.BytesIO(content))
                if field in (nodes.dtype.names or ()):
                    nodes[field][0] = number
                    file = io.BytesIO()
                    np.save(file, nodes)
                    content = file.getvalue()
            archive.writestr(name, content)
    with pytest.raises(drr.ModelFileError, match="tree"):
        drr.load(path)


def test_a_newer_format_is_refused_by_name(path):
    note = {"format": 99, "versions": {"drr": "7.0"}, "something": "new"}
    other = rewritten(path, {"drr.json": json.dumps(note)})
    with pytest.raises(drr.ModelFileError, match=r"drr 7\.0 in format 99.*pip install --upgrade"):
        drr.load(other)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_files_are_refused(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(drr.ModelFileError, match="not a model file or is damaged"):
        drr.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"schema.json": "{"},
        {"schema.json": "[]"},
        {"schema.json": "{}"},
        {"schema.json": None},
        {"drr.json": "7"},
        {"drr.json": "{"},
        {"drr.json": '{"format": 1}'},
        {"drr.json": '{"format": "1", "created": "", "versions": {}}'},
        {"drr.json": '{"format": 1, "created": "", "versions": []}'},
    ],
    ids=str,
)
def test_rewritten_files_are_refused(path, changes):
    with pytest.raises(drr.ModelFileError, match="damaged") as caught:
        drr.load(rewritten(path, changes))
    assert "\n" not in str(caught.value)


def test_arrays_that_hold_pickles_are_refused(path):
    with zipfile.ZipFile(path) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
    pickled = (
        b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(128)
        + b"\x80\x04."
    )
    with pytest.raises(drr.ModelFileError):
        drr.load(rewritten(path, dict.fromkeys(arrays, pickled)))


def test_a_function_in_the_place_of_a_generator_is_refused(rows, tmp_path):
    """skops before 0.15 would call it."""
    path = tmp_path / "model.skops"
    drr.save(drr.DRRClassifier(HistGradientBoostingClassifier(max_iter=2), random_state=0).fit(*rows), path)
    with zipfile.ZipFile(path) as archive:
        schema = archive.read("schema.json").decode()
    assert "PCG64" in schema
    with pytest.raises(drr.ModelFileError, match=r"not trusted: numpy\.random\.seed;"):
        drr.load(rewritten(path, {"schema.json": schema.replace("PCG64", "seed")}))


def test_files_of_others_are_refused(rows, path, tmp_path):
    import skops.io

    skops.io.dump(LogisticRegression().fit(*rows), tmp_path / "foreign.skops")
    with pytest.raises(drr.ModelFileError, match="not saved by drr"):
        drr.load(tmp_path / "foreign.skops")
    with pytest.raises(FileNotFoundError):
        drr.load(tmp_path / "absent.skops")
    skops.io.dump({"no": "estimator"}, tmp_path / "dict.skops")
    with zipfile.ZipFile(path) as ours, zipfile.ZipFile(tmp_path / "dict.skops", "a") as foreign:
        foreign.writestr("drr.json", ours.read("drr.json"))
    with pytest.raises(drr.ModelFileError, match="holds a dict"):
        drr.load(tmp_path / "dict.skops")


@pytest.mark.parametrize("model", [{"no": "estimator"}, LogisticRegression()], ids=["dict", "base alone"])
def test_what_could_not_be_loaded_is_not_saved(model, tmp_path):
    with pytest.raises(TypeError, match=f"got a {type(model).__name__}"):
        drr.save(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


class Stranger(Perceptron):
    """A classifier from outside drr and scikit-learn."""


def test_types_of_others_need_to_be_named(rows, tmp_path, monkeypatch):
    module = type("module", (), {"Stranger": Stranger})
    monkeypatch.setitem(__import__("sys").modules, "stranger_module", module)
    monkeypatch.setattr(Stranger, "__module__", "stranger_module")
    model = drr.DRRClassifier(Stranger(), random_state=0).fit(*rows)
    with pytest.warns(UserWarning, match=r"pass trusted=\['stranger_module\.Stranger'\] there"):
        drr.save(model, tmp_path / "model.skops")
    with pytest.raises(drr.ModelFileError, match=r"not trusted: stranger_module\.Stranger;"):
        drr.load(tmp_path / "model.skops")
    for trusted in ("stranger_module", "stranger_module.Stranger"):
        assert isinstance(drr.load(tmp_path / "model.skops", trusted=[trusted]).estimator_, Stranger)


def test_what_has_no_name_is_not_saved(path):
    before = path.read_bytes()

    def metric(y, predicted):
        return 0.0

    class Hidden(GroupKFold):
        pass

    for parameters, name in (
        ({"threshold": lambda y, predicted: 0.0}, "<lambda>"),
        ({"threshold": metric}, "metric"),
        ({"holdout": Hidden(3)}, "Hidden"),
    ):
        with pytest.raises(TypeError, match=rf"holds .*\.{name}, which cannot be loaded again"):
            drr.save(drr.DRRClassifier(**parameters), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["train_test_split", "check_cv", "BaseCrossValidator"])
def test_a_name_beside_the_splitters_is_not_enough(tmp_path, name):
    drr.save(drr.DRRClassifier(holdout=StratifiedKFold(3)), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        schema = archive.read("schema.json").decode()
    crafted = schema.replace('"StratifiedKFold"', f'"{name}"')
    assert crafted != schema
    with pytest.raises(drr.ModelFileError, match=rf"not trusted: sklearn\.model_selection\._split\.{name}"):
        drr.load(rewritten(tmp_path / "model.skops", {"schema.json": crafted}))


def test_a_name_within_drr_is_not_enough(path):
    with zipfile.ZipFile(path) as archive:
        schema = archive.read("schema.json").decode()
    crafted = schema.replace('"DRRClassifier"', '"_Labels"').replace('"drr.classifier"', '"drr.decision"')
    assert crafted != schema
    with pytest.raises(drr.ModelFileError, match=r"not trusted: drr\.decision\._Labels"):
        drr.load(rewritten(path, {"schema.json": crafted}))


def test_the_list_of_trusted_types_serves_other_readers_of_skops_files(tmp_path):
    io = pytest.importorskip("skops.io")
    rng = np.random.default_rng(0)
    y = np.arange(200) % 8 == 0
    X = rng.normal(size=(200, 3)) + y[:, None]
    model = drr.DRRClassifier(random_state=0).fit(X, y)
    io.dump(model, tmp_path / "model.skops")
    named = io.get_untrusted_types(file=tmp_path / "model.skops")
    assert set(named) <= drr.persistence.TRUSTED_TYPES
    restored = io.load(tmp_path / "model.skops", trusted=sorted(drr.persistence.TRUSTED_TYPES))
    np.testing.assert_array_equal(restored.fused_score(X), model.fused_score(X))


@pytest.mark.filterwarnings("ignore")  # MLflow warns of itself in many ways
def test_mlflow_logs_a_model_with_that_list(tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn", exc_type=ImportError)
    rng = np.random.default_rng(0)
    y = np.arange(200) % 8 == 0
    X = rng.normal(size=(200, 3)) + y[:, None]
    model = drr.DRRClassifier(random_state=0).fit(X, y)
    mlflow.save_model(
        model, str(tmp_path / "model"), skops_trusted_types=sorted(drr.persistence.TRUSTED_TYPES)
    )
    np.testing.assert_array_equal(mlflow.load_model(str(tmp_path / "model")).predict(X), model.predict(X))
