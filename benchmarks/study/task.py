"""The work of one trial on one data set."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.study.base_scores import BaseScores
from benchmarks.study.datasets import load_dataset
from benchmarks.study.learners import LEARNERS, STANDALONE
from benchmarks.study.methods import METHODS
from benchmarks.study.metrics import Outcome, measure
from benchmarks.study.problem import Problem
from benchmarks.study.store import Cell

Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A method under a learner, with the arms that are still missing."""

    method: str
    learner: str
    arms: frozenset[str]


@dataclass(frozen=True)
class Task:
    """A data set, a trial, and the jobs to do there; the duals and bases are shared among them."""

    dataset: str
    trial: int
    jobs: tuple[Job, ...]

    @property
    def n_cells(self) -> int:
        return sum(len(job.arms) for job in self.jobs)


def plan(
    datasets: dict[str, range], methods: tuple[str, ...], learners: tuple[str, ...], done: set[Cell]
) -> list[Task]:
    """The tasks still to do, trial after trial, so that any stop leaves the same trials of all data sets."""
    tasks = []
    for trial in range(max((trials.stop for trials in datasets.values()), default=0)):
        for dataset, trials in datasets.items():
            if trial in trials and (jobs := _jobs(dataset, trial, methods, learners, done)):
                tasks.append(Task(dataset, trial, tuple(jobs)))
    return tasks


def _jobs(
    dataset: str, trial: int, methods: tuple[str, ...], learners: tuple[str, ...], done: set[Cell]
) -> Iterator[Job]:
    """Learner by learner, so that a stop loses at most one base fit."""
    for learner in (STANDALONE, *learners):
        for name in methods:
            if learner in METHODS[name].learners:
                arms = {arm for arm in METHODS[name].arms() if Cell(dataset, trial, learner, arm) not in done}
                if arms:
                    yield Job(name, learner, frozenset(arms))


def perform(task: Task, directory: Path, kept: BaseScores | None = None) -> Iterator[list[Row]]:
    """The rows of each job as soon as it is done; a failure is a row with its reason."""
    problem = Problem(load_dataset(task.dataset, directory), task.trial, kept)
    for job in task.jobs:
        yield _perform_job(problem, job)


def _perform_job(problem: Problem, job: Job) -> list[Row]:
    rows: list[Row] = []
    learner = LEARNERS.get(job.learner)
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for outcome in METHODS[job.method].run(problem, learner):
                if outcome.method in job.arms:
                    rows.append(_row(problem, job, outcome))
        notes = summarise(caught)
        elapsed = time.perf_counter() - begin
        return [row | {"warnings": notes, "seconds": elapsed / len(rows)} for row in rows]
    except (ValueError, RuntimeError, FloatingPointError, ArithmeticError, MemoryError) as error:
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        finished = {row["method"] for row in rows}
        return rows + [_keys(problem, job, arm) | {"error": reason} for arm in sorted(job.arms - finished)]


def _row(problem: Problem, job: Job, outcome: Outcome) -> Row:
    figures = measure(outcome, problem.threshold.y, problem.test.y)
    return _keys(problem, job, outcome.method) | figures | {"extra": outcome.extra}


def _keys(problem: Problem, job: Job, arm: str) -> Row:
    return {"dataset": problem.dataset.name, "trial": problem.trial, "learner": job.learner, "method": arm}


def summarise(caught: list[warnings.WarningMessage]) -> str:
    """The kinds of warnings with their number, as ``ConvergenceWarning*2``."""
    kinds = Counter(warning.category.__name__ for warning in caught)
    return " ".join(f"{kind}*{number}" for kind, number in sorted(kinds.items()))
