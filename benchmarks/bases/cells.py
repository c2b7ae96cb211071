"""One cell: a learner on the training half of a trial, alone, as in the paper and by default, on the test half."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from benchmarks.bases.learners import ALONE_ONLY, LEARNERS
from benchmarks.tabular import MASTER_SEED, Table
from drr import DRRClassifier

ARMS = ("alone", "paper", "default")


def arms_of(learner: str) -> tuple[str, ...]:
    """Return the arms in which a learner is measured."""
    return ("alone",) if learner in ALONE_ONLY else ARMS


HEADER = ("dataset", "trial", "learner", "arm", "ap", "auc", "brier", "seconds", "weight", "holdout")
Row = dict[str, Any]


def measure(
    table: Table,
    trial: int,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    learner: str,
    arms: Sequence[str],
) -> Iterator[Row]:
    """Fit arms of a learner on the same rows."""
    seed = MASTER_SEED + trial
    X, y = table.X.iloc[train], table.y[train]
    X_test, y_test = table.X.iloc[test], table.y[test]
    for arm in arms:
        model = LEARNERS[learner](table.categorical, seed)
        if arm == "paper":
            model = DRRClassifier.paper(model, random_state=seed, pos_label=1)
        elif arm == "default":
            model = DRRClassifier(model, random_state=seed, pos_label=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begin = time.process_time()  # other work on the machine disturbs it little
            model.fit(X, y)
            seconds = time.process_time() - begin
            score, probability = scores(model, X_test)
        yield {
            "dataset": table.name,
            "trial": trial,
            "learner": learner,
            "arm": arm,
            "ap": average_precision_score(y_test, score),
            "auc": roc_auc_score(y_test, score),
            "brier": None if probability is None else brier_score_loss(y_test, probability),
            "seconds": seconds,
            "weight": getattr(model, "fusion_weight_", None),
            "holdout": getattr(model, "holdout_", None),
        }


def scores(model: Any, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """What ranks the rows, and the probability of the rare class, which a support vector machine has not."""
    if isinstance(model, DRRClassifier):
        return model.fused_score(X), model.predict_proba(X)[:, 1]
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.decision_function(X)), None
    probability = np.asarray(model.predict_proba(X))[:, 1]
    return probability, probability
