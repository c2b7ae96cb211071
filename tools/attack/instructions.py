"""Regression guard for speed: instructions of the main kernels, counted by callgrind whatever else the machine does.

    python -m tools.attack instructions             # compare with tools/attack/instructions.json
    python -m tools.attack instructions --update    # store the counts of this build

Needs valgrind with its headers and a C compiler. Counts belong to one compiler and one instruction set, and are
compared only where both are those stored.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STORED = Path(__file__).with_suffix(".json")
TOLERANCE = 0.05  # of a count: other inlining may cost that much, a lost optimisation costs more
# Of a count, between two calls. They differ only by how often a kernel asked for Ctrl-C, a hundred instructions
# every twentieth of a second.
STEADY = 0.002
INSTRUCTION_SET = "x86_64_v3"  # the best that valgrind knows

# Small, so that valgrind's fiftyfold slowness is a second; one thread, so that no waiting is counted. Each is called
# twice, and both must count the same but for STEADY.
CALLS = {
    "tilt, float64": "drr.tilt(features, theta, n_threads=1)",
    "tilt, float32": "drr.tilt(narrow, theta, n_threads=1)",
    "tilt, CSR": "drr.tilt(sparse, theta, n_threads=1)",
    "floor": "drr.find_floor(features, far, n_threads=1)",
    "floor, more columns than rows": "drr.find_floor(wide, wide_target, n_threads=1)",
    "dual, newton": "core.solve_dual(features, target, 0.05, method='auto:newton', n_threads=1)",
    "dual, pcg_sampled": "core.solve_dual(features, target, 0.05, method='auto:pcg-sampled', n_threads=1)",
    "dual, pcg_woodbury": "core.solve_dual(features, target, 0.05, method='auto:pcg-woodbury', n_threads=1)",
    "dual, wide": "core.solve_dual(wide, wide_target, 3.0, method='auto:wide', n_threads=1)",
    "embedding": "feature_map.transform(raw)",
    "map": "drr.RakingFeatureMap(64, random_state=0).fit(raw)",
    "whole fit": "small_dual.fit(raw[:600], features[:600, 9] > 1.5)",
    "ranking": "ranking.average_precision(weights)",
}
SCRIPT = """
import ctypes, sys
import numpy as np, scipy.sparse, drr
from drr._native import core
from drr._native.ranking import Ranking
rng = np.random.default_rng(0)
features = rng.normal(size=(2000, 40))
narrow = features.astype(np.float32)
sparse = scipy.sparse.csr_array(np.where(rng.uniform(size=features.shape) < 0.1, features, 0))
theta = rng.normal(size=40) / 10
target = features[:200].mean(axis=0)
far = np.full(40, 0.8)
wide = rng.normal(size=(60, 400))
wide_target = np.full(400, 0.1)
raw = features[:, :8]
feature_map = drr.RakingFeatureMap(64, random_state=0).fit(raw)
small_dual = drr.RakingDual(drr.RakingFeatureMap(16, random_state=0), n_threads=1)
ranking = Ranking(features[:, 0], features[:, 1] > 1)
weights = rng.poisson(1.0, size=(10, 2000)).astype(float)
counter = ctypes.CDLL(sys.argv[1])
calls = [compile(call, "<call>", "eval") for call in sys.argv[2:]]
for call in calls:
    eval(call)
for call in calls:
    for _ in range(2):
        counter.start()
        eval(call)
        counter.stop()
"""
COUNTER = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void stop(void) { CALLGRIND_DUMP_STATS; CALLGRIND_STOP_INSTRUMENTATION; }
"""


def count(calls: list[str], folder: Path) -> list[tuple[int, int]]:
    """Instructions inside the compiled modules during each call, counted twice."""
    (folder / "counter.c").write_text(COUNTER)
    compiler = shutil.which("cc") or "gcc"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", folder / "counter.so", folder / "counter.c"], check=True
    )
    output = folder / "callgrind.out"
    # One hash seed and one BLAS thread keep the interpreter's own path the same.
    environment = os.environ | {
        "DRR_ISA": INSTRUCTION_SET, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    subprocess.run(
        ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={output}",
         "--compress-strings=no", "--compress-pos=no", sys.executable, "-c", SCRIPT, folder / "counter.so", *calls],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    counts = [
        inside(Path(f"{output}.{number}").read_text(), ("_core_", "ranking"))
        for number in range(1, 2 * len(calls) + 1)
    ]
    return list(zip(counts[::2], counts[1::2], strict=True))


def inside(profile: str, modules: tuple[str, ...]) -> int:
    """The instructions that a profile counts in the files of these names."""
    total, counted, is_call = 0, False, False
    for line in profile.splitlines():
        if line.startswith("ob="):
            counted = any(module in line for module in modules)
        elif line.startswith("calls="):
            is_call = True  # the next line is the inclusive cost of a call, counted where it happens
        elif re.match(r"^[\d+*-]", line):
            if counted and not is_call:
                total += int(line.split()[1])
            is_call = False
    return total


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack instructions", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--update", action="store_true", help="store these counts")
    options = parser.parse_args(arguments)
    os.environ["DRR_ISA"] = INSTRUCTION_SET
    from drr._native import core

    build = {"compiler": core.compiler, "instruction set": INSTRUCTION_SET}
    with tempfile.TemporaryDirectory() as folder:
        counts = dict(zip(CALLS, count(list(CALLS.values()), Path(folder)), strict=True))
    unsteady = [name for name, (first, second) in counts.items() if abs(first - second) > STEADY * second]
    largest = max(abs(first - second) / second for first, second in counts.values())
    for name in unsteady:
        print(f"{name}: {counts[name][0]:,d} and {counts[name][1]:,d} instructions for the same call")
    found = {name: min(both) for name, both in counts.items()}
    if options.update:
        STORED.write_text(json.dumps({"build": build, "instructions": found}, indent=1) + "\n")
    stored = json.loads(STORED.read_text())
    slower = 0
    for name, number in found.items():
        before = stored["instructions"].get(name)
        slower += before is not None and number > (1 + TOLERANCE) * before
        print(
            f"{name:30s} {number:12,d}  "
            + (f"{number / before:6.3f} of the stored count" if before else "new")
        )
    if stored["build"] != build:
        print(f"not comparable: stored for {stored['build']}, this is {build}")
        return 0
    print(
        f"{len(found)} kernels, counted twice within {largest:.2%}; {slower} slower by more than {TOLERANCE:.0%}"
    )
    return bool(slower or unsteady)
