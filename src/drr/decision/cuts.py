"""The cut above which a score is labelled positive."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer

from drr._checks.scores import (
    as_counts,
    check_between,
    check_labels,
    check_sample_weight,
    check_score,
    is_number,
)
from drr._native.ranking import CUT_METRICS, Ranking
from drr.decision.rules import CutRule, Sweep

# The largest number of cuts at which a user's metric is evaluated.
MAX_CANDIDATES = 1000


Rule = float | str | CutRule | Callable[..., Any]


def choose_cut(
    score: ArrayLike,
    y: ArrayLike,
    rule: Rule = "balanced_accuracy",
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: object = None,
) -> float:
    """Choose the cut above which a score is labelled positive.

    Parameters
    ----------
    score : array of shape (n_rows,)
        Held-out scores.
    y : array of shape (n_rows,)
        Two classes: 0 and 1, −1 and 1 or booleans, otherwise with `pos_label`.
    rule : float, str, CutRule or callable, default="balanced_accuracy"
        A number is the cut itself. A name is maximised: "balanced_accuracy", "f1", "mcc", "g_mean" over every
        cut, or that of a scikit-learn scorer. `RecallAtLeast`, `PrecisionAtLeast`, `FalsePositiveRateAtMost`,
        `TopK` and `CostMatrix` are rules. A callable is a metric of (y_true, y_pred), or a scorer of
        (estimator, X, y), with the rare class as 1 and the other as 0. It and scorers are evaluated directly
        below each positive row (at most 1 000 of these), because every metric that does not reward false
        positives has its best cut there, and at the ends.
    sample_weight : array of shape (n_rows,), optional
    pos_label : label, optional
        The rare class.

    Returns
    -------
    float
        Finite. A row is positive if and only if score > cut.

    Examples
    --------
    >>> from drr.decision import choose_cut
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
    2.5
    """
    score = check_score(score)
    positive = check_labels(y, len(score), pos_label)
    weights = check_sample_weight(sample_weight, positive)
    check_rule(rule, weighted=weights is not None)
    if is_number(rule):
        return float(rule)
    if weights is not None:
        present = weights > 0
        score, positive, weights = score[present], positive[present], as_counts(weights[present])
    ranking = Ranking(score, positive)
    row_weight = np.ones(len(score)) if weights is None else weights
    if isinstance(rule, CutRule):
        n_levels = rule.choose(Sweep(*ranking.curve(row_weight)))
    elif isinstance(rule, str) and rule in CUT_METRICS:
        n_levels = int(ranking.best_cut(row_weight, rule)[0][0])
    else:
        metric = _as_metric(rule, "rule")
        sweep = Sweep(*ranking.curve(row_weight))
        n_levels = _maximise(metric, score, positive, weights, ranking.levels, sweep)
    return place_cut(ranking.levels, n_levels)


def check_rule(rule: object, name: str = "rule", *, weighted: bool = False) -> None:
    """Check that a rule is a cut or a way to choose one; a metric is tried on four rows."""
    if is_number(rule):
        check_between(rule, -np.inf, np.inf, name)
    elif not isinstance(rule, CutRule) and not (isinstance(rule, str) and rule in CUT_METRICS):
        _try_metric(rule, name, weighted)


def _try_metric(rule: object, name: str, weighted: bool) -> None:
    metric = _as_metric(rule, name)
    if weighted and not _accepts_weights(metric):
        raise TypeError(
            f"{name}={rule!r} takes no sample_weight, but rows have weights; let it accept sample_weight=None as "
            "scikit-learn's metrics do"
        )
    y_true, y_pred = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])
    options = {"sample_weight": np.ones(4)} if weighted else {}
    try:
        float(metric(y_true, y_pred, **options))
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name}={rule!r} is not a metric of labels, with the rare class as 1 and the other as 0: {error}"
        ) from error


def _accepts_weights(metric: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(metric).parameters
    except ValueError:  # compiled functions may hide their arguments
        return True
    return "sample_weight" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def place_cut(levels: NDArray[np.float64], n_levels: int) -> float:
    """Return a cut below the first `n_levels` of the distinct scores `levels`, which fall.

    Midway to the next score; below the lowest and above the highest score by half the mean distance of the
    scores.
    """
    with np.errstate(over="ignore"):  # the scores may span the whole range of numbers
        distance = 2 * ((levels[0] / 2 - levels[-1] / 2) / max(len(levels) - 1, 1))
        above = levels[n_levels - 1] if n_levels > 0 else levels[0] + distance
        below = levels[n_levels] if n_levels < len(levels) else levels[-1] - distance
    largest = np.finfo(np.float64).max
    cut = min(above, largest) / 2 + max(below, -largest) / 2
    if n_levels == 0:
        return float(max(cut, levels[0]))
    if n_levels == len(levels):
        return float(min(cut, np.nextafter(levels[-1], -np.inf)))
    return float(cut if below <= cut < above else below)  # there is no number between neighbours


def _maximise(
    metric: Callable[..., float],
    score: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64] | None,
    levels: NDArray[np.float64],
    sweep: Sweep,
) -> int:
    """Return the number of levels to label positive for the largest value of a metric of labels."""
    below_positive = np.flatnonzero(np.diff(sweep.true_positives) > 0) + 1
    if len(below_positive) > MAX_CANDIDATES:
        kept = np.linspace(0, len(below_positive) - 1, MAX_CANDIDATES).round().astype(np.intp)
        below_positive = below_positive[kept]
    candidates = np.unique(np.concatenate([[0], below_positive, [len(levels)]]))
    y_true = positive.astype(np.int64)
    options = {} if weights is None else {"sample_weight": weights}
    values = np.empty(len(candidates))
    with warnings.catch_warnings():
        # Precision and similar metrics are undefined at the cut that labels nothing positive, and score zero there.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for i, n_levels in enumerate(candidates):
            y_pred = (score > place_cut(levels, int(n_levels))).astype(np.int64)
            values[i] = metric(y_true, y_pred, **options)
    if np.isnan(values).all():
        raise ValueError("rule is NaN at every cut; choose a metric that is a number for some labels")
    return int(candidates[np.nanargmax(values)])


def _as_metric(rule: Any, name: str) -> Callable[..., float]:
    """Return a function (y_true, y_pred, sample_weight=...) from a metric, a scorer, or the name of one."""
    if isinstance(rule, str):
        try:
            rule = get_scorer(rule)
        except ValueError:
            raise ValueError(
                f"{name}={rule!r} is not known; use one of {', '.join(CUT_METRICS)}, the name of a "
                "scikit-learn scorer, a rule such as drr.RecallAtLeast(0.9), a callable or a number"
            ) from None
    if not callable(rule):
        raise TypeError(f"{name} must be a number, a name, a CutRule or a callable, got {rule!r}")
    if not _is_scorer(rule):
        return rule  # type: ignore[no-any-return]

    def score_labels(y_true: NDArray[np.int64], y_pred: NDArray[np.int64], **options: Any) -> float:
        try:
            return float(rule(_Labels(), y_pred.reshape(-1, 1), y_true, **options))
        except AttributeError as error:
            raise ValueError(
                "it scores probabilities or rankings, which no cut changes; choose one of labels"
            ) from error

    return score_labels


def _is_scorer(rule: Callable[..., Any]) -> bool:
    """Return whether a rule is a scorer, called with (estimator, X, y), and not a metric of (y_true, y_pred)."""
    try:
        return next(iter(inspect.signature(rule).parameters), None) == "estimator"
    except ValueError:  # compiled functions may hide their arguments
        return False


class _Labels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose rows are its predictions, for scorers that ask an estimator."""

    classes_ = np.array([0, 1])

    def predict(self, X: NDArray[np.int64]) -> NDArray[np.int64]:
        return X[:, 0]
