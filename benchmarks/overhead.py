"""What rescoring adds to the fit of its base, and in which stage: ``DRR_DATA=... python -m benchmarks.overhead``.

On the training half of each table the base is fitted alone, on all rows, and inside `DRRClassifier` with its defaults.
Both take turns, on one thread, and the smallest processor time of each counts: other work on the machine disturbs it
little. Then the time of one more fit is divided among its stages, in which calls of one stage within another count
once. "cover" is large/cover.npz, 286 048 rows of 10 columns as an array; all others are frames of tabular24/.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import contextlib
import functools
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.bases.learners import LEARNERS
from benchmarks.tabular import data_directory, load_table
from drr import DRRClassifier
from drr.composition import fitting, models, rescoring
from drr.raking import estimator, one_versus_rest
from drr.raking.problem import ArrayProblem

SETS = (
    "glass4",
    "yeast",
    "led",
    "libras_move",
    "winequality",
    "arrhythmia",
    "oil",
    "flare-f",
    "car-good",
    "hypo",
)
SETS += ("abalone", "us_crime", "sick", "mammography")

# What is timed, and under which name: the places where the package looks these functions up.
STAGES: dict[str, list[tuple[Any, str]]] = {
    "base": [
        *((fitting, name) for name in ("fit_out_of_bag", "out_of_bag_scores")),
        *((models, name) for name in ("fitted_copy", "base_scores")),
    ],
    "duals": [(models, "fit_shared_duals"), (models, "_fit_duals")],
    "feature map": [(estimator, "fit_map"), (one_versus_rest, "fit_map")],
    "embedding": [(estimator.RakingDual, "embed")],
    "floor": [(ArrayProblem, "find_floor")],
    "dual": [(ArrayProblem, "solve_dual")],
    "dual scores": [(models.Models, "dual_scores"), (one_versus_rest.OneVersusRest, "score_held_out")],
    "weight": [(rescoring, "choose_fusion_weight")],
    "calibration and cut": [(rescoring, "fit_calibration"), (rescoring, "choose_cut")],
}  # fmt: skip


def processor_time(function: Callable[[], Any]) -> float:
    """Seconds that a call takes of the processor."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


@contextlib.contextmanager
def stage_clocks() -> Iterator[Counter[str]]:
    """Seconds of each stage while the context is open; time within an inner stage counts there only."""
    seconds: Counter[str] = Counter()
    running: list[str] = []
    last = time.process_time()

    def credit() -> None:
        nonlocal last
        now = time.process_time()
        seconds[running[-1] if running else "everything else"] += now - last
        last = now

    def timed(function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            credit()
            running.append(stage)
            try:
                return function(*arguments, **options)
            finally:
                credit()
                running.pop()

        return call

    with contextlib.ExitStack() as patches:
        for stage, places in STAGES.items():
            for owner, name in places:
                patches.enter_context(mock.patch.object(owner, name, timed(getattr(owner, name), stage)))
        yield seconds
        credit()


def load(name: str, learner: str) -> tuple[Any, Any, Callable[[], Any]]:
    """Rows and labels to fit on, and what makes the base."""
    if name == "cover":
        with np.load(data_directory() / "large" / "cover.npz") as data:
            return (
                data["X"].astype(np.float64),
                data["target"],
                lambda: RandomForestClassifier(random_state=0),
            )
    table = load_table(name, data_directory())
    _, train, _ = next(table.outer_splits(1))
    return table.X.iloc[train], table.y[train], lambda: LEARNERS[learner](table.categorical, 0)


def measure(name: str, learner: str, repeats: int) -> tuple[float, float, Counter[str]]:
    """Seconds of the base alone and inside the classifier, and those of the stages."""
    X, y, make_base = load(name, learner)

    def rescored() -> Any:
        return DRRClassifier(make_base(), random_state=0).fit(X, y)

    if name != "cover":
        rescored()  # imports and caches are not counted
    seconds = [
        (processor_time(lambda: make_base().fit(X, y)), processor_time(rescored)) for _ in range(repeats)
    ]
    with stage_clocks() as stages:
        rescored()
    alone, whole = np.min(seconds, axis=0)
    return float(alone), float(whole), stages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--learner", default="random forest", choices=list(LEARNERS))
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        f"{arguments.learner}: fits of the base that one fit of DRRClassifier costs, and what the stages take of it"
    )
    ratios = []
    for name in arguments.sets:
        alone, whole, stages = measure(name, arguments.learner, arguments.repeats)
        ratios.append(whole / alone)
        shares = ", ".join(
            f"{stage} {seconds / stages.total():.0%}"
            for stage, seconds in stages.most_common()
            if seconds >= 0.005 * stages.total()
        )
        print(f"{name:<14} {alone:6.3f} s → {whole:6.3f} s  {whole / alone:5.2f}  {shares}", flush=True)
    print(f"median {np.median(ratios):.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
