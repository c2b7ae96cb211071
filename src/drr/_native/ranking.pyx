# cython: language_level=3, freethreading_compatible=True
# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Ranking metrics and best cuts under many sample weights, from one sort.

A sample weight moves no row in the ranking. `Ranking` therefore sorts once, and each further weight vector
costs one sweep down the sorted rows. Rows with equal scores form one group, whose members are crossed
together, as in scikit-learn: no cut and no step of a curve can separate them.

Weights come as a batch, one row per resample; int64 counts (bootstrap) are summed exactly, float64 weights in
the order of the ranking.
"""

from libc.math cimport NAN, sqrt
from libc.stdint cimport int64_t, uint8_t

import numpy as np

ctypedef fused weight_t:
    int64_t
    double

cdef enum:
    POSITIVE = 1  # the row belongs to the positive class
    LAST = 2  # the row is the last of its group of equal scores

cdef enum Metric:
    BALANCED_ACCURACY
    F1
    MATTHEWS
    G_MEAN

_METRICS = {"balanced_accuracy": BALANCED_ACCURACY, "f1": F1, "mcc": MATTHEWS, "g_mean": G_MEAN}
CUT_METRICS = tuple(_METRICS)


include "contiguous.pxi"


# Two cuts whose metrics differ by less are equally good: the difference is rounding. The higher one is kept.
cdef double TIE = 1e-12


cdef double _average_precision(
    const int64_t* order, const uint8_t* flags, const weight_t* weights, Py_ssize_t n_rows
) noexcept nogil:
    """Σ over groups of (recall gained)·precision; NaN without positive weight."""
    cdef:
        weight_t weight, group = 0, true_positives = 0, predicted = 0
        double total = 0
        Py_ssize_t i
    for i in range(n_rows):
        weight = weights[order[i]]
        predicted += weight
        if flags[i] & POSITIVE:
            group += weight
        if flags[i] & LAST and group > 0:
            true_positives += group
            total += <double>group * (<double>true_positives / <double>predicted)
            group = 0
    return total / <double>true_positives if true_positives > 0 else NAN


cdef double _expected_average_precision(
    const int64_t* order, const uint8_t* flags, const int64_t* counts, const double* harmonic, Py_ssize_t n_rows
) noexcept nogil:
    """The mean of the average precision over all orders of the rows within each group; NaN without positives.

    A group of m rows, a of them positive, comes after N rows with T positives. In a random order its k-th row is positive
    with probability a/m, and then (k−1)(a−1)/(m−1) positives of the group are expected above it. The sum over k of the
    precisions (T + 1 + (k−1)(a−1)/(m−1))/(N + k) is a combination of m and H(N+m) − H(N), with harmonic numbers H.
    """
    cdef:
        int64_t count, group = 0, size = 0, true_positives = 0, predicted = 0
        double total = 0, difference
        Py_ssize_t i
    for i in range(n_rows):
        count = counts[order[i]]
        size += count
        if flags[i] & POSITIVE:
            group += count
        if flags[i] & LAST:
            if group > 0:
                difference = harmonic[predicted + size] - harmonic[predicted]
                total += (<double>group / <double>size) * (<double>true_positives + 1) * difference
                if size > 1:
                    total += (
                        (<double>group / <double>size)
                        * (<double>(group - 1) / <double>(size - 1))
                        * (<double>size - (<double>predicted + 1) * difference)
                    )
            true_positives += group
            predicted += size
            group = 0
            size = 0
    return total / <double>true_positives if true_positives > 0 else NAN


cdef double _roc_auc(
    const int64_t* order, const uint8_t* flags, const weight_t* weights, Py_ssize_t n_rows
) noexcept nogil:
    """Share of (positive, negative) pairs in the right order, ties counting half; NaN for one class only."""
    cdef:
        weight_t group_positive = 0, group_negative = 0, positives = 0, negatives = 0
        double pairs = 0
        Py_ssize_t i
    for i in range(n_rows):
        if flags[i] & POSITIVE:
            group_positive += weights[order[i]]
        else:
            group_negative += weights[order[i]]
        if flags[i] & LAST:
            pairs += <double>group_negative * (<double>positives + 0.5 * <double>group_positive)
            positives += group_positive
            negatives += group_negative
            group_positive = 0
            group_negative = 0
    if positives > 0 and negatives > 0:
        return pairs / (<double>positives * <double>negatives)
    return NAN


cdef double _cut_metric(
    Metric metric, double tp, double fp, double positives, double negatives
) noexcept nogil:
    cdef double fn = positives - tp, tn = negatives - fp, variance
    if metric == BALANCED_ACCURACY:
        return 0.5 * (tp / positives + tn / negatives)
    if metric == F1:
        return 2 * tp / (tp + fp + positives)
    if metric == G_MEAN:
        return sqrt((tp / positives) * (tn / negatives))
    variance = (tp + fp) * (tn + fn) * positives * negatives
    return (tp * tn - fp * fn) / sqrt(variance) if variance > 0 else 0


cdef Py_ssize_t _best_cut(
    const int64_t* order,
    const uint8_t* flags,
    const weight_t* weights,
    Py_ssize_t n_rows,
    Metric metric,
    double* best_value,
) noexcept nogil:
    """Number of leading groups to label positive, and the metric there.

    Only cuts directly below a group with positive weight are tried: one more negative labelled positive raises
    none of these metrics. (For MCC: its square is informedness·markedness, and both fall.)
    """
    cdef:
        weight_t weight, group = 0, positives = 0, negatives = 0, true_positives = 0, false_positives = 0
        double value
        Py_ssize_t i, n_groups = 0, best = 0
    for i in range(n_rows):
        if flags[i] & POSITIVE:
            positives += weights[order[i]]
        else:
            negatives += weights[order[i]]
    if not (positives > 0 and negatives > 0):
        best_value[0] = NAN
        return 0
    best_value[0] = _cut_metric(metric, 0, 0, <double>positives, <double>negatives)
    for i in range(n_rows):
        weight = weights[order[i]]
        if flags[i] & POSITIVE:
            group += weight
        else:
            false_positives += weight
        if flags[i] & LAST:
            n_groups += 1
            if group > 0:
                true_positives += group
                group = 0
                value = _cut_metric(
                    metric,
                    <double>true_positives,
                    <double>false_positives,
                    <double>positives,
                    <double>negatives,
                )
                if value > best_value[0] + TIE:
                    best_value[0] = value
                    best = n_groups
    return best


cdef class Ranking:
    """Rows sorted once by falling score.

    Parameters
    ----------
    score : array of shape (n_rows,)
        Finite float64; higher means more likely positive.
    positive : boolean array of shape (n_rows,)
    """

    cdef readonly Py_ssize_t n_rows
    cdef readonly object levels
    cdef object _order, _flags, _group_ends

    def __init__(self, score, positive):
        score = np.ascontiguousarray(score, dtype=np.float64)
        positive = np.ascontiguousarray(positive, dtype=np.bool_)
        if score.ndim != 1 or score.shape != positive.shape or score.shape[0] == 0:
            raise ValueError(
                f"score and positive must be equally long vectors, got {score.shape} and {positive.shape}"
            )
        self.n_rows = score.shape[0]
        order = np.argsort(-score, kind="stable")
        ordered = score[order]
        last = np.append(ordered[1:] != ordered[: self.n_rows - 1], True)
        self._order = np.ascontiguousarray(order, dtype=np.int64)
        self._flags = positive[order] * np.uint8(POSITIVE) | last * np.uint8(LAST)
        self._group_ends = np.flatnonzero(last)
        self.levels = ordered[last]

    def average_precision(self, weights):
        """Average precision for each row of `weights`; NaN for one without positive weight."""
        weights = self._check(weights)
        values = np.empty(weights.shape[0])
        if weights.dtype == np.int64:
            self._sweep(<const int64_t*>_numbers(weights, np.int64, 2), values, False)
        else:
            self._sweep(<const double*>_numbers(weights, np.float64, 2), values, False)
        return values

    def expected_average_precision(self, counts):
        """Average precision for each row of `counts`, whole numbers, with rows of equal score in random order.

        `average_precision` crosses such rows together, which lowers it: breaking the ties by noise would seem a gain.
        """
        counts = self._check(counts)
        if counts.dtype != np.int64:
            raise TypeError("counts must be whole numbers")
        values = np.empty(counts.shape[0])
        n_most = int(counts.sum(axis=1).max(initial=0))
        harmonic = np.append(0.0, np.cumsum(1.0 / np.arange(1, n_most + 1)))
        self._sweep_expected(<const int64_t*>_numbers(counts, np.int64, 2), harmonic, values)
        return values

    def roc_auc(self, weights):
        """Area under the ROC curve for each row of `weights`; NaN for one without weight on both classes."""
        weights = self._check(weights)
        values = np.empty(weights.shape[0])
        if weights.dtype == np.int64:
            self._sweep(<const int64_t*>_numbers(weights, np.int64, 2), values, True)
        else:
            self._sweep(<const double*>_numbers(weights, np.float64, 2), values, True)
        return values

    def best_cut(self, weights, metric):
        """For each row of `weights`, how many leading `levels` to label positive, and the metric there.

        Among equally good cuts the one with fewest positive labels is chosen. The metric is NaN if a class
        has no weight.
        """
        weights = self._check(weights)
        counts = np.empty(weights.shape[0], dtype=np.int64)
        values = np.empty(weights.shape[0])
        if weights.dtype == np.int64:
            self._sweep_cuts[int64_t](<const int64_t*>_numbers(weights, np.int64, 2), counts, values, _METRICS[metric])
        else:
            self._sweep_cuts[double](<const double*>_numbers(weights, np.float64, 2), counts, values, _METRICS[metric])
        return counts, values

    def curve(self, weights):
        """Weights of the true and the false positives with the first 0, 1, … all `levels` labelled positive."""
        ordered = self._check(weights)[0, self._order]
        positive = (self._flags & POSITIVE).astype(bool)
        true_positives = np.cumsum(np.where(positive, ordered, 0))[self._group_ends]
        false_positives = np.cumsum(np.where(positive, 0, ordered))[self._group_ends]
        return np.append(0.0, true_positives), np.append(0.0, false_positives)

    def _check(self, weights):
        weights = np.atleast_2d(weights)
        weights = np.ascontiguousarray(weights, dtype=np.int64 if weights.dtype.kind in "iub" else np.float64)
        if weights.ndim != 2 or weights.shape[1] != self.n_rows:
            raise ValueError(
                f"weights must have {self.n_rows} columns, one per row ranked, got shape {weights.shape}"
            )
        return weights

    cdef int _sweep(self, const weight_t* weights, values, bint roc) except -1:
        cdef:
            const int64_t* order = <const int64_t*>_numbers(self._order, np.int64, 1)
            const uint8_t* flags = <const uint8_t*>_numbers(self._flags, np.uint8, 1)
            double* value = <double*>_numbers(values, np.float64, 1, True)
            Py_ssize_t i, n_rows = self.n_rows, n_sweeps = len(values)
        with nogil:
            for i in range(n_sweeps):
                if roc:
                    value[i] = _roc_auc(order, flags, weights + i * n_rows, n_rows)
                else:
                    value[i] = _average_precision(order, flags, weights + i * n_rows, n_rows)
        return 0

    cdef int _sweep_expected(self, const int64_t* counts, harmonic, values) except -1:
        cdef:
            const int64_t* order = <const int64_t*>_numbers(self._order, np.int64, 1)
            const uint8_t* flags = <const uint8_t*>_numbers(self._flags, np.uint8, 1)
            double* value = <double*>_numbers(values, np.float64, 1, True)
            const double* harmonics = <const double*>_numbers(harmonic, np.float64, 1)
            Py_ssize_t i, n_rows = self.n_rows, n_sweeps = len(values)
        with nogil:
            for i in range(n_sweeps):
                value[i] = _expected_average_precision(order, flags, counts + i * n_rows, harmonics, n_rows)
        return 0

    cdef int _sweep_cuts(self, const weight_t* weights, counts, values, Metric metric) except -1:
        cdef:
            const int64_t* order = <const int64_t*>_numbers(self._order, np.int64, 1)
            const uint8_t* flags = <const uint8_t*>_numbers(self._flags, np.uint8, 1)
            double* value = <double*>_numbers(values, np.float64, 1, True)
            int64_t* count = <int64_t*>_numbers(counts, np.int64, 1, True)
            Py_ssize_t i, n_rows = self.n_rows, n_sweeps = len(values)
        with nogil:
            for i in range(n_sweeps):
                count[i] = _best_cut(order, flags, weights + i * n_rows, n_rows, metric, &value[i])
        return 0
