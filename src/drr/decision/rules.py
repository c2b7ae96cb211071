"""Rules that choose a cut: what a decision must achieve, and at what price."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from drr._checks.scores import check_between, is_number

# Rates are compared with this slack: 9 of 10 rows reach a recall of 0.9 whatever the rounding.
RATE_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Sweep:
    """The confusion matrix at every cut, from no positive label to all, weighted if the rows have weights."""

    true_positives: NDArray[np.float64]
    false_positives: NDArray[np.float64]

    @property
    def n_positive(self) -> float:
        return float(self.true_positives[-1])

    @property
    def n_negative(self) -> float:
        return float(self.false_positives[-1])

    @property
    def recall(self) -> NDArray[np.float64]:
        return self.true_positives / self.n_positive

    @property
    def false_positive_rate(self) -> NDArray[np.float64]:
        return self.false_positives / self.n_negative

    @property
    def precision(self) -> NDArray[np.float64]:
        """NaN at the cut that labels nothing positive."""
        predicted = self.true_positives + self.false_positives
        unset = np.full(len(predicted), np.nan)
        return np.asarray(np.divide(self.true_positives, predicted, out=unset, where=predicted > 0))

    def highest_recall(self, allowed: NDArray[np.bool_]) -> int:
        """Return the highest of the allowed cuts with the largest recall."""
        return int(np.argmax(np.where(allowed, self.true_positives, -1.0)))


class CutRule:
    """A rule that names one of the cuts of a sweep."""

    def choose(self, sweep: Sweep) -> int:
        """Return how many of the distinct scores, from the highest, to label positive."""
        raise NotImplementedError


def most_exceptions(n_rows: int, share: float, confidence: float) -> int:
    """Return how many of n rows may be beyond a cut so that in truth at most `share` are; −1 if none may.

    The share beyond the (m+1)-th of n ordered scores exceeds `share` with probability P(B ≤ m), B binomial with n and
    `share`: the largest m for which that is at most 1 − confidence.
    """
    if share >= 1:
        return n_rows
    m = int(scipy.stats.binom.ppf(1 - confidence, n_rows, share))
    while m >= 0 and scipy.stats.binom.cdf(m, n_rows, share) > 1 - confidence:
        m -= 1
    return m


def _check_confidence(confidence: float | None) -> None:
    if confidence is not None:
        check_between(confidence, 0.0, 1.0, "confidence")


def _count(total: float) -> int:
    if total != round(total):
        raise ValueError(
            "a cut with a confidence counts rows; leave sample_weight out, or give whole numbers of rows"
        )
    return round(total)


@dataclass(frozen=True)
class RecallAtLeast(CutRule):
    """The highest cut that finds at least this share of the positive rows.

    With a `confidence` the recall on new rows of the same kind is at least that share with this probability over
    the rows that chose the cut: as few of the n positive rows are missed as a binomial distribution allows. If n is too
    small for that, the cut finds all of them, with a warning.

    Examples
    --------
    >>> from drr import RecallAtLeast
    >>> from drr.decision import choose_cut
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], RecallAtLeast(0.5))
    3.5
    """

    recall: float
    confidence: float | None = None

    def __post_init__(self) -> None:
        check_between(self.recall, 0.0, 1.0, "recall", closed=True)
        _check_confidence(self.confidence)

    def choose(self, sweep: Sweep) -> int:
        if self.confidence is None:
            return int(np.argmax(sweep.recall >= self.recall - RATE_SLACK))
        n_rows = _count(sweep.n_positive)
        n_missed = most_exceptions(n_rows, 1 - self.recall, self.confidence)
        if n_missed < 0:
            _warn(
                f"{n_rows} positive rows are too few for a recall of {self.recall:g} with confidence "
                f"{self.confidence:g}: the cut finds all of them."
            )
        return int(np.argmax(sweep.true_positives >= n_rows - max(n_missed, 0) - RATE_SLACK))


@dataclass(frozen=True)
class PrecisionAtLeast(CutRule):
    """The cut with the largest recall among those with at least this precision.

    If there is none, the most precise cut is used, with a warning that states its precision and recall.

    Examples
    --------
    >>> from drr import PrecisionAtLeast
    >>> from drr.decision import choose_cut
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], PrecisionAtLeast(0.6))
    1.5
    """

    precision: float

    def __post_init__(self) -> None:
        check_between(self.precision, 0.0, 1.0, "precision", closed=True)

    def choose(self, sweep: Sweep) -> int:
        precision = np.nan_to_num(sweep.precision, nan=-1.0)
        allowed = precision >= self.precision - RATE_SLACK
        if allowed.any():
            return sweep.highest_recall(allowed)
        best = sweep.highest_recall(precision >= precision.max() - RATE_SLACK)
        _warn(
            f"No cut reaches a precision of {self.precision:g}: the best has {precision[best]:.4g}, at a "
            f"recall of {sweep.recall[best]:.4g}, and is used."
        )
        return best


@dataclass(frozen=True)
class FalsePositiveRateAtMost(CutRule):
    """The cut with the largest recall that labels at most this share of the negative rows positive.

    With a `confidence` the rate on new rows of the same kind is at most that share with this probability over the
    rows that chose the cut. If they are too few for that, no negative row is labelled positive, with a warning.

    Examples
    --------
    >>> from drr import FalsePositiveRateAtMost
    >>> from drr.decision import choose_cut
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], FalsePositiveRateAtMost(0.0))
    3.5
    """

    rate: float
    confidence: float | None = None

    def __post_init__(self) -> None:
        check_between(self.rate, 0.0, 1.0, "rate", closed=True)
        _check_confidence(self.confidence)

    def choose(self, sweep: Sweep) -> int:
        allowed = sweep.false_positive_rate <= self.rate + RATE_SLACK
        if self.confidence is not None:
            n_rows = _count(sweep.n_negative)
            n_allowed = most_exceptions(n_rows, self.rate, self.confidence)
            if n_allowed < 0:
                _warn(
                    f"{n_rows} negative rows are too few for a false-positive rate of at most {self.rate:g} with "
                    f"confidence {self.confidence:g}: the cut labels none of them positive."
                )
            allowed = sweep.false_positives <= max(n_allowed, 0) + RATE_SLACK
        best = sweep.highest_recall(allowed)
        if sweep.true_positives[best] == 0:
            first = int(np.argmax(sweep.true_positives > 0))
            _warn(
                f"No positive row is found at a false-positive rate of at most {self.rate:g}: the first one "
                f"needs {sweep.false_positive_rate[first]:.4g}. The cut labels nothing positive."
            )
        return best


@dataclass(frozen=True)
class TopK(CutRule):
    """At most the k highest rows: a count if k is an integer, a share of the rows if it is a float in (0, 1).

    Equal scores get equal labels, hence fewer than k rows may be positive. Rows count by their weights, which are
    scaled to a mean of one if they sum to less than the number of rows.

    Examples
    --------
    >>> from drr import TopK
    >>> from drr.decision import choose_cut
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], TopK(2))
    2.5
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], TopK(0.25))
    3.5
    """

    k: float

    def __post_init__(self) -> None:
        is_share = is_number(self.k) and 0 < self.k < 1
        is_count = isinstance(self.k, int | np.integer) and self.k >= 1 and is_number(self.k)
        if not (is_share or is_count):
            raise ValueError(f"k must be an integer of at least 1, or a share in (0, 1), got {self.k!r}")

    def choose(self, sweep: Sweep) -> int:
        predicted = sweep.true_positives + sweep.false_positives
        budget = float(self.k) * (predicted[-1] if self.k < 1 else 1.0)
        chosen = int(np.flatnonzero(predicted <= budget * (1 + RATE_SLACK))[-1])
        if chosen == 0:
            _warn(
                f"The highest score is shared by {predicted[1]:g} rows, more than the {budget:g} allowed: "
                "the cut labels nothing positive."
            )
        return chosen


@dataclass(frozen=True)
class CostMatrix(CutRule):
    """The cut with the smallest total cost, given the cost of a row in each cell of the confusion matrix.

    With a `target_prior` the total is that of rows of which this share is positive, as in
    `DRRClassifier.predict_proba`; by default that of the rows which choose the cut.

    Examples
    --------
    >>> from drr import CostMatrix
    >>> from drr.decision import choose_cut
    >>> choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], CostMatrix(false_positive=1.0, false_negative=5.0))
    1.5
    """

    false_positive: float
    false_negative: float
    true_positive: float = 0.0
    true_negative: float = 0.0
    target_prior: float | None = None

    def __post_init__(self) -> None:
        for name in ("false_positive", "false_negative", "true_positive", "true_negative"):
            check_between(getattr(self, name), -np.inf, np.inf, name)
        for wrong, right in (("false_positive", "true_negative"), ("false_negative", "true_positive")):
            if getattr(self, wrong) <= getattr(self, right):
                raise ValueError(
                    f"{wrong}={getattr(self, wrong):g} must cost more than {right}={getattr(self, right):g}"
                )
        if self.target_prior is not None:
            check_between(self.target_prior, 0.0, 1.0, "target_prior")

    def choose(self, sweep: Sweep) -> int:
        of_positive = self.true_positive * sweep.true_positives + self.false_negative * (
            sweep.n_positive - sweep.true_positives
        )
        of_negative = self.false_positive * sweep.false_positives + self.true_negative * (
            sweep.n_negative - sweep.false_positives
        )
        if self.target_prior is not None:
            of_positive = of_positive * (self.target_prior / sweep.n_positive)
            of_negative = of_negative * ((1 - self.target_prior) / sweep.n_negative)
        cost = of_positive + of_negative
        return int(np.argmax(cost <= cost.min() + RATE_SLACK * np.abs(cost).max()))


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)
