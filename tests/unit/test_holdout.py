"""How rows are held out by default: out of the bag, by folds, and as the paper has it."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from drr import DRRClassifier, RakingDual, gain_interval
from drr.calibration import fit_calibration
from drr.composition.holdout import Holdout
from drr.fusion import choose_fusion_weight, fuse, standardise


@pytest.fixture
def table(rng):
    y = (np.arange(500) < 60).astype(int)
    return rng.normal(size=(500, 4)) + 0.8 * y[:, None], y


def test_a_forest_is_fitted_once_and_judged_out_of_the_bag(table):
    X, y = table
    forest = RandomForestClassifier(60, random_state=3)
    classifier = DRRClassifier(forest, random_state=0).fit(X, y)
    assert classifier.holdout_ == "out of bag"
    np.testing.assert_array_equal(classifier.fitted_rows_, np.arange(500))

    reference = clone(forest).set_params(oob_score=True).fit(X, y)
    np.testing.assert_array_equal(classifier.base_score(X), reference.predict_proba(X)[:, 1])
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    out_of_bag = reference.oob_decision_function_[:, 1]
    base = standardise(out_of_bag).transform(np.concatenate([out_of_bag[rows] for _, rows in folds]))
    whole = RakingDual(random_state=0).fit(X, y)
    shared = FrozenEstimator(whole.feature_map_)  # learned without labels, it serves all folds
    dual = []
    for fit, rows in folds:
        ratio = RakingDual(shared).fit(X[fit], y[fit]).log_density_ratio(X[rows])
        dual.append(standardise(ratio).transform(ratio))
    held_out = classifier.rescorings_[0].held_out
    np.testing.assert_allclose(held_out.base, base, atol=1e-12)
    # The same minimum from another start: a gap of 1e-11 nats leaves the scores six digits.
    np.testing.assert_allclose(held_out.dual, np.concatenate(dual), atol=1e-6)
    positive = np.concatenate([y[rows] for _, rows in folds]) == 1
    assert classifier.fusion_weight_ == choose_fusion_weight(held_out.base, held_out.dual, positive)
    np.testing.assert_allclose(classifier.dual_score(X), whole.log_density_ratio(X), atol=1e-6)


class CountedForest(RandomForestClassifier):
    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


def test_a_forest_costs_one_fit_and_another_base_six(table, monkeypatch):
    DRRClassifier(CountedForest(50), random_state=0).fit(*table)
    assert CountedForest.n_fits == 1
    fits = []
    plain = LogisticRegression.fit
    monkeypatch.setattr(
        LogisticRegression,
        "fit",
        lambda self, *args, **kwargs: fits.append(1) or plain(self, *args, **kwargs),
    )
    assert DRRClassifier(LogisticRegression(), random_state=0).fit(*table).holdout_ == "5 folds"
    assert len(fits) == 6


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (make_pipeline(StandardScaler(), RandomForestClassifier(50, random_state=0)), "out of bag"),
        (ExtraTreesClassifier(50, bootstrap=True, random_state=0), "out of bag"),
        (BaggingClassifier(DecisionTreeClassifier(), n_estimators=50, random_state=0), "out of bag"),
        (RandomForestClassifier(50, bootstrap=False, random_state=0), "5 folds"),
        (RandomForestClassifier(20, random_state=0), "5 folds"),
        (ExtraTreesClassifier(50, random_state=0), "5 folds"),
        (RandomForestClassifier(50, class_weight="balanced", random_state=0), "5 folds"),
    ],
    ids=[
        "pipeline",
        "extra trees",
        "bagging",
        "no bootstrap",
        "few trees",
        "extra trees of all rows",
        "bags by weight",
    ],
)
def test_bases_that_have_out_of_bag_scores_are_judged_by_them(table, base, expected):
    assert DRRClassifier(base, random_state=0).fit(*table).holdout_ == expected


def test_rows_that_are_in_every_bag_are_not_held_out(table):
    X, y = table
    # Bags of fifty times as many rows miss one only now and then.
    bagging = BaggingClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=50, random_state=0)
    bagging.set_params(max_samples=4 * len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = DRRClassifier(bagging, random_state=0).fit(X, y)
    seen = np.stack([np.isin(np.arange(500), rows) for rows in classifier.estimator_.estimators_samples_])
    assert 0 < seen.all(axis=0).sum() < 250
    assert len(classifier.rescorings_[0].held_out.base) == 500 - seen.all(axis=0).sum()


def test_weights_of_rows_keep_the_folds(table):
    X, y = table
    forest = RandomForestClassifier(50, random_state=0)
    assert DRRClassifier(forest, random_state=0).fit(X, y, sample_weight=1.0 + y).holdout_ == "5 folds"


def test_a_balanced_forest_is_judged_by_the_trees_whose_sample_lacks_the_row(table):
    ensemble = pytest.importorskip("imblearn.ensemble")
    X, y = table
    forest = ensemble.BalancedRandomForestClassifier(50, random_state=0)
    classifier = DRRClassifier(make_pipeline(StandardScaler(), forest), random_state=0).fit(X, y)
    assert classifier.holdout_ == "out of bag"
    fitted, Z = classifier.estimator_[-1], classifier.estimator_[:-1].transform(X)
    votes = np.full((50, len(y)), np.nan)
    for k, (sampler, tree) in enumerate(zip(fitted.samplers_, fitted.estimators_, strict=True)):
        unseen = np.setdiff1d(np.arange(len(y)), sampler.sample_indices_)
        votes[k, unseen] = tree.predict_proba(Z[unseen].astype(np.float32))[:, 1]
    expected = standardise(np.nanmean(votes, axis=0)).transform(np.nanmean(votes, axis=0))
    order = np.concatenate([rows for _, rows in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)])
    np.testing.assert_allclose(classifier.rescorings_[0].held_out.base, expected[order], atol=1e-12)


def test_a_resampler_before_the_forest_keeps_the_folds(table):
    pipelines = pytest.importorskip("imblearn.pipeline")
    samplers = pytest.importorskip("imblearn.under_sampling")
    base = pipelines.make_pipeline(
        samplers.RandomUnderSampler(random_state=0), RandomForestClassifier(50, random_state=0)
    )
    assert DRRClassifier(base, random_state=0).fit(*table).holdout_ == "5 folds"


def test_few_rare_rows_make_fewer_folds_without_a_warning(table):
    X, y = table
    keep = np.concatenate([np.flatnonzero(y == 1)[:3], np.flatnonzero(y == 0)])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*folds")
        warnings.filterwarnings("ignore", message="The .* calibration rows")
        classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X[keep], y[keep])
    assert classifier.holdout_ == "3 folds"


@pytest.mark.parametrize("fitted", ["base", "dual", "both"])
def test_only_if_both_models_are_fitted_all_rows_are_held_out(table, fitted):
    X, y = table
    base, dual = LogisticRegression(), RakingDual(random_state=0)
    if fitted != "dual":
        base.fit(X[::2], y[::2])
    if fitted != "base":
        dual.fit(X[::2], y[::2])
    classifier = DRRClassifier(base, dual=dual, random_state=0).fit(X[1::2], y[1::2])
    expected = "all rows, both models fitted before" if fitted == "both" else "5 folds"
    assert classifier.holdout_ == expected


@pytest.mark.parametrize(("n_rare", "warns"), [(4, True), (5, False)])
def test_a_number_of_folds_is_kept_where_every_fold_gets_a_rare_row(table, n_rare, warns):
    X, y = table
    keep = np.concatenate([np.flatnonzero(y == 1)[:n_rare], np.flatnonzero(y == 0)])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        classifier = DRRClassifier(LogisticRegression(), holdout=5, random_state=0).fit(X[keep], y[keep])
    assert classifier.holdout_ == f"{n_rare} folds"
    assert any("folds are used" in str(each.message) for each in said) == warns


def test_three_classes_are_judged_out_of_the_bag(rng):
    y = np.repeat(["a", "b", "c"], (200, 60, 40))
    X = rng.normal(size=(300, 3)) + np.searchsorted(["a", "b", "c"], y)[:, None]
    classifier = DRRClassifier(RandomForestClassifier(50, random_state=0), random_state=0).fit(X, y)
    assert classifier.holdout_ == "out of bag"
    assert (classifier.predict(X) == y).mean() > 0.9


def test_a_constant_score_of_the_folds_counts_nothing(table):
    X, y = table
    classifier = DRRClassifier(
        DummyClassifier(strategy="prior"), fusion_weight=1.0, calibration=None, random_state=0
    ).fit(X, y)
    rescoring = classifier.rescorings_[0]
    dual = rescoring.dual_standardisation.transform(classifier.dual_score(X))
    np.testing.assert_array_equal(classifier.fused_score(X), dual)


def test_the_setting_of_the_paper_by_hand(table):
    X, y = table
    classifier = DRRClassifier.paper(LogisticRegression(), random_state=11).fit(X, y)
    fit, held_out = train_test_split(np.arange(500), test_size=0.3, stratify=y, random_state=11)
    assert classifier.holdout_ == "0.3 of the rows"
    np.testing.assert_array_equal(classifier.fitted_rows_, fit)
    base = LogisticRegression(random_state=11).fit(X[fit], y[fit])
    dual = RakingDual(method="paper", random_state=11).fit(X[fit], y[fit])
    z_base = standardise(base.predict_proba(X[held_out])[:, 1])
    z_dual = standardise(dual.log_density_ratio(X[held_out]))
    fused = fuse(
        z_base.transform(base.predict_proba(X)[:, 1]), z_dual.transform(dual.log_density_ratio(X)), 0.5
    )
    np.testing.assert_array_equal(classifier.fused_score(X), fused)
    platt = fit_calibration(fused[held_out], y[held_out], constrained=False)
    np.testing.assert_array_equal(classifier.predict_proba(X)[:, 1], platt.predict(fused))
    assert DRRClassifier.paper(n_random_features=0).dual.feature_map.n_random_features == 0
    assert DRRClassifier.paper(holdout=0.5).holdout == 0.5


def test_the_map_of_the_paper_may_fall(table):
    X, y = table
    options = {"fusion_weight": 0.0, "calibration": "platt", "random_state": 0}
    backwards = DRRClassifier.from_scores(-X.sum(axis=1), X, y, **options)
    assert backwards.calibrator_.slope < 0


def test_the_default_dual_has_a_direction_at_zero_and_the_papers_has_none():
    assert DRRClassifier()._dual(0).limit_direction
    assert not DRRClassifier.paper().dual.limit_direction


def test_a_base_that_saw_the_rows_is_told(table):
    X, y = table
    forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    with pytest.warns(UserWarning, match="fit on rows that it has not seen, or pass the base unfitted"):
        DRRClassifier(forest, random_state=0).fit(X[::2], y[::2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DRRClassifier(forest, random_state=0).fit(X[1::2], y[1::2])


def test_the_interval_of_a_cross_fitted_gain_is_wider(table):
    X, y = table
    options = {"fusion_weight": 0.5, "calibration": None, "random_state": 0}
    crossed = DRRClassifier(LogisticRegression(), **options).fit(X, y)
    held_out = crossed.rescorings_[0].held_out
    plain = gain_interval(
        held_out.positive, held_out.base, crossed.rescorings_[0].held_out_fused, random_state=0
    )
    assert crossed.gain_.gain == plain.gain
    assert crossed.gain_.low - plain.gain == pytest.approx(1.3 * (plain.low - plain.gain))
    assert crossed.gain_.high - plain.gain == pytest.approx(1.3 * (plain.high - plain.gain))


def test_a_class_with_a_single_row_takes_no_fold_away_wherever_its_label_sorts(table):
    X, y = table
    for single in ("a", "n", "z"):
        labels = np.where(y == 1, "m", "o")
        labels[100] = single
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            classifier = DRRClassifier(LogisticRegression(), holdout=3, random_state=0).fit(X, labels)
        assert classifier.holdout_ == "3 folds"
        assert any(f"Class '{single}' has a single row" in str(each.message) for each in said)


def test_two_folds_are_enough(table):
    assert DRRClassifier(LogisticRegression(), holdout=2, random_state=0).fit(*table).holdout_ == "2 folds"


def test_the_steps_of_a_fit_are_counted():
    splits = [(np.arange(3), np.arange(3, 5))] * 4
    assert Holdout(splits, True, "4 folds").n_steps == 6
    assert Holdout(splits, True, "out of bag", True).n_steps == 7
    assert Holdout(splits[:1], False, "a part").n_steps == 1


def test_a_balanced_forest_alone_in_a_pipeline_is_judged_out_of_the_bag(table):
    ensemble = pytest.importorskip("imblearn.ensemble")
    forest = ensemble.BalancedRandomForestClassifier(50, random_state=0)
    alone, piped = (
        DRRClassifier(base, random_state=0).fit(*table) for base in (forest, make_pipeline(forest))
    )
    assert piped.holdout_ == "out of bag"
    np.testing.assert_array_equal(piped.rescorings_[0].held_out.base, alone.rescorings_[0].held_out.base)
