"""Passes over row blocks: what is asked of a block, what it answers, and how answers merge.

A fit on rows that do not fit in memory is a sequence of passes. In each, the same small *request* is put to every
block of rows, which may be on disk or on another machine; its answer holds a few vectors of one number per column,
and a few rows. Two answers merge into the answer of all their rows, so any map-reduce engine can make the pass::

    answer = drr.merge_passes(request(rows, number, weights) for number, (rows, weights) in enumerate(blocks))

`drr.rake`, `drr.find_floor` and `drr.solve_dual` take, in place of the rows, any object with an attribute
``n_columns`` and a method ``run_pass(request)`` that returns such an answer. Answers are merged in the order of the
block numbers: sums of floating-point numbers depend on their order, and a fixed one gives the same bits every time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar, runtime_checkable

from drr.exceptions import NonfiniteRowError
from drr.streaming.answers import (
    FetchAnswer,
    PickedRows,
    PriceAnswer,
    Sample,
    SurveyAnswer,
    TiltAnswer,
    Vector,
)
from drr.streaming.requests import Fetch, Price, Request, Survey, TiltSums

__all__ = [
    "Fetch",
    "FetchAnswer",
    "Merging",
    "NonfiniteRowError",
    "PassRunner",
    "PickedRows",
    "Price",
    "PriceAnswer",
    "Request",
    "Sample",
    "Survey",
    "SurveyAnswer",
    "TiltAnswer",
    "TiltSums",
    "Vector",
    "merge_passes",
]

Answer = TypeVar("Answer", SurveyAnswer, PriceAnswer, TiltAnswer, FetchAnswer)


class Merging:
    """Merges answers as they come: neighbours into groups, groups into the total.

    What is merged is copied, and may hold many rows. So within a group equals are merged with equals, as in a
    tournament, which copies a row six times and not once for every answer that follows; and few groups meet the total.
    """

    _group_size = 64

    def __init__(self) -> None:
        self.total: Any = None
        """of the groups that are complete"""
        self._group: list[tuple[int, Any]] = []  # (how many answers, merged), the more the earlier

    def add(self, answer: Any) -> bool:
        """The next answer; whether it completed a group."""
        size = 1
        while self._group and self._group[-1][0] == size:
            answer = self._group.pop()[1].merge(answer)
            size *= 2
        if size < self._group_size:
            self._group.append((size, answer))
            return False
        self.total = answer if self.total is None else self.total.merge(answer)
        return True

    def result(self) -> Any:
        """The answer of all so far; None without any."""
        result = None
        for _, answer in reversed(self._group):
            result = answer if result is None else answer.merge(result)
        if self.total is None or result is None:
            return self.total if result is None else result
        return self.total.merge(result)

    def whole(self) -> Any:
        """The answer of all, of which there must be some."""
        result = self.result()
        if result is None:
            raise ValueError("there are no blocks: a pass needs at least one")
        return result


def merge_passes(answers: Iterable[Answer]) -> Answer:
    """The answer of all rows from the answers of blocks, or from answers that were merged before.

    Merging is associative: answers may be merged in groups, on several machines, as long as neighbours are merged and
    their order is kept. The result then agrees up to rounding, and to the last bit for the same grouping.

    Examples
    --------
    >>> import numpy as np
    >>> from drr.streaming.passes import TiltSums, merge_passes
    >>> rows = np.arange(6.0).reshape(-1, 1)
    >>> request = TiltSums(np.zeros(1), theta=np.ones(1))
    >>> parts = [request(rows[:2], 0), request(rows[2:], 1)]
    >>> bool(np.isclose(merge_passes(parts).log_sum, np.log(np.exp(rows).sum())))
    True
    """
    merging = Merging()
    for answer in answers:
        merging.add(answer)
    return merging.whole()  # type: ignore[no-any-return]


@runtime_checkable
class PassRunner(Protocol):
    """Whatever can put a request to every block and merge the answers."""

    n_columns: int

    def run_pass(self, request: Any) -> Any:
        """``merge_passes(request(rows, number, weights) …)`` over all blocks, in the order of their numbers."""
