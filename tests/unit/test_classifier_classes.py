"""DRRClassifier with three classes or more: each of them against the rest, and one decision."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from drr import DRRClassifier, RakingDual, RakingFeatureMap, RecallAtLeast
from drr.calibration import IsotonicCalibration, SigmoidCalibration
from drr.composition.multiclass import class_decision, class_probabilities
from drr.decision import choose_cut


@pytest.fixture
def four_classes(rng):
    y = np.repeat(["ash", "elm", "fir", "oak"], [200, 60, 30, 12])
    centres = {"ash": 0.0, "elm": 1.5, "fir": 3.0, "oak": -2.5}
    X = rng.normal(size=(len(y), 3)) + np.array([centres[label] for label in y])[:, None]
    return X, y


@pytest.mark.parametrize("base", [GaussianNB(), SVC()], ids=["probabilities", "margins"])
@pytest.mark.parametrize("holdout", [0.3, 3])
def test_every_class_against_the_rest(four_classes, base, holdout):
    X, y = four_classes
    classifier = DRRClassifier(base, holdout=holdout, random_state=0).fit(X, y)
    probabilities = classifier.predict_proba(X)
    assert probabilities.shape == (len(y), 4)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    decision = classifier.decision_function(X)
    np.testing.assert_array_equal(classifier.predict(X), classifier.classes_[decision.argmax(axis=1)])
    assert (classifier.predict(X) == y).mean() > 0.6
    assert len(classifier.dual_) == len(classifier.threshold_) == len(classifier.fusion_weight_) == 4
    ratios = np.stack([dual.log_density_ratio(X) for dual in classifier.dual_], axis=1)
    np.testing.assert_allclose(classifier.dual_score(X), ratios, rtol=1e-9, atol=1e-9)
    maps = {id(dual.feature_map_.estimator) for dual in classifier.dual_[1:]}
    assert maps == {id(classifier.dual_[0].feature_map_)}


def test_each_class_is_the_binary_problem_with_the_same_base_scores(four_classes):
    X, y = four_classes
    scores = GaussianNB().fit(X, y).predict_proba(X)
    options = {
        "dual": RakingDual(FrozenEstimator(RakingFeatureMap(random_state=0).fit(X))),
        "holdout": tuple(train_test_split(np.arange(len(y)), stratify=y, random_state=0)),
    }
    options["calibration"] = None  # with probabilities all are cut at one half
    together = DRRClassifier.from_scores(scores, X, y, **options)
    for k, label in enumerate(together.classes_):
        alone = DRRClassifier.from_scores(scores[:, k], X, y == label, pos_label=True, **options)
        np.testing.assert_allclose(
            together.fused_score(X, base_score=scores)[:, k],
            alone.fused_score(X, base_score=scores[:, k]),
            atol=1e-6,
        )
        assert together.threshold_[k] == pytest.approx(alone.threshold_, abs=1e-6)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_the_most_probable_of_several_classes_is_predicted(four_classes, calibration):
    X, y = four_classes
    classifier = DRRClassifier(GaussianNB(), calibration=calibration, random_state=0).fit(X, y)
    most_probable = classifier.classes_[classifier.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(classifier.predict(X), most_probable)
    np.testing.assert_array_equal(
        classifier.decision_function(X).argmax(axis=1),
        np.searchsorted(classifier.classes_, classifier.predict(X)),
    )


def test_classes_can_have_cuts_of_their_own(four_classes):
    X, y = four_classes
    options = {"holdout": 3, "random_state": 0}
    plain = DRRClassifier(GaussianNB(), **options).fit(X, y)
    eager = DRRClassifier(GaussianNB(), threshold={"oak": RecallAtLeast(1.0)}, **options).fit(X, y)
    oak = eager.rescorings_[3]
    assert (oak.held_out_fused > oak.cut)[oak.held_out.positive].all()
    assert eager.threshold_[:3] == plain.threshold_[:3]
    recalls = [(model.predict(X)[y == "oak"] == "oak").mean() for model in (plain, eager)]
    assert recalls[1] >= recalls[0]
    without = DRRClassifier(GaussianNB(), calibration=None, **options).fit(X, y)
    cuts = [choose_cut(each.held_out_fused, each.held_out.positive) for each in without.rescorings_]
    assert without.threshold_ == cuts
    for threshold, calibration, message in (
        ({"yew": 0.0}, "sigmoid", "threshold names the class 'yew'"),
        ({"oak": 0.0}, None, "must name a rule for every class"),
    ):
        with pytest.raises(ValueError, match=message):
            DRRClassifier(GaussianNB(), threshold=threshold, calibration=calibration).fit(X, y)
    with pytest.raises(ValueError, match="names classes, which is for three or more"):
        DRRClassifier(GaussianNB(), threshold={True: "f1"}).fit(X, y == "oak")


def test_three_classes_take_no_pos_label(four_classes):
    X, y = four_classes
    with pytest.raises(ValueError, match="pos_label='oak' is for two classes, but y has 4"):
        DRRClassifier(GaussianNB(), pos_label="oak").fit(X, y)


def test_pairs_of_classes_are_not_taken_for_classes(rng):
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 2)) + y[:, None]
    pairs = SVC(decision_function_shape="ovo")
    for base in (pairs, make_pipeline(StandardScaler(), pairs)):
        with pytest.raises(ValueError, match="compares pairs of classes"):
            DRRClassifier(base, random_state=0).fit(X, y)
    assert DRRClassifier(OneVsRestClassifier(pairs), random_state=0).fit(X, y).base_score(X).shape[1] == 3


def test_without_a_calibration_of_every_class_all_are_compared_in_standard_deviations():
    maps = IsotonicCalibration(np.array([0.0, 4.0]), np.array([0.0, 1.0])), None, SigmoidCalibration(3.0, 0.0)
    rescorings = [
        SimpleNamespace(cut=cut, calibration=each) for cut, each in zip([1.0, 0.5, 0.0], maps, strict=True)
    ]
    np.testing.assert_array_equal(class_decision(rescorings, np.array([[2.0, 2.0, 2.0]])), [[1.0, 1.5, 2.0]])


def test_probabilities_that_are_all_zero_become_equal():
    calibration = IsotonicCalibration(np.array([0.0, 1.0]), np.array([0.0, 0.5]))
    rescorings = [SimpleNamespace(calibration=calibration)] * 3
    fused = np.array([[-1.0, -2.0, 0.0], [1.0, 1.0, -1.0]])
    np.testing.assert_allclose(
        class_probabilities(rescorings, fused), [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0.0]]
    )
