"""Many small calls in one process: memory, open files and threads must stay where they were after the first of them.

python -m tools.attack endurance --rakes 20000 --fits 500
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import drr

MEGABYTES = 4.0  # what the allocator may keep more than after the warm-up
BLOCKS = 2000  # objects of Python: caches of NumPy and of the interpreter


class Held(NamedTuple):
    megabytes: float
    """of private memory"""
    blocks: int
    """of Python's allocator"""
    files: int
    threads: int


def held() -> Held:
    """What this process holds now (Linux)."""
    gc.collect()
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if "RssAnon" in line)
    files, threads = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
    return Held(int(line.split()[1]) / 1024, sys.getallocatedblocks(), files, threads)


def rake(number: int) -> None:
    """One small problem: dense, single precision, sparse, from blocks or impossible."""
    rng = np.random.default_rng(number % 200)
    rows = rng.normal(size=(60, 4))
    target = rows[:6].mean(axis=0)
    kind = number % 5
    try:
        if kind == 4:
            drr.solve_dual(rows, target + 100, 0.0)
        else:
            forms = (
                rows,
                rows.astype(np.float32),
                scipy.sparse.csr_array(rows),
                drr.open_rows(rows, block_rows=20),
            )
            drr.rake(forms[kind], target, n_threads=1 + number % 2)
    except drr.InfeasibleToleranceError:
        pass


def fit(number: int) -> None:
    """One classifier, fitted and asked for its scores."""
    rng = np.random.default_rng(number % 20)
    y = (np.arange(300) < 30).astype(int)
    X = rng.normal(size=(300, 3)) + y[:, None]
    dual = drr.RakingDual(drr.RakingFeatureMap(8, random_state=0), n_threads=1 + number % 2)
    model = drr.DRRClassifier(LogisticRegression(), dual=dual, random_state=number % 20)
    model.fit(X, y).predict_proba(X)


def growth(call: Callable[[int], None], times: int) -> Held:
    """What is held more after that many calls than after the first tenth of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warm = max(20, times // 10)
        for number in range(warm):
            call(number)
        before = held()
        for number in range(warm, warm + times):
            call(number)
    return Held(*(after - start for after, start in zip(held(), before, strict=True)))


def wrong_about(grown: Held) -> list[str]:
    """What grew by more than it may."""
    limits = Held(MEGABYTES, BLOCKS, 0, 0)
    return [
        f"{number:g} {name} more"
        for name, number, limit in zip(Held._fields, grown, limits, strict=True)
        if number > limit
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack endurance", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--rakes", type=int, default=20_000)
    parser.add_argument("--fits", type=int, default=500)
    options = parser.parse_args(arguments)
    failures = 0
    for name, call, times in (("rakes", rake, options.rakes), ("fits", fit, options.fits)):
        grown = growth(call, times)
        wrong = wrong_about(grown)
        failures += len(wrong)
        print(
            f"{times} {name}: {grown.megabytes:+.1f} MB, {grown.blocks:+d} blocks, {grown.files:+d} files, "
            f"{grown.threads:+d} threads" + (f" - FAILED: {'; '.join(wrong)}" if wrong else ""),
            flush=True,
        )
    return bool(failures)
