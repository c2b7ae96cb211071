"""Two builds of the package against each other: ``python -m benchmarks.speed.wheel LOCAL PORTABLE``.

Each argument is a wheel, unpacked beside the packages of this interpreter, or a Python interpreter that has the package
installed. Both live in processes of their own that take turns within one run, one thread each; a ratio above one says
that the second is slower. The least time of many turns is what a busy machine distorts least; new processes now and
then even out the luck of where in memory a process finds its pages.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

# Name of the case -> number of turns with each pair of processes.
TURNS = {
    "tilt, in cache": 1000,
    "tilt float32, in cache": 1000,
    "tilt, in memory": 10,
    "dual, full Newton": 10,
}


def make_case(name: str) -> Callable[[], object] | None:
    """A call that repeats the same work, or None where this build of the package has no such operation."""
    from drr._native import core

    generator = np.random.default_rng(0)
    if name.startswith("tilt"):
        shape = (400_000, 150) if name.endswith("memory") else (2_000, 100)
        rows = generator.standard_normal(shape, dtype=np.float32 if "float32" in name else np.float64)
        theta = generator.standard_normal(shape[1]) / 10
        return lambda: core.tilt(rows, theta, n_threads=1)

    if not hasattr(core, "solve_dual"):
        return None
    rows = generator.standard_normal((4_000, 600)) / np.sqrt(600)
    target = rows[:40].mean(axis=0)
    tolerance = 0.5 * float(np.linalg.norm(target - rows.mean(axis=0)))
    return lambda: core.solve_dual(rows, target, tolerance, method="auto:newton", n_threads=1)


def serve() -> None:
    """Read names of cases, one a line, and answer each with the seconds that one turn took."""
    cases: dict[str, Callable[[], object] | None] = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in cases:
            cases.clear()  # one array at a time
            cases[name] = make_case(name)
        call = cases[name]
        if call is None:
            print("nan", flush=True)
            continue
        start = time.perf_counter()
        call()
        print(time.perf_counter() - start, flush=True)


class Build:
    def __init__(self, path: Path, folder: Path):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        python = str(path)
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
            python = sys.executable
            environment["PYTHONPATH"] = str(folder)
        self.process = subprocess.Popen(
            [python, __file__, "--serve"],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def seconds(self, name: str) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs=2, type=Path, metavar="WHEEL_OR_PYTHON")
    parser.add_argument("--pairs", type=int, default=6, help="how often to start new processes (default: 6)")
    arguments = parser.parse_args()
    best = {case: np.full(2, np.inf) for case in TURNS}
    with tempfile.TemporaryDirectory() as name:
        for pair in range(arguments.pairs):
            builds = [Build(path, Path(name) / str(number)) for number, path in enumerate(arguments.builds)]
            order = [0, 1] if pair % 2 == 0 else [1, 0]
            for case, turns in TURNS.items():
                for turn in range(2 + turns):
                    for number in order:
                        seconds = builds[number].seconds(case)
                        if turn >= 2:  # the first turns warm up
                            best[case][number] = min(best[case][number], seconds)
            for build in builds:
                build.close()
    print(f"{'case':<24}{'first, ms':>12}{'second, ms':>12}{'ratio':>8}")
    for case, (first, second) in best.items():
        print(f"{case:<24}{1e3 * first:>12.3f}{1e3 * second:>12.3f}{second / first:>8.3f}")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
