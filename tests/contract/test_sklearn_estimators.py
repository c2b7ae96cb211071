"""The estimators against scikit-learn's own checks.

Two kinds of checks are expected to fail, as for scikit-learn's own estimators that split their rows at random or move
their cut: a row of weight two and two equal rows are not split alike, and a label need not be the more probable one.
"""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from drr import DRRClassifier, RakingDual, RakingFeatureMap, RakingResampler


def forest():
    return RandomForestClassifier(10, random_state=0)


def few_waves(**options):
    return RakingDual(RakingFeatureMap(8), **options)


# Kinds of bases, of hold-outs, of calibrations and of duals. A base that was fitted before cannot be among them: the
# checks bring rows of several widths.
CONFIGURATIONS = {
    "defaults": {},
    "logistic": {"estimator": LogisticRegression()},
    "logistic, isotonic": {"estimator": LogisticRegression(), "calibration": "isotonic"},
    "logistic, isotonic, fraction": {
        "estimator": LogisticRegression(),
        "calibration": "isotonic",
        "holdout": 0.3,
    },
    "logistic, platt, fraction": {"estimator": LogisticRegression(), "calibration": "platt", "holdout": 0.3},
    "logistic, three folds": {"estimator": LogisticRegression(), "holdout": 3, "fusion_weight": 0.5},
    "logistic, splitter": {
        "estimator": LogisticRegression(),
        "holdout": StratifiedKFold(3, shuffle=True, random_state=0),
    },
    "logistic, best weight": {"estimator": LogisticRegression(), "fusion_weight": "average_precision"},
    "logistic, linear dual": {
        "estimator": LogisticRegression(),
        "dual": RakingDual(RakingFeatureMap(0), eta=0.2),
    },
    "logistic, published dual": {"estimator": LogisticRegression(), "dual": few_waves(method="paper")},
    "logistic, effective rows": {"estimator": LogisticRegression(), "dual": few_waves(min_ess=0.5)},
    "machine": {"estimator": SVC()},
    "machine, isotonic": {"estimator": SVC(), "calibration": "isotonic", "holdout": 3},
    "forest": {"estimator": forest()},
    "forest, three folds": {"estimator": forest(), "holdout": 3},
    "bayes, fraction": {"estimator": GaussianNB(), "holdout": 0.5},
    "pipeline": {
        "estimator": make_pipeline(StandardScaler(), LogisticRegression()),
        "dual": few_waves(eta=0),
    },
    "tree": {"estimator": DecisionTreeClassifier(max_depth=3, random_state=0), "holdout": 3},
}

# The others take another minute: DRR_ALL_CHECKS=1 asks for them.
ALWAYS = {"defaults", "logistic, isotonic", "forest", "forest, three folds", "machine", "bayes, fraction"}
CHOSEN = [each for name, each in CONFIGURATIONS.items() if name in ALWAYS or "DRR_ALL_CHECKS" in os.environ]

ESTIMATORS = [
    RakingDual(),
    RakingResampler(),
    RakingDual(RakingFeatureMap(0), eta=0.2),
    # A label is here the more probable one, as one check wants it.
    *(DRRClassifier(**{"threshold": None, "random_state": 0} | each) for each in CHOSEN),
    DRRClassifier(LogisticRegression(), random_state=0),
    DRRClassifier(
        forest(), calibration=None, random_state=0
    ),  # its cut happens to give the more probable label
]


def random_split_checks(estimator):
    """What an estimator that splits its rows at random, or moves its cut, cannot pass.

    scikit-learn declares the same of its own: `TunedThresholdClassifierCV` and `FixedThresholdClassifier`.
    """
    if not isinstance(estimator, DRRClassifier):
        return {}
    reason = "a row of weight two is split otherwise than two equal rows"
    failed = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    if estimator.threshold is not None and estimator.calibration is not None:
        failed["check_classifiers_train"] = "the label is not the more probable one if the cut is moved"
    return failed


def listed(parametrization):
    """The same with its cases in a list: older releases hand pytest a generator, which it is going to refuse."""
    names, cases = parametrization.mark.args
    return pytest.mark.parametrize(names, list(cases), **parametrization.mark.kwargs)


# Checks fit on data chosen to be odd: constant, tiny, or with a class of one row. What is then warned of is right.
@pytest.mark.filterwarnings("ignore::UserWarning")
@listed(parametrize_with_checks(ESTIMATORS, expected_failed_checks=random_split_checks))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def imblearn_checks():
    try:
        from imblearn.utils.estimator_checks import parametrize_with_checks as parametrize
    except ImportError:
        return pytest.mark.skip(reason="imbalanced-learn is not installed")
    return listed(parametrize([RakingResampler(random_state=0)]))


@pytest.mark.filterwarnings("ignore::UserWarning")
@imblearn_checks()
def test_imbalanced_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def two_classes(rng):
    y = (np.arange(240) % 8 == 0).astype(int)
    return rng.normal(size=(240, 3)) + y[:, None], y


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Recorder(LogisticRegression):
    """A base that remembers the weights it was given."""

    def fit(self, X, y, sample_weight=None):
        self.given_ = sample_weight
        return super().fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize(
    "estimator",
    [
        DRRClassifier(LogisticRegression(), random_state=0),
        DRRClassifier(LogisticRegression(), holdout=3, random_state=0),
        make_pipeline(StandardScaler(), DRRClassifier(LogisticRegression(), random_state=0)),
        RakingDual(random_state=0),
        RakingFeatureMap(4, random_state=0),
        RakingResampler(random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_routing_with_nothing_to_route_changes_nothing(routing, two_classes, estimator):
    X, y = two_classes

    def values():
        fitted = clone(estimator)
        if isinstance(estimator, RakingResampler):
            return fitted.fit_resample(X, y)[0]
        fitted.fit(X, y)
        ask = {RakingDual: "score_samples", RakingFeatureMap: "transform"}.get(type(estimator))
        return getattr(fitted, ask or "decision_function")(X)

    routed = values()
    with sklearn.config_context(enable_metadata_routing=False):
        np.testing.assert_array_equal(routed, values())


def test_weights_are_routed_to_whoever_requests_them(routing, two_classes):
    X, y = two_classes
    weights = np.linspace(1, 2, 240)
    asking, refusing = (
        Recorder().set_fit_request(sample_weight=True),
        Recorder().set_fit_request(sample_weight=False),
    )
    both = DRRClassifier(asking, random_state=0).fit(X, y, sample_weight=weights)
    assert len(both.estimator_.given_) == 240  # the final base sees all rows
    dual_only = DRRClassifier(refusing, random_state=0).fit(X, y, sample_weight=weights)
    assert dual_only.estimator_.given_ is None
    np.testing.assert_array_equal(both.dual_score(X), dual_only.dual_score(X))
    plain = RakingDual(random_state=0).set_fit_request(sample_weight=False)
    base_only = DRRClassifier(asking, dual=plain, random_state=0).fit(X, y, sample_weight=weights)
    assert base_only.rescorings_[0].held_out.weights is None
    assert not np.array_equal(base_only.dual_score(X), both.dual_score(X))
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        DRRClassifier(Recorder(), random_state=0).fit(X, y, sample_weight=weights)


def test_groups_are_routed_to_the_splitter(routing, two_classes):
    X, y = two_classes
    groups = np.arange(240) // 24
    classifier = DRRClassifier(LogisticRegression(), holdout=GroupKFold(3), random_state=0)
    classifier.fit(X, y, groups=groups)
    assert len(classifier.rescorings_[0].held_out.base) == 240


def test_weights_are_routed_through_cross_validation(routing, two_classes):
    X, y = two_classes
    base = LogisticRegression().set_fit_request(sample_weight=True)
    classifier = DRRClassifier(base, random_state=0).set_score_request(sample_weight=True)
    scores = cross_validate(classifier, X, y, params={"sample_weight": np.linspace(1, 2, 240)}, cv=3)
    assert np.isfinite(scores["test_score"]).all()


def test_a_skops_file_trusts_only_our_types(two_classes, tmp_path):
    io = pytest.importorskip("skops.io")
    X, y = two_classes
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    path = tmp_path / "classifier.skops"
    io.dump(classifier, path)
    untrusted = io.get_untrusted_types(file=path)
    assert all(name.startswith("drr.") for name in untrusted), untrusted
    restored = io.load(path, trusted=untrusted)
    np.testing.assert_array_equal(restored.fused_score(X), classifier.fused_score(X))


def test_representations_work_before_and_after_fit(two_classes):
    X, y = two_classes
    classifier = DRRClassifier(LogisticRegression(), dual=RakingDual(RakingFeatureMap(4)))
    assert "RakingFeatureMap" in classifier._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "DRRClassifier" in classifier.fit(X, y)._repr_html_()
