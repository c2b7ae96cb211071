"""Runs tasks on worker processes of one thread each, and writes what they hand back."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from importlib.metadata import version
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from benchmarks.study import protocol
from benchmarks.study.base_scores import BaseScores
from benchmarks.study.datasets.folder import load_dataset
from benchmarks.study.learners import LEARNERS
from benchmarks.study.methods import METHODS
from benchmarks.study.store import Store
from benchmarks.study.task import Row, Task, perform, plan

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
BASES = "bases"  # the folder of the scores that all arms of a trial share
PACKAGES = ("numpy", "scipy", "scikit-learn", "imbalanced-learn", "pandas", "density-ratio-rescoring")


def configuration(datasets: tuple[str, ...], methods: tuple[str, ...], directory: Path) -> dict[str, Any]:
    """What determines the results: kept beside them, and compared before any are added."""
    return {
        "protocol": protocol.SETTINGS,
        "learners": {name: learner.settings for name, learner in LEARNERS.items()},
        "versions": {name: version(name) for name in PACKAGES} | {"python": sys.version.split()[0]},
        "data": {name: load_dataset(name, directory).sha256 for name in datasets},
        "methods": {
            name: {key: str(value) for key, value in METHODS[name].settings.items()} for name in methods
        },
    }


def run(
    directory: Path,
    out: Path,
    datasets: dict[str, range],
    methods: tuple[str, ...],
    learners: tuple[str, ...],
    n_jobs: int = 1,
) -> int:
    """Do what is missing; returns the number of cells that failed."""
    store = Store(out, configuration(tuple(datasets), methods, directory))
    try:
        tasks = plan(datasets, methods, learners, store.done)
        print(f"{len(store.done)} cells are done, {sum(task.n_cells for task in tasks)} to do", flush=True)
        return _run_tasks(tasks, directory, store, n_jobs)
    finally:
        store.close()


def _run_tasks(tasks: list[Task], directory: Path, store: Store, n_jobs: int) -> int:
    for name in THREAD_LIMITS:  # inherited by the workers before they load any numerical library
        os.environ[name] = "1"
    progress = Progress(tasks)
    context = multiprocessing.get_context("spawn")
    waiting, n_failed = list(reversed(tasks)), 0
    workers: dict[Connection, Any] = {}
    try:
        for _ in range(min(n_jobs, len(tasks))):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work, args=(theirs, directory, store.folder / BASES), daemon=True
            )
            process.start()
            theirs.close()
            workers[ours] = process
            ours.send(waiting.pop())
        while workers:
            for connection in wait(list(workers)):
                try:
                    message: list[Row] | Task | BaseException = connection.recv()
                except EOFError:
                    raise RuntimeError("a worker died; run the command again to continue") from None
                if isinstance(message, list):
                    store.append(message)
                    n_failed += sum(bool(row.get("error")) for row in message)
                    progress.advance(message)
                elif isinstance(message, BaseException):
                    raise message
                elif waiting:
                    progress.finish(message)
                    connection.send(waiting.pop())
                else:
                    progress.finish(message)
                    connection.send(None)
                    workers.pop(connection).join()
    finally:
        for process in workers.values():
            process.terminate()
        progress.close()
    return n_failed


def _work(connection: Connection, directory: Path, bases: Path) -> None:
    """A worker: rows as they come, then the task itself to say that it is done."""
    threading.Thread(target=_die_with_parent, args=(os.getppid(),), daemon=True).start()
    while (task := connection.recv()) is not None:
        try:
            for rows in perform(task, directory, BaseScores(bases)):
                connection.send(rows)
        except BaseException as error:
            connection.send(
                RuntimeError(f"{task.dataset}, trial {task.trial}: {type(error).__name__}: {error}")
            )
            return
        connection.send(task)


def _die_with_parent(parent: int) -> None:
    """A killed parent leaves no worker behind that would go on computing for nobody."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class Progress:
    """A line that says how far the run is and when it should end.

    Data sets differ a hundredfold in cost. The time left is estimated from the tasks of the same data set that are
    done, so it settles after one trial of each.
    """

    def __init__(self, tasks: list[Task]) -> None:
        self._left = list(tasks)
        self._n_cells = sum(task.n_cells for task in tasks)
        self._n_done = 0
        self._begin = self._last = time.monotonic()
        self._busy: dict[str, list[float]] = {}
        self._seconds: dict[tuple[str, int], float] = {}

    def advance(self, rows: list[Row]) -> None:
        self._n_done += len(rows)
        key = (rows[0]["dataset"], rows[0]["trial"])
        self._seconds[key] = self._seconds.get(key, 0.0) + sum(row.get("seconds") or 0.0 for row in rows)
        now = time.monotonic()
        if now - self._last > (0.5 if sys.stderr.isatty() else 30):
            self._last = now
            self._print(rows[0])

    def finish(self, task: Task) -> None:
        self._left.remove(task)
        self._busy.setdefault(task.dataset, []).append(self._seconds.pop((task.dataset, task.trial), 0.0))

    def _print(self, row: Row) -> None:
        elapsed = time.monotonic() - self._begin
        known = [task for task in self._left if task.dataset in self._busy]
        spent = sum(sum(values) for values in self._busy.values()) + sum(self._seconds.values())
        left = sum(sum(self._busy[task.dataset]) / len(self._busy[task.dataset]) for task in known)
        left = max(left - sum(self._seconds.values()), 0.0)
        unknown = len({task.dataset for task in self._left} - self._busy.keys())
        estimate = _clock(left * elapsed / spent) if spent > 0 else "?"
        more = f" and {unknown} data sets not yet timed" if unknown else ""
        share = self._n_done / max(self._n_cells, 1)
        bar = "#" * int(24 * share)
        text = (
            f"[{bar:<24}] {self._n_done}/{self._n_cells} cells, {_clock(elapsed)} gone, {estimate} left{more}; "
            f"{row['dataset']} trial {row['trial']} {row['learner']} {row['method']}"
        )
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{text[:160]:<160}" if end == "\r" else text, end=end, file=sys.stderr, flush=True)

    def close(self) -> None:
        print(
            f"\n{self._n_done} cells in {_clock(time.monotonic() - self._begin)}", file=sys.stderr, flush=True
        )


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
