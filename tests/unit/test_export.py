"""The exported graph, run by onnxruntime, against Python."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from drr import DRRClassifier, RakingDual, RakingFeatureMap
from drr.export import to_onnx

runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("skl2onnx")
# skl2onnx and onnx announce removals in libraries that are not ours to mend.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def infer(classifier, feed):
    session = runtime.InferenceSession(
        to_onnx(classifier).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, (value[:, 0] for value in session.run(None, feed)), strict=True))


def feed_of(frame):
    return {
        str(name): frame[[name]].to_numpy(dtype=np.float64 if frame[name].dtype.kind == "f" else object)
        for name in frame
    }


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(400) % 9 == 0, "rare", "common")
    # Values that single precision holds exactly: trees compare in single precision.
    numbers = (rng.normal(size=(400, 3)) + (y == "rare")[:, None]).astype(np.float32).astype(np.float64)
    frame = pandas.DataFrame(numbers, columns=["a", "b", "c"])
    frame["colour"] = rng.choice(["red", "green", "blue"], 400).astype(object)
    return frame, y


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        RandomForestClassifier(20, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=["logistic", "forest", "pipeline"],
)
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", None])
def test_the_graph_equals_python_on_matrices(rows, base, calibration):
    X, y = rows[0][["a", "b", "c"]].to_numpy(), rows[1]
    classifier = DRRClassifier(base, calibration=calibration, threshold="f1", random_state=0).fit(X, y)
    found = infer(classifier, {"X": X})
    np.testing.assert_allclose(found["score"], classifier.fused_score(X), rtol=0, atol=1e-6)
    assert found["label"].tolist() == classifier.predict(X).tolist()
    assert ("probability" in found) == (calibration is not None)
    if calibration is not None:
        np.testing.assert_allclose(found["probability"], classifier.predict_proba(X)[:, 1], rtol=0, atol=1e-6)


def test_the_graph_equals_python_on_columns_with_levels_and_missing_values(rows):
    frame, y = rows[0].copy(), rows[1] == "rare"
    dual = RakingDual(RakingFeatureMap(32, missing="impute", min_frequency=0.1, random_state=0))
    frame.loc[::11, "b"] = np.nan
    base = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["a", "c"]), (OneHotEncoder(handle_unknown="ignore"), ["colour"])
        ),
        LogisticRegression(),
    )
    classifier = DRRClassifier(base, dual=dual, random_state=0).fit(frame, y)
    new = frame.assign(
        colour=np.where(np.arange(len(frame)) % 7 == 0, "unseen", frame["colour"]).astype(object)
    )
    found = infer(classifier, feed_of(new))
    np.testing.assert_allclose(found["score"], classifier.fused_score(new), rtol=0, atol=1e-6)
    assert found["label"].astype(bool).tolist() == classifier.predict(new).tolist()


def test_given_scores_are_an_input(rows):
    frame, y = rows
    score = frame["a"].to_numpy()
    classifier = DRRClassifier.from_scores(score, frame, y, random_state=0)
    found = infer(classifier, feed_of(frame) | {"base_score": score[:, None]})
    np.testing.assert_allclose(
        found["score"], classifier.fused_score(frame, base_score=score), rtol=0, atol=1e-9
    )


def test_what_cannot_be_exported_is_refused(rows):
    X, y = rows[0][["a", "b", "c"]].to_numpy(), rows[1]
    with pytest.raises(ValueError, match="only bases with predict_proba"):
        to_onnx(DRRClassifier(LinearSVC(), random_state=0).fit(X, y))
    to_onnx(DRRClassifier(CalibratedClassifierCV(LinearSVC(), cv=2), random_state=0).fit(X, y))
    with pytest.raises(ValueError, match="two classes"):
        to_onnx(DRRClassifier(LogisticRegression(), random_state=0).fit(X, np.arange(len(y)) % 3))
    stranger = DRRClassifier(QuadraticDiscriminantAnalysis(), random_state=0).fit(X, y)
    stranger._models.base.__class__ = type("Unknown", (QuadraticDiscriminantAnalysis,), {})
    with pytest.raises(ValueError, match="cannot convert the base, a Unknown"):
        to_onnx(stranger)
    mapped = DRRClassifier(LogisticRegression(), dual=RakingDual(StandardScaler()), random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="StandardScaler"):
        to_onnx(mapped)


def boosted(package):
    """A boosted model of another package on rows that single precision cannot hold, and the rows."""
    module = pytest.importorskip(package)
    pytest.importorskip("onnxmltools")
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 12 == 0
    X = rng.normal(size=(2000, 4)) + y[:, None]
    if package == "xgboost":
        base = module.XGBClassifier(n_estimators=40, random_state=0)
    else:
        base = module.LGBMClassifier(n_estimators=40, verbose=-1, random_state=0)
    return base, X, y


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("package", ["xgboost", "lightgbm"])
def test_boosted_models_of_other_packages_give_the_same_scores(package):
    base, X, y = boosted(package)
    classifier = DRRClassifier(base, random_state=0).fit(X, np.where(y, "rare", "common"))
    found = infer(classifier, {"X": X})
    np.testing.assert_allclose(found["score"], classifier.fused_score(X), rtol=0, atol=1e-4)
    assert found["label"].tolist() == classifier.predict(X).tolist()
    to_onnx(classifier, X)


def test_trees_round_their_rows_as_in_python():
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 12 == 0
    X = (
        rng.normal(size=(3000, 3)) + y[:, None]
    )  # rows at the thresholds that they define, in double precision
    classifier = DRRClassifier(RandomForestClassifier(20, random_state=0), random_state=0).fit(X, y)
    found = infer(classifier, {"X": X})
    np.testing.assert_allclose(found["score"], classifier.fused_score(X), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "base",
    [
        AdaBoostClassifier(n_estimators=5, random_state=0),
        make_pipeline(SimpleImputer(), LogisticRegression()),
        LinearDiscriminantAnalysis(),
    ],
    ids=lambda base: type(base).__name__,
)
def test_a_graph_is_right_or_an_error(rows, base):
    X, y = rows[0][["a", "b", "c"]].to_numpy(), rows[1]
    classifier = DRRClassifier(base, random_state=0).fit(X, y)
    problem = ""
    try:
        found = infer(classifier, {"X": X})
        np.testing.assert_allclose(found["score"], classifier.fused_score(X), rtol=0, atol=1e-4)
    except ValueError as error:
        problem = str(error)
    assert not problem or "from_scores" in problem


def test_a_graph_with_other_scores_is_an_error_that_names_the_rows(rows, monkeypatch):
    X, y = rows[0][["a", "b", "c"]].to_numpy(), rows[1]
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    true = classifier.fused_score
    monkeypatch.setattr(classifier, "fused_score", lambda rows: true(rows) + (np.arange(len(rows)) == 7))
    with pytest.raises(
        ValueError, match=r"LogisticRegression gives other scores .* on 1 of 400 rows, first on row 7"
    ):
        to_onnx(classifier, X)
    with pytest.raises(ValueError, match="on 1 of 1000 generated rows, first on row 7"):
        to_onnx(classifier)
