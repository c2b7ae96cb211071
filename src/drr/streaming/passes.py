"""Passes over row blocks: requests, their answers, and how answers merge; `drr.streaming` says how they are used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar, runtime_checkable

from drr.streaming.queries.fetch import Fetch, FetchAnswer
from drr.streaming.queries.picked_rows import PickedRows, Sample
from drr.streaming.queries.price import Price, PriceAnswer
from drr.streaming.queries.query import Request, Vector
from drr.streaming.queries.survey import Survey, SurveyAnswer
from drr.streaming.queries.tilt import TiltAnswer, TiltSums

__all__ = [
    "Fetch",
    "FetchAnswer",
    "Merging",
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
        """Add the next answer, and return whether it completed a group."""
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
        """Return the answer of all so far; None without any."""
        result = None
        for _, answer in reversed(self._group):
            result = answer if result is None else answer.merge(result)
        if self.total is None or result is None:
            return self.total if result is None else result
        return self.total.merge(result)

    def whole(self) -> Any:
        """Return the answer of all, of which there must be some."""
        result = self.result()
        if result is None:
            raise ValueError("there are no blocks: a pass needs at least one")
        return result


def merge_passes(answers: Iterable[Answer]) -> Answer:
    """Merge the answers of blocks, or answers that were merged before, into the answer of all rows.

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
        """Return ``merge_passes(request(rows, number, weights) …)`` over all blocks, in the order of their numbers."""
