"""The feasibility floor in passes: column generation with a working set of rows in memory.

Each round finds the point of smallest norm over the working set, exactly and in memory, then prices all rows along it
in one pass: the lowest score bounds the floor from below, and the most violated rows join the working set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._native import core
from drr._native.progress import Callback, report
from drr._native.threads import resolve_n_threads
from drr.raking.results import Floor, Status
from drr.streaming.passes import Fetch, PassRunner, PickedRows, Price, Survey, SurveyAnswer, Vector

DEFAULT_MAX_ITER = 1000
_SAMPLE_BYTES = 96 * 2**20
_BATCH_BYTES = 16 * 2**20


def rows_to_sample(n_columns: int) -> int:
    """Return how many rows a sample holds: 200 per column if 96 MB of doubles allow it, and at least 12.

    With s = cK rows a sampled Hessian is within (1 ± 1/√c)² of that of all rows.
    """
    affordable = _SAMPLE_BYTES // (8 * n_columns)
    return max(4096, 12 * n_columns, min(200 * n_columns, affordable))


def rows_to_price(n_columns: int) -> int:
    """Return how many rows a pricing pass brings: a pass costs more than the inner products of more rows."""
    return int(np.clip(_BATCH_BYTES // (8 * n_columns), 256, 2048))


class Passes:
    """Counts the passes of a runner, and checks that the rows do not change between them."""

    def __init__(self, runner: PassRunner, target: Vector, n_threads: int | None) -> None:
        self.runner, self.target, self.n_threads = runner, target, n_threads
        self.count = 0
        self._n_rows: int | None = None

    def run(self, kind: Any, *arguments: Any, **options: Any) -> Any:
        """Make one pass with a request."""
        request = kind(self.target, *arguments, **options, n_threads=self.n_threads)
        answer = self.runner.run_pass(request)
        self.count += 1
        if self._n_rows is None:
            self._n_rows = answer.n_rows
        elif answer.n_rows != self._n_rows:
            raise ValueError(
                f"the rows changed during the fit: the first pass saw {self._n_rows} of them, pass {self.count} saw "
                f"{answer.n_rows}; several passes are needed, and each must see the same rows"
            )
        return answer

    def survey(self) -> SurveyAnswer:
        """Make the first pass."""
        n_columns = len(self.target)
        most = rows_to_sample(n_columns)
        known = getattr(self.runner, "n_rows", None)
        # A fifth more than wanted: too large a sample is cut without loss, too small a one cannot be extended.
        limit = math.log(1.2 * most / known) if known and known > most else math.inf
        uniform = not getattr(self.runner, "has_weights", True)
        answer: SurveyAnswer = self.run(Survey, most, limit if uniform else math.inf)
        if answer.n_present == 0:
            raise ValueError(
                "base_weights are zero on every row; at least one majority row needs a positive weight"
                if answer.n_rows
                else "there are no rows: every block is empty"
            )
        core.check_distances(answer.largest_norm, answer.largest_coordinate)
        return answer


@dataclass(frozen=True, eq=False)
class FloorFound:
    """A floor with the rows that carry it, which the dual needs for its certificate."""

    floor: Floor
    support: PickedRows


def find_floor_in_passes(
    passes: Passes, survey: SurveyAnswer, max_iter: int, callback: Callback | None
) -> FloorFound:
    """Find certified bounds of the floor by the rule of the core; `max_iter` 0 means 1000 rounds."""
    max_iter = max_iter or DEFAULT_MAX_ITER
    gamma = float(np.linalg.norm(survey.mean))
    judge = core.FloorJudge(gamma, survey.largest_norm)
    most = rows_to_price(len(passes.target))

    # 1. The sample of the first pass and the nearest row: their floor is a good guess of the whole.
    working = _union(survey.nearest, survey.sample.picked)
    best: dict[str, Any] = {}
    for iteration in range(1, max_iter + 1):
        # 2. The point of smallest norm over the working set.
        point = core.find_floor(
            working.rows, passes.target, _shares(working.weights), "min_norm_point", 0, _threads(passes), None
        )
        value, x = float(point["value"]), point["residual"]
        if judge.is_certified(value, 0.0):  # the target is inside the hull: no lower bound is needed
            return _found(survey, gamma, working, point, 0.0, passes, iteration, Status.CONVERGED)

        # 3. Price all rows along it: both bounds, from scratch.
        answer = passes.run(Price, x / value, value, most)
        lower_bound = float(np.clip(answer.lowest, 0.0, value))
        report(
            callback,
            "floor",
            iteration,
            passes.count,
            value=value,
            lower_bound=lower_bound,
            gap=value - lower_bound,
            active=len(point["support"]),
        )
        stalled = judge.stalled(value, lower_bound)
        if judge.is_best():
            best = {"working": working, "point": point, "lower_bound": lower_bound}

        # 4. Stop at the certificate, at round-off, or at the limit.
        fresh = answer.picked.take(np.flatnonzero(~answer.picked.among(working)))
        if judge.is_certified(value, lower_bound):
            status = Status.CONVERGED
        elif judge.is_round_off(value, lower_bound) or not len(fresh) or stalled:
            status = Status.ROUND_OFF
        elif iteration == max_iter:
            status = Status.ITERATION_LIMIT
        else:
            # 5. The most violated rows join; of the others those nearest to the face stay.
            working = _union(_purged(working, point, passes.target, 4 * most), fresh)
            continue
        return _found(survey, gamma, **best, passes=passes, n_iter=iteration, status=status)
    raise AssertionError


def fetch_support(passes: Passes, floor: Floor, survey: SurveyAnswer) -> PickedRows:
    """Return the rows that carry a floor found earlier, by one pass."""
    numbers = np.array(sorted(survey.lengths), dtype=np.int64)
    ends = np.cumsum([survey.lengths[number] for number in numbers.tolist()])
    block = np.searchsorted(ends, floor.support, side="right")
    starts = ends - [survey.lengths[number] for number in numbers.tolist()]
    ids = np.column_stack([numbers[block], floor.support - starts[block]])
    picked: PickedRows = passes.run(Fetch, ids).picked
    return picked


def _found(
    survey: SurveyAnswer,
    gamma: float,
    working: PickedRows,
    point: dict[str, Any],
    lower_bound: float,
    passes: Passes,
    n_iter: int,
    status: Status,
) -> FloorFound:
    support = working.take(point["support"])
    rows = global_rows(support.ids, survey.lengths)
    order = np.argsort(rows)
    floor = Floor(
        value=float(point["value"]),
        lower_bound=lower_bound,
        residual=point["residual"],
        support=rows[order],
        support_weights=point["support_weights"][order],
        n_rows=survey.n_rows,
        base_mean=survey.mean + passes.target,
        base_discrepancy=gamma,
        n_iter=n_iter,
        n_passes=passes.count,
        method="min_norm_point",
        status=status,
    )
    return FloorFound(floor, support.take(order))


def global_rows(ids: NDArray[np.int64], lengths: dict[int, int]) -> NDArray[np.int64]:
    """Return the number of a row among all rows from its block and its number there."""
    numbers = np.array(sorted(lengths), dtype=np.int64)
    sizes = np.array([lengths[number] for number in numbers.tolist()], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.asarray(starts[np.searchsorted(numbers, ids[:, 0])] + ids[:, 1])


def _shares(weights: Vector) -> Vector:
    """Return base weights that sum to one, none of them zero.

    The core stops at a floor that is nothing beside the base discrepancy, which weights can make tiny.
    """
    shares = weights / weights.max()
    return np.asarray(np.maximum(shares / shares.sum(), np.finfo(np.float64).tiny))


def _purged(working: PickedRows, point: dict[str, Any], target: Vector, most: int) -> PickedRows:
    """Return the rows that carry weight, and those of lowest score among the others."""
    if len(working) <= most:
        return working
    x = point["residual"]
    scores = np.asarray(working.rows @ x) - target @ x
    scores[point["support"]] = -math.inf
    return working.take(np.sort(np.argpartition(scores, most)[:most]))


def _union(first: PickedRows, second: PickedRows) -> PickedRows:
    return first.merge(second.take(np.flatnonzero(~second.among(first))))


def _threads(passes: Passes) -> int:
    return resolve_n_threads(passes.n_threads)
