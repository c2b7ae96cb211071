"""From a raw table to a fitted dual and to scores: ``python -m benchmarks.speed.fit``.

Beside the dual stands what one would run instead on the same table: scikit-learn's RBFSampler and LogisticRegression,
densratio's uLSIF, empirical_calibration on our map, imbalanced-learn's SMOTE before a logistic regression. Peers that
are not installed are left out. Everything is on one thread and in processor seconds, which other work on the machine
disturbs little; contestants take turns, each in a process of its own, and the best of each counts. One that takes
longer than the limit is stopped and shown as longer. The stages of the dual are timed in the same run.

Sizes: 2e3 × 12, 5e4 × 50, 3e5 × 10 (the size of cover), 1e6 × 20, one column of 2e4 rows, and with DRR_DATA the genes
of Baron_H1, one class and all classes with ten rows or more.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import importlib.util
import multiprocessing
import resource
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Table = tuple[np.ndarray, np.ndarray]
SIZES = {
    "small": (2000, 12), "medium": (50_000, 50), "cover": (300_000, 10), "million": (1_000_000, 20),
    "one column": (20_000, 1),
}  # fmt: skip


def generated(n_rows: int, n_columns: int) -> Table:
    """Two normal classes, one row in twenty of the rare one."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 20 == 0
    X = rng.normal(size=(n_rows, n_columns))
    X[y] += 1 / np.sqrt(n_columns)
    return X, y


def genes() -> Table:
    """Baron_H1, the classes with ten rows or more."""
    with np.load(Path(os.environ["DRR_DATA"]) / "genes" / "Baron_H1.npz") as arrays:
        X, y = arrays["X"], arrays["y"]
    kept = np.bincount(y)[y] >= 10
    return X[kept], y[kept]


def dual_stages(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """The fit of a dual and its scores, stage by stage."""
    from drr import RakingDual, rake

    clock = Clock()
    dual = RakingDual(random_state=0, n_threads=1).fit(X, y)
    clock.stop("fit")
    dual.score_samples(X)
    clock.stop("score")
    feature_map = dual.feature_map_.fit(X)
    clock.stop("of the fit: map")
    features = feature_map.transform(X)
    clock.stop("of the fit: embedding")
    majority, target = features[~y], features[y].mean(axis=0, dtype=np.float64)
    clock.restart()
    rake(majority, target, n_threads=1)
    clock.stop("of the fit: rake")
    return clock.seconds


def all_classes(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """One class, then every class against the rest with what they share."""
    from drr import RakingDual
    from drr.raking.one_versus_rest import fit_one_versus_rest

    labels, clock = np.unique(y), Clock()
    RakingDual(random_state=0, n_threads=1, pos_label=labels[0]).fit(X, y)
    clock.stop("one class")
    fit_one_versus_rest(RakingDual(random_state=0, n_threads=1), X, y, labels)
    clock.stop("all classes")
    return clock.seconds


def rbf_logistic(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    clock = Clock()
    steps = StandardScaler(), RBFSampler(n_components=128, random_state=0), LogisticRegression(max_iter=1000)
    model = make_pipeline(*steps).fit(X, y)
    clock.stop("fit")
    model.decision_function(X)
    clock.stop("score")
    return clock.seconds


def smote_logistic(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    from imblearn.over_sampling import SMOTE
    from sklearn.linear_model import LogisticRegression

    clock = Clock()
    model = LogisticRegression(max_iter=1000).fit(*SMOTE(random_state=0).fit_resample(X, y))
    clock.stop("fit")
    model.decision_function(X)
    clock.stop("score")
    return clock.seconds


def ulsif(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    from densratio import densratio

    clock = Clock()
    model = densratio(X[y], X[~y], verbose=False)
    clock.stop("fit")
    model.compute_density_ratio(X)
    clock.stop("score")
    return clock.seconds


def calibration_on_our_map(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    import empirical_calibration

    from drr import RakingFeatureMap, find_floor

    clock = Clock()
    features = RakingFeatureMap(random_state=0).fit_transform(X)
    target = features[y].mean(axis=0, keepdims=True)
    floor = find_floor(features[~y], target[0], n_threads=1)
    tolerance = floor.value + 0.05 * (floor.base_discrepancy - floor.value)
    empirical_calibration.calibrate(
        covariates=features[~y], target_covariates=target, autoscale=False, l2_norm=tolerance
    )
    clock.stop("fit")
    return clock.seconds


PEERS: dict[str, tuple[str, Callable[..., dict[str, float]]]] = {
    "RBFSampler + LogisticRegression": ("sklearn", rbf_logistic),
    "SMOTE + LogisticRegression": ("imblearn", smote_logistic),
    "densratio uLSIF": ("densratio", ulsif),
    "empirical_calibration on our map": ("empirical_calibration", calibration_on_our_map),
}


class Clock:
    """Processor seconds of stages that follow each other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.restart()

    def restart(self) -> None:
        self._since = processor_time()

    def stop(self, stage: str) -> None:
        self.seconds[stage] = processor_time() - self._since
        self.restart()


def processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def in_a_process(run: Callable[..., dict[str, float]], table: Table, limit: float) -> dict[str, float] | None:
    """What `run` reports, with the peak memory beyond the table in MB; None if it takes longer than the limit."""
    receiving, sending = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        warnings.simplefilter("ignore")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run(table[0][:200, :3], np.arange(len(table[1][:200])) % 20 == 0)  # imports are not counted
        seconds = run(*table)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sending.send(seconds | {"MB": (peak - before) / 1024})

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    answer = receiving.recv() if receiving.poll(limit) else None
    process.kill()
    process.join()
    return answer


def contest(table: Table, runs: dict[str, Callable[..., Any]], repeats: int, limit: float) -> dict[str, Any]:
    """The best of every contestant, taken in turns; one that was stopped does not run again."""
    best: dict[str, Any] = {}
    for _ in range(repeats):
        for name, run in runs.items():
            if name in best and best[name] is None:
                continue
            found = in_a_process(run, table, limit)
            before = best.get(name)
            best[name] = found if before is None or found is None else min(before, found, key=total)
    return best


def total(stages: dict[str, float]) -> float:
    return sum(
        seconds for stage, seconds in stages.items() if stage != "MB" and not stage.startswith("of the fit")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=[*SIZES, "genes"], default=[*SIZES, "genes"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--limit", type=float, default=120.0, help="seconds for one run (default: %(default)s)"
    )
    options = parser.parse_args()
    print(
        "| table | contestant | processor time | of ours | MB | stages |\n| --- | --- | --- | --- | --- | --- |"
    )
    for size in options.sizes:
        if size == "genes" and not os.environ.get("DRR_DATA"):
            continue
        table = genes() if size == "genes" else generated(*SIZES[size])
        runs: dict[str, Callable[..., Any]] = {"RakingDual": all_classes if size == "genes" else dual_stages}
        if size != "genes":
            runs |= {name: run for name, (module, run) in PEERS.items() if importlib.util.find_spec(module)}
        show(size, table[0].shape, contest(table, runs, options.repeats, options.limit), options.limit)


def show(size: str, shape: tuple[int, ...], found: dict[str, Any], limit: float) -> None:
    ours = total(found["RakingDual"])
    for name, stages in found.items():
        cells = [f"> {limit:.0f} s", f"> {limit / ours:.3g}", "", ""]
        if stages is not None:
            parts = ", ".join(
                f"{stage} {each * 1e3:.4g} ms" for stage, each in stages.items() if stage != "MB"
            )
            cells = [
                f"{total(stages) * 1e3:.4g} ms",
                f"{total(stages) / ours:.3g}",
                f"{stages['MB']:.0f}",
                parts,
            ]
        print(f"| {size}, {shape[0]} × {shape[1]} | {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
