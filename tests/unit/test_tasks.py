"""What a fit tells those who watch it: folds, models and passes, also through scikit-learn's callbacks."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from drr import DRRClassifier, RakingDual, RakingFeatureMap, rake
from drr._native.tasks import watched_by


class Tree:
    """A watcher that keeps the path of every task, and how many passes it saw there."""

    def __init__(self):
        self.paths, self.parts, self.passes, self._path = [], {}, {}, ()

    @contextmanager
    def task(self, name, n_parts, estimator):
        outer, self._path = self._path, (*self._path, name)
        self.paths.append(self._path)
        self.parts[self._path] = n_parts
        yield
        self._path = outer

    def passed(self, values):
        self.passes[self._path] = self.passes.get(self._path, 0) + 1


@pytest.fixture
def rows(rng):
    y = np.arange(400) < 40
    return rng.normal(size=(400, 4)) + y[:, None], y


def test_folds_models_and_passes_are_seen(rows):
    tree = Tree()
    with watched_by(tree):
        DRRClassifier(LogisticRegression(), holdout=3, random_state=0).fit(*rows)
    top = ("DRRClassifier",)
    assert tree.parts[top] == 5
    first, folds, last = "duals of all rows", [f"fold {k} of 3" for k in (1, 2, 3)], "all rows"
    dual = "RakingDual of class True"
    assert tree.paths == [
        top,
        *((*top, first, *tail) for tail in ((), (dual,))),
        *((*top, fold, *tail) for fold in folds for tail in ((), ("LogisticRegression",), (dual,))),
        *((*top, last, *tail) for tail in ((), ("LogisticRegression",))),
    ]
    assert {path[1] for path in tree.passes} == {first, *folds}
    assert all(path[2] == dual for path in tree.passes)
    assert all(count > 1 for count in tree.passes.values())


def test_a_forest_is_one_fit_and_every_class_has_its_dual(rows):
    X, y = rows
    tree = Tree()
    with watched_by(tree):
        DRRClassifier(random_state=0).fit(X, np.where(y, 2, np.arange(400) % 2))
    assert tree.parts["DRRClassifier",] == 8
    assert tree.paths[1:3] == [("DRRClassifier", "base"), ("DRRClassifier", "base", "RandomForestClassifier")]
    names = {path[-1] for path in tree.paths if len(path) == 3 and path[1] == "duals of all rows"}
    assert names == {f"RakingDual of class {k}" for k in range(3)}


def test_nobody_sees_the_inside_of_a_base(rows):
    tree = Tree()
    with watched_by(tree):
        DRRClassifier(DRRClassifier(LogisticRegression(), holdout=2), holdout=2, random_state=0).fit(*rows)
    assert max(map(len, tree.paths)) == 3


def test_plain_functions_and_the_user_s_callback_are_seen_together(rows):
    X, y = rows
    tree, seen = Tree(), []
    with watched_by(tree):
        rake(X[~y], X[y].mean(axis=0), callback=seen.append)
    assert tree.passes == {(): len(seen)}
    assert seen


def test_warnings_name_the_line_of_the_user(rows):
    X, y = rows
    fitted = RandomForestClassifier(random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="dual is zero") as caught:
        RakingDual(eta=1.0).fit(X, y)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="ranks every held-out row") as caught:
        DRRClassifier(fitted, dual=RakingDual(RakingFeatureMap(0))).fit(X, y)
    assert [each.filename for each in caught if "ranks every" in str(each.message)] == [__file__]


def test_watching_changes_no_bit(rows):
    X, y = rows
    with watched_by(Tree()):
        seen = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    alone = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    np.testing.assert_array_equal(seen.fused_score(X), alone.fused_score(X))


class Recorder:
    """A callback of scikit-learn that keeps the names of tasks by depth, and how its life went."""

    max_propagation_depth = None

    def __init__(self):
        self.events, self.tasks = [], []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        depth, each = 0, context
        while each.parent is not None:
            depth, each = depth + 1, each.parent
        self.tasks.append((depth, context.estimator_name, context.task_name))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if context.parent is None:
            self.events.append(fitted_estimator)


class TestScikitLearnCallbacks:
    @pytest.fixture(autouse=True)
    def _needs_callbacks(self):
        pytest.importorskip("sklearn.callback")

    def test_folds_bases_and_passes_are_tasks(self, rows):
        X, y = rows
        recorder = Recorder()
        model = DRRClassifier(LogisticRegression(), random_state=0).set_callbacks(recorder).fit(X, y)
        first, fitted, last = recorder.events
        assert (first, last) == ("setup", "teardown")
        np.testing.assert_array_equal(fitted.fused_score(X), model.fused_score(X))
        assert [name for depth, _, name in recorder.tasks if depth == 1] == [
            "duals of all rows",
            *(f"fold {k} of 5" for k in range(1, 6)),
            "all rows",
        ]
        assert sum(task == (2, "LogisticRegression", "fit") for task in recorder.tasks) == 6
        assert sum(task == (3, "DRRClassifier", "dual pass") for task in recorder.tasks) > 6

    def test_a_dual_alone_has_its_passes(self, rows):
        recorder = Recorder()
        RakingDual().set_callbacks(recorder).fit(*rows)
        assert recorder.tasks[0] == (0, "RakingDual", "fit")
        assert set(recorder.tasks[1:]) == {
            (1, "RakingDual", "floor pass"),
            (1, "RakingDual", "dual pass"),
        }

    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_a_search_and_a_pipeline_show_it_inside(self, rows, n_jobs):
        pytest.importorskip("rich")
        from sklearn.callback import ProgressBar

        model = make_pipeline(
            StandardScaler(), DRRClassifier(LogisticRegression(), holdout=2, random_state=0)
        )
        search = GridSearchCV(model, {"drrclassifier__fusion_weight": [0.0, 0.5]}, cv=2, n_jobs=n_jobs)
        search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(*rows)
        recorder = Recorder()
        model.set_callbacks(recorder).fit(*rows)
        assert (2, "DRRClassifier", "fold 1 of 2") in recorder.tasks

    def test_a_fit_that_fails_is_torn_down(self, rows):
        X, y = rows
        recorder = Recorder()
        with pytest.raises(ValueError, match=r"infinity|infinite"):
            DRRClassifier(LogisticRegression()).set_callbacks(recorder).fit(np.where(X > 2, np.inf, X), y)
        model = DRRClassifier(LogisticRegression(C=-1.0), holdout=2).set_callbacks(recorder)
        with pytest.raises(ValueError, match="'C'"):
            model.fit(X, y)
        assert recorder.events == ["setup", "teardown"]
