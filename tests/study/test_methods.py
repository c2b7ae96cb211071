"""Every method runs, learns nothing from the test half, and a new one appears in the tables."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from benchmarks.study.base_scores import BaseScores
from benchmarks.study.counts_forest import CountsForest
from benchmarks.study.datasets import Dataset, load_dataset
from benchmarks.study.encoding import Layout
from benchmarks.study.learners import LEARNERS, STANDALONE
from benchmarks.study.methods import METHODS, Method, register
from benchmarks.study.methods.fw_smote import FWSmote, fisher_scores, quantifier_weights
from benchmarks.study.methods.rose import Rose
from benchmarks.study.metrics import Outcome
from benchmarks.study.problem import Problem, digest
from benchmarks.study.protocol import split_rows
from benchmarks.study.rusboost import RealRusBoost
from benchmarks.study.task import Job, Task, perform, plan
from drr import DRRClassifier, RakingDual

QUICK = ("NB", "KLR")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def mixed(study_data) -> Dataset:
    return load_dataset("flare-f", study_data)


def _learners(method: Method) -> list[str]:
    quick = [name for name in (STANDALONE, *QUICK) if name in method.learners]
    return quick or list(method.learners[:1])


def _outcomes(dataset: Dataset, name: str) -> dict[tuple[str, str], Outcome]:
    problem, method = Problem(dataset, 0), METHODS[name]
    return {
        (learner, outcome.method): outcome
        for learner in _learners(method)
        for outcome in method.run(problem, LEARNERS.get(learner))
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", METHODS)
def test_the_test_half_changes_nothing_that_is_fitted(mixed, name):
    """Other numbers and levels in the test half: every score of the threshold rows stays, to the last bit."""
    split = split_rows(mixed, 0)
    X = mixed.X.copy()
    random = np.random.default_rng(1)
    X.iloc[split.test, :3] = 100 * random.normal(size=(len(split.test), 3))
    X.iloc[split.test, 3] = "unheard of"
    changed = Dataset(mixed.name, X, mixed.y, mixed.categorical)
    before, after = _outcomes(mixed, name), _outcomes(changed, name)
    assert before.keys() == after.keys()
    assert {arm for _, arm in before} == set(METHODS[name].arms())
    for key, outcome in before.items():
        assert np.array_equal(outcome.threshold, after[key].threshold), key
        assert not np.array_equal(outcome.test, after[key].test), key  # the change did reach the test scores
        assert np.isfinite(outcome.threshold).all()
        assert np.isfinite(outcome.test).all()


def test_methods_do_not_read_test_labels(mixed, monkeypatch):
    """The labels of the test half are for measuring: without them every method gives the same scores."""
    names = ("DRR", "dual", "R&R(D=128)", "SMOTE")
    for name in names:
        before = _outcomes(mixed, name)
        problem, method = Problem(mixed, 0), METHODS[name]
        hidden = dataclasses.replace(problem.test, y=np.full(len(problem.test.y), -1))
        problem.test = hidden
        if name == "DRR":  # reports moments of the test half beside its scores
            monkeypatch.setattr("benchmarks.study.methods.drr.moments", lambda *arguments: {})
        for learner in _learners(method):
            for outcome in method.run(problem, LEARNERS.get(learner)):
                assert np.array_equal(outcome.test, before[learner, outcome.method].test), (name, learner)


def test_fused_weight_zero_is_the_standardised_base(mixed):
    problem = Problem(mixed, 0)
    learner = LEARNERS["NB"]
    arms = {outcome.method: outcome for outcome in METHODS["DRR"].run(problem, learner)}
    base = problem.base(learner)
    expected = (base.test - base.threshold.mean()) / base.threshold.std()
    assert arms["DRR(D=128,w=0)"].test == pytest.approx(expected)
    dual = problem.dual(128).scores
    second = (dual.test - dual.threshold.mean()) / dual.threshold.std()
    assert arms["DRR(D=128)"].test == pytest.approx(expected + 0.5 * second)


def test_controls_see_the_arrays_of_the_dual(mixed):
    problem = Problem(mixed, 0)
    for n_random in (0, 128):
        ours = problem.features(problem.feature_map(n_random))
        theirs = problem.features(problem.raking(n_random)[0].feature_map_)
        assert digest(ours) == digest(theirs)


def test_other_tolerances_share_the_floor(mixed):
    problem = Problem(mixed, 0)
    strict, loose = problem.dual(128, 0.01), problem.dual(128, 0.5)
    assert strict.figures["floor"] == loose.figures["floor"]
    assert strict.dual.ess < problem.dual(128).dual.ess < loose.dual.ess


def test_the_resampler_draws_once_for_all_learners(mixed, monkeypatch):
    problem, seen = Problem(mixed, 0), []
    train = problem.train
    monkeypatch.setattr(problem, "train", lambda learner, X, y: seen.append((X, y)) or train(learner, X, y))
    outcomes = [outcome for name in QUICK for outcome in METHODS["R&R(D=0)"].run(problem, LEARNERS[name])]
    half = (len(problem.fit.y) + 1) // 2
    for X, y in seen:
        assert np.bincount(y).tolist() == [half, half], "a prior of one half"
        assert np.array_equal(X, seen[0][0])
    assert outcomes[0].extra["n_relabelled"] == half - half // 2


def test_kept_base_scores_take_the_place_of_a_fit(mixed, tmp_path, monkeypatch):
    kept = BaseScores(tmp_path)
    first = Problem(mixed, 0, kept).base(LEARNERS["NB"])
    again = Problem(mixed, 0, kept)
    monkeypatch.setattr(again, "train", None)
    second = again.base(LEARNERS["NB"])
    assert np.array_equal(first.threshold, second.threshold)
    assert np.array_equal(first.test, second.test)
    other = Problem(mixed, 1, kept).base(LEARNERS["NB"])
    assert not np.array_equal(first.test, other.test)
    for path in tmp_path.rglob("*.npz"):
        path.write_bytes(path.read_bytes()[:40])  # a copy that was cut short
    assert np.array_equal(Problem(mixed, 0, kept).base(LEARNERS["NB"]).test, first.test)


def test_a_forest_of_counts_is_that_of_scikit_learn_without_weights(rng):
    y = np.repeat([0, 1], [180, 20])
    X = rng.normal(size=(200, 5)) + y[:, None]
    ours = CountsForest(20, class_weight=None, random_state=3).fit(X, y)
    theirs = RandomForestClassifier(20, random_state=3).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-15)


def test_a_forest_of_counts_draws_few_rare_rows(rng):
    """Weights on counts leave rare rows as rare in a tree as they are; the leaves say one class or the other."""
    y = np.repeat([0, 1], [960, 40])
    X = rng.normal(size=(1000, 4)) + y[:, None]
    drawn = RandomForestClassifier(50, class_weight="balanced", random_state=0).fit(X, y)
    counted = LEARNERS["RF"].make(Layout(4, ()), 1000, 0, "balanced").fit(X, y)
    new = rng.normal(size=(1000, 4)) + 1
    assert isinstance(counted, CountsForest)
    assert counted.predict_proba(new)[:, 1].mean() < drawn.predict_proba(new)[:, 1].mean()


def test_fw_smote_weights_and_rows(rng):
    y = np.repeat([0, 1], [50, 12])
    X = rng.normal(size=(62, 4)) + np.outer(y, [0, 3, 0, 1])
    scores = fisher_scores(X, y)
    direct = abs(X[y == 1, 1].mean() - X[y == 0, 1].mean()) / (
        X[y == 1, 1].var(ddof=1) + X[y == 0, 1].var(ddof=1)
    )
    assert scores[1] == pytest.approx(direct)
    weights = quantifier_weights(scores)
    assert weights.sum() == pytest.approx(1)
    assert weights[1] == pytest.approx(0.25**0.4)  # the best coordinate
    assert quantifier_weights(np.ones(3)) == pytest.approx(
        np.diff((np.arange(4) / 3) ** 0.4)
    )  # ties in order
    rows, labels = FWSmote().resample(X, y, 0)
    assert labels.sum() == 12 + 3 * 12
    synthetic = rows[62:]
    rare = X[y == 1]
    assert (synthetic >= rare.min(axis=0) - 1e-12).all()
    assert (synthetic <= rare.max(axis=0) + 1e-12).all()


def test_rose_draws_around_either_class(rng):
    y = np.repeat([0, 1], [300, 30])
    X = rng.normal(size=(330, 2)) + 4 * y[:, None]
    rows, labels = Rose().resample(X, y, 0)
    assert len(rows) == 330
    assert 0.4 < labels.mean() < 0.6
    assert rows[labels == 1].mean() == pytest.approx(4, abs=0.5)
    assert rows[labels == 0].mean() == pytest.approx(0, abs=0.3)


def test_plan_goes_trial_by_trial_and_skips_what_is_done():
    done = {("a", 0, "NB", "base")}
    tasks = plan({"a": range(2), "b": range(1)}, ("base", "dual"), ("NB",), done)
    assert [(task.dataset, task.trial) for task in tasks] == [("a", 0), ("b", 0), ("a", 1)]
    assert tasks[0].jobs == (Job("dual", STANDALONE, frozenset(METHODS["dual"].arms())),)


@pytest.fixture
def newcomer():
    @register
    class Newcomer(Method):
        name = "newcomer"
        rank_in_panel = 5

        def run(self, problem, learner):
            base = problem.base(learner)
            yield Outcome(self.name, base.threshold, base.test)

    yield
    del METHODS["newcomer"]


@pytest.fixture
def broken():
    @register
    class Broken(Method):
        name = "broken"

        def run(self, problem, learner):
            raise ValueError("no\nneighbours")
            yield

    yield
    del METHODS["broken"]


def test_a_failure_is_a_row_with_its_reason(study_data, broken):
    task = Task("glass4", 0, (Job("broken", "NB", frozenset({"broken"})),))
    ((row,),) = perform(task, study_data)
    assert row["error"] == "ValueError: no neighbours"
    assert "ap" not in row


def test_a_new_method_is_in_the_tables_of_methods(study_data, newcomer, tmp_path):
    from benchmarks.study.results import Results
    from benchmarks.study.store import Store
    from benchmarks.study.tables import TABLES

    store = Store(tmp_path, {part: {} for part in ("protocol", "learners", "versions", "data", "methods")})
    for task in plan({"glass4": range(2)}, ("base", "newcomer"), QUICK, set()):
        for rows in perform(task, study_data):
            store.append(rows)
    store.close()
    results = Results.read(tmp_path)
    for name in ("other_methods", "per_learner"):
        frame = TABLES[name](results)
        assert "newcomer" in set(frame["method"]), name
    assert "newcomer" in TABLES["all_methods_per_dataset"](results).columns
    others = TABLES["other_methods"](results).set_index("method")
    assert others.loc["newcomer", "ap"] == others.loc["base", "ap"]


def test_rusboost_lowers_the_exponential_loss_in_every_round(rng):
    # With as many rows of either class nothing is left out, and each stump minimises the weighted exponential loss.
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 4)) + 0.4 * y[:, None]
    sign = np.where(y == 1, 1.0, -1.0)
    losses = []
    for n_rounds in (1, 3, 10, 30):
        model = RealRusBoost(n_rounds, random_state=0).fit(X, y)
        losses.append(np.mean(np.exp(-sign * n_rounds * model.decision_function(X))))
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < 1


def test_rusboost_ranks_where_votes_by_labels_are_worse_than_chance(rng):
    y = np.repeat([0, 1], [400, 20])
    X = rng.normal(size=(420, 3)) + 0.5 * y[:, None]
    probability = RealRusBoost(50, random_state=0).fit(X, y).predict_proba(X)[:, 1]
    assert 0 <= probability.min() < probability.max() <= 1
    assert probability[y == 1].mean() > probability[y == 0].mean()


@pytest.mark.parametrize("n_random", [0, 128])
@pytest.mark.parametrize("learner", ["RF", "KLR"])
def test_the_papers_setting_gives_the_cells_of_the_study(mixed, n_random, learner):
    problem = Problem(mixed, 0)
    outcome = _outcomes_of(problem, "DRR", learner)[f"DRR(D={n_random})"]
    encode = FunctionTransformer(problem._encoder.transform)
    base = make_pipeline(
        encode, LEARNERS[learner].make(problem.layout, len(problem.fit.y), problem.seed, None)
    )
    dual = RakingDual(problem.feature_map(n_random), method="paper")
    rows = np.concatenate([split_rows(mixed, 0).fit, split_rows(mixed, 0).threshold])
    n_fit = len(problem.fit.y)
    pair = (np.arange(n_fit), np.arange(n_fit, len(rows)))
    classifier = DRRClassifier.paper(base, dual=dual, holdout=pair, pos_label=1, random_state=problem.seed)
    score = classifier.fit(mixed.X.iloc[rows], mixed.y[rows]).fused_score(problem.test.rows)
    np.testing.assert_array_equal(score, outcome.test)
    held_out = classifier.rescorings_[0].held_out_fused
    np.testing.assert_array_equal(held_out, outcome.threshold)


def _outcomes_of(problem: Problem, method: str, learner: str) -> dict[str, Outcome]:
    return {outcome.method: outcome for outcome in METHODS[method].run(problem, LEARNERS[learner])}
