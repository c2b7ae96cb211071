"""Concurrency: many threads, forks, workers and Ctrl-C at random moments; nothing may differ, hang or stay behind.

python -m tools.attack concurrency --interrupts 500
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import drr

PATIENCE = 600  # seconds: a worker imports everything anew, which a loaded machine takes a minute for


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(1500) < 100
    return rng.normal(size=(1500, 6)) + 0.7 * y[:, None], y.astype(int)


def classifier(n_threads: int = 2) -> drr.DRRClassifier:
    dual = drr.RakingDual(drr.RakingFeatureMap(32, random_state=0), n_threads=n_threads)
    return drr.DRRClassifier(LogisticRegression(), dual=dual, random_state=0)


def scores_of(model: Any, X: np.ndarray) -> bytes:
    return np.ascontiguousarray(model.fused_score(X)).tobytes() + model.predict_proba(X).tobytes()


def n_threads_of_process() -> int:
    return (
        len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else threading.active_count()
    )


def attack_shared_estimator(n_workers: int, n_tasks: int) -> list[str]:
    """Threads score one fitted estimator and fit clones of it, all at once."""
    X, y = data()
    model = classifier().fit(X, y)
    expected = scores_of(model, X)

    def task(number: int) -> bool:
        if number % 4 == 0:
            return scores_of(clone(model).fit(X, y), X) == expected
        return scores_of(model, X) == expected

    with ThreadPoolExecutor(n_workers) as pool:
        same = list(pool.map(task, range(n_tasks)))
    return [] if all(same) else [f"{same.count(False)} of {n_tasks} concurrent results differ"]


def attack_one_estimator_fitted_by_many(n_workers: int) -> list[str]:
    """Threads fit the same object with the same data: it must end up fitted, and right."""
    X, y = data()
    model = classifier()
    expected = scores_of(classifier().fit(X, y), X)
    with ThreadPoolExecutor(n_workers) as pool:
        list(pool.map(lambda _: model.fit(X, y), range(2 * n_workers)))
    return [] if scores_of(model, X) == expected else ["an object fitted by many threads at once is wrong"]


def _child(expected: bytes, result: Any) -> None:
    X, y = data()
    result.put(scores_of(classifier().fit(X, y), X) == expected)


def _fork_and_fit(expected: bytes) -> list[str]:
    context = multiprocessing.get_context("fork")
    result = context.Queue()
    child = context.Process(target=_child, args=(expected, result))
    child.start()
    child.join(PATIENCE)
    if child.is_alive():
        child.kill()
        return ["a forked child hangs"]
    return (
        [] if child.exitcode == 0 and result.get() else [f"a forked child fails, exit code {child.exitcode}"]
    )


def attack_fork() -> list[str]:
    """A forked child fits with threads, after the parent has."""
    X, y = data()
    return _fork_and_fit(scores_of(classifier().fit(X, y), X))


def attack_fork_during_fits(n_children: int) -> list[str]:
    """Children forked while another thread of the parent is in the middle of a solve, whatever it holds."""
    X, y = data()
    expected = scores_of(classifier().fit(X, y), X)
    rows = np.random.default_rng(1).normal(size=(4000, 40))
    ended = threading.Event()

    def keep_raking() -> None:
        while not ended.is_set():
            drr.rake(rows, rows[:9].mean(axis=0), n_threads=2)

    with ThreadPoolExecutor(1) as pool:
        raking = pool.submit(keep_raking)
        try:
            wrong = [what for _ in range(n_children) for what in _fork_and_fit(expected)]
        finally:
            ended.set()
        raking.result()
    return wrong


def _fit_and_score(X: np.ndarray, y: np.ndarray) -> bytes:
    return scores_of(classifier().fit(X, y), X)


def attack_loky() -> list[str]:
    """Workers of joblib fit, and score a model that was fitted here; then their executor is shut down."""
    X, y = data()
    model = classifier().fit(X, y)
    expected = scores_of(model, X)
    tasks = [joblib.delayed(_fit_and_score)(X, y), joblib.delayed(scores_of)(model, X)] * 4
    try:
        found = joblib.Parallel(n_jobs=2, backend="loky", timeout=PATIENCE)(tasks)
    except TimeoutError:
        return [f"workers of joblib have not answered in {PATIENCE} s"]
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
    return [] if all(each == expected for each in found) else ["workers of joblib find other scores"]


def attack_by_interrupts(n_interrupts: int) -> list[str]:
    """A signal at a random moment of each fit. The object must afterwards refuse to score, or score what it should."""
    X, y = data()
    started = time.monotonic()
    expected = scores_of(classifier().fit(X, y), X)
    duration = time.monotonic() - started
    wrong, interrupted = [], 0
    chosen = random.Random(0)
    armed = False

    def handler(*_: object) -> None:
        if armed:
            raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, handler)
    model = classifier()
    try:
        for number in range(n_interrupts):
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, chosen.uniform(1e-4, 1.1 * duration))
                model.fit(X, y)
                armed = False
            except KeyboardInterrupt:
                armed = False
                interrupted += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            try:
                if scores_of(model, X) != expected:
                    wrong.append(f"scores differ after interrupt {number}")
            except NotFittedError:
                pass
            except Exception as error:
                wrong.append(f"after interrupt {number}: {type(error).__name__}: {error}")
        if scores_of(model.fit(X, y), X) != expected:
            wrong.append("a fit after all interrupts differs")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    print(f"  {interrupted} of {n_interrupts} fits were interrupted")
    return wrong


def attack_thread_counts() -> list[str]:
    X, y = data()
    found = {scores_of(classifier(n).fit(X, y), X) for n in (1, 2, 3, 8)}
    return [] if len(found) == 1 else ["the number of threads changes bits"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack concurrency", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--children", type=int, default=20, help="forked in the middle of fits")
    parser.add_argument("--interrupts", type=int, default=500)
    options = parser.parse_args(arguments)
    X, y = data()
    classifier().fit(X, y)  # what libraries start once is not ours
    before = n_threads_of_process()
    failures = 0
    for name, run in (
        ("thread counts", attack_thread_counts),
        ("shared estimator", lambda: attack_shared_estimator(options.workers, options.tasks)),
        ("one object fitted by many", lambda: attack_one_estimator_fitted_by_many(options.workers)),
        ("fork after a fit", attack_fork),
        ("fork during fits", lambda: attack_fork_during_fits(options.children)),
        ("interrupts", lambda: attack_by_interrupts(options.interrupts)),
        ("joblib workers", attack_loky),
    ):
        wrong = run()
        failures += len(wrong)
        print(f"{name}: " + ("; ".join(wrong) if wrong else "nothing wrong"), flush=True)
    after = n_threads_of_process()
    if after > before:
        failures += 1
        print(f"{after - before} threads were left behind")
    else:
        print(f"threads left behind: none ({before} before, {after} after)")
    lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(
        f"{options.tasks} tasks on {options.workers} threads, {options.children} forks during fits, "
        f"{options.interrupts} interrupts, {failures} failures; interpreter lock {'on' if lock else 'off'}"
    )
    return bool(failures)
