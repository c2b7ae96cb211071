"""Data that change under a solve: any error or any status may come of it, but never a dead or hanging interpreter.

    python -m tools.attack mutation --minutes 30
    python -m tools.attack mutation --only 17        # one round again

Each round forks a child, which solves one problem again and again while another thread, or the callback of the solve
itself, writes NaN, infinities, 1e300, zeros and ordinary numbers into its rows, target, weights, floor and start. The
compiled functions are called directly as well: they read the caller's own arrays. The index arrays of sparse rows are
left alone: kernels follow them unchecked after the first look, and docs/trust.md says so.
"""

from __future__ import annotations

import argparse
import dataclasses
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

import drr
from drr._native import core
from tools.attack.children import in_child

VALUES = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e308, 0.0, 1.0, -1.0]
NUMBERS = [-(2**62), -1, 0, 1, 2**31, 2**62]  # for the rows that carry a floor
# Seconds of processor time, which a busy machine does not eat up, and ten times as many by the clock.
PATIENCE = 60
REFUSALS = (ValueError, drr.InfeasibleToleranceError)
# Every inner solve: Newton, sampled and heavy rows before conjugate gradients, more columns than rows.
SHAPES = [(3000, 8), (20_000, 20), (2500, 70), (400, 100), (80, 200)]
METHODS = ["auto", "auto:newton", "auto:pcg-sampled", "auto:pcg-woodbury", "auto:wide", "paper"]
WITHOUT_CALLBACK = ("core.tilt", "core.price_block", "core.certify_dual", "core.covariance")
FLOOR_METHODS = ["min_norm_point", "pairwise_frank_wolfe"]

Arrays = list[np.ndarray]
Solve = Callable[[Any], object]


class Mutator:
    """Writes into arrays that somebody else is reading, and puts back what was there."""

    def __init__(self, arrays: Arrays, rng: np.random.Generator) -> None:
        self._arrays = [array for array in arrays if array.size]
        self._originals = [array.copy() for array in self._arrays]
        self._rng = rng

    def write(self, *_: object) -> None:
        """Change a few numbers of one array; accepts what a callback is given."""
        which = int(self._rng.integers(len(self._arrays)))
        array, rng = self._arrays[which], self._rng
        places = rng.integers(array.size, size=int(rng.choice([1, 1, 3, 50])))
        values = VALUES if array.dtype.kind == "f" else NUMBERS
        with np.errstate(over="ignore"):
            array.reshape(-1)[places] = values[int(rng.integers(len(values)))]
        if rng.uniform() < 0.5:
            self.restore(which)

    def restore(self, which: int | None = None) -> None:
        for number in range(len(self._arrays)) if which is None else [which]:
            self._arrays[number][...] = self._originals[number]


def draw_round(seed: int) -> tuple[str, Arrays, Solve]:
    """A problem, the arrays that may change under it, and how it is solved."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = SHAPES[seed % len(SHAPES)]
    rows: Any = rng.normal(size=(n_rows, n_columns)).astype(rng.choice(["f8", "f4"]))
    target = rows[: max(3, n_rows // 50)].mean(axis=0).astype(float) + 0.1
    weights = rng.uniform(0.5, 2.0, size=n_rows)
    threads = int(rng.integers(1, 3))
    sparse = rng.uniform() < 0.3
    if sparse:
        rows = scipy.sparse.csr_array(np.where(rng.uniform(size=rows.shape) < 0.3, rows, 0))
    stored = [rows.data] if sparse else [rows]
    if rng.uniform() < 0.5:
        name, arrays, solve = _public_round(rng, rows, target, weights, threads)
    else:
        name, arrays, solve = _compiled_round(rng, rows, target, weights, threads)
    kind = "CSR" if sparse else str(rows.dtype)
    return f"{name}, {n_rows}×{n_columns} {kind}, {threads} threads", stored + arrays, solve


def _public_round(rng, rows, target, weights, threads) -> tuple[str, Arrays, Solve]:
    method = str(rng.choice(["auto", "auto", "paper"]))
    base_weights = weights if rng.uniform() < 0.5 else None
    options = {"base_weights": base_weights, "n_threads": threads, "method": method}
    arrays = [target] + ([weights] if base_weights is not None else [])
    kind = rng.choice(["rake", "solve_dual", "find_floor"])
    if kind == "rake":
        return (
            f"rake, {method}",
            arrays,
            lambda callback: drr.rake(rows, target, callback=callback, **options),
        )
    if kind == "find_floor":
        limit = 300 if method == "paper" else None
        return (
            f"find_floor, {method}",
            arrays,
            lambda callback: drr.find_floor(rows, target, callback=callback, max_iter=limit, **options),
        )
    floor = drr.find_floor(rows, target, base_weights=base_weights)
    tolerance = drr.choose_tolerance(floor, floor.base_discrepancy)
    start = drr.solve_dual(rows, target, 2 * tolerance)
    # A floor of its own: the fields of a result are plain arrays, and anybody may write into them.
    floor = dataclasses.replace(
        floor, lower_bound=float(rng.choice([floor.lower_bound, np.nan, np.inf, 0.0]))
    )
    given = {"floor": floor if rng.uniform() < 0.7 else None, "start": start if rng.uniform() < 0.5 else None}
    arrays += [floor.residual, floor.support_weights, start.theta]
    return (
        f"solve_dual, {method}",
        arrays,
        lambda callback: drr.solve_dual(rows, target, tolerance, callback=callback, **given, **options),
    )


def _compiled_round(rng, rows, target, weights, threads) -> tuple[str, Arrays, Solve]:
    weights = weights / weights.sum()
    log_weights = np.log(weights)
    theta = 0.1 * rng.normal(size=rows.shape[1])
    support = np.flatnonzero(rng.uniform(size=len(weights)) < 0.1).astype(np.int64)
    support_weights, direction = np.full(len(support), 1 / len(support)), rng.normal(size=rows.shape[1])
    kind = rng.choice(
        ["solve_dual", "find_floor", "tilt", "tilt_block", "price_block", "certify_dual", "covariance"]
    )
    if kind == "solve_dual":
        method = str(rng.choice(METHODS))
        arguments = (
            rows,
            target,
            0.3,
            log_weights,
            support,
            support_weights,
            np.nan,
            direction,
            method,
            60,
            threads,
        )
        return (
            f"core.solve_dual, {method}",
            [target, log_weights, support_weights, direction, support],
            lambda callback: core.solve_dual(*arguments, callback),
        )
    if kind == "find_floor":
        method = str(rng.choice(FLOOR_METHODS))
        return (
            f"core.find_floor, {method}",
            [target, weights],
            lambda callback: core.find_floor(rows, target, weights, method, 300, threads, callback),
        )
    arrays = [target, theta, weights, log_weights, support, support_weights]
    calls: dict[str, Solve] = {
        "tilt": lambda _: core.tilt(rows, theta, log_weights, target, threads),
        "tilt_block": lambda _: core.tilt_block(rows, target, log_weights, theta, 1, 3.0, 50, threads),
        "price_block": lambda _: core.price_block(rows, target, weights, theta, 0.0, 20, threads),
        "certify_dual": lambda _: core.certify_dual(
            rows, target, 0.3, theta, log_weights, support, support_weights, threads
        ),
        "covariance": lambda _: core.covariance(rows, target, weights, threads),
    }
    return f"core.{kind}", arrays, calls[str(kind)]


def attack(seed: int, seconds: float) -> str:
    """Solve for that long while everything changes; what became of the solves, or what is wrong."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    signal.alarm(10 * PATIENCE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        name, arrays, solve = draw_round(seed)
    rng = np.random.default_rng(seed + 1)
    mutator = Mutator(arrays, rng)
    by_callback = seed % 3 == 0 and not name.startswith(WITHOUT_CALLBACK)
    ended = threading.Event()

    def keep_writing() -> None:
        while not ended.is_set():
            mutator.write()
            time.sleep(float(rng.choice([0.0, 1e-4, 1e-3])))

    writer = threading.Thread(target=keep_writing, daemon=True)
    if not by_callback:
        writer.start()
    ends: Counter[str] = Counter()
    until = time.monotonic() + seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while time.monotonic() < until:
            mutator.restore()
            try:
                solve(mutator.write if by_callback else None)
                ends["a result"] += 1
            except REFUSALS as error:
                ends[type(error).__name__] += 1
    ended.set()
    if not by_callback:
        writer.join()
    return f"{name}: " + ", ".join(f"{count} {end}" for end, count in ends.most_common())


def import_all() -> None:
    """Import what the children need before they are forked: names of the package are imported on first use."""
    for name in ("rake", "find_floor", "solve_dual", "choose_tolerance", "InfeasibleToleranceError"):
        getattr(drr, name)


def run(n_rounds: int, first_seed: int, seconds: float, minutes: float = np.inf) -> int:
    """Attack round after round; the number of failures."""
    import_all()
    failures, done, until = 0, 0, time.monotonic() + 60 * minutes
    for seed in range(first_seed, first_seed + n_rounds):
        if time.monotonic() > until:
            break
        said = in_child(lambda: attack(seed, seconds))  # noqa: B023 - called at once
        done += 1
        if said.startswith("FAILED"):
            failures += 1
            print(f"round {seed}: {said}", flush=True)
    print(f"{done} rounds of {seconds:g} s, data changed by a thread or a callback: {failures} failures")
    return failures


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack mutation", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one round")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one round by its number")
    options = parser.parse_args(arguments)
    if options.only is not None:
        said = in_child(lambda: attack(options.only, options.seconds))
        print(said)
        return int(said.startswith("FAILED"))
    return int(bool(run(10**9, options.first_seed, options.seconds, options.minutes)))
